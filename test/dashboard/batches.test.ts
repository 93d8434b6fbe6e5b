/** Many operations as batches: what fails is told by item, and all others are done. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createClient, type BatchOperation } from '../../src/client/client.ts'
import { runBatches, withoutIndex } from '../../src/dashboard/batches.ts'
import { TOPIC } from '../../scripts/tools/data-bodies.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const { token } = await service.admin()
const client = createClient({ url: service.url, token })
const topics = client.data('topic')
const create = (name: string): BatchOperation => ({ operation: 'create', model: 'topic', body: { ...TOPIC, name } })
const remove = (id: string): BatchOperation => ({ operation: 'delete', model: 'topic', id })

async function made(count: number): Promise<readonly string[]> {
  const { results } = await runBatches(client, Array.from({ length: count }, (_, i) => create(`Topic ${i}`)))
  return results.map((result) => String(result?.document?.id))
}

for (const [name, count, failing] of [
  ['fewer than a request takes', 3, []],
  ['more than two requests take', 450, [0, 7, 8, 199, 200, 449]],
  ['of which every one fails', 12, Array.from({ length: 12 }, (_, i) => i)],
] as const) {
  it(`operations, ${name}, are all done but those that fail`, async () => {
    const ids = await made(count)
    const isFailing = (index: number): boolean => failing.some((one) => one === index)
    let [done, requests] = [0, 0]
    const counted = { batch: (...given: Parameters<typeof client.batch>) => (requests++, client.batch(...given)) }
    const operations = ids.map((id, i) => remove(isFailing(i) ? `gone-${i}` : id))
    const { results, failures } = await runBatches(counted, operations, {
      onProgress(now) {
        assert.ok(now >= done && now <= count)
        done = now
      },
    })
    assert.equal(done, count)
    assert.deepEqual(results.map((result) => result?.status), ids.map((_, i) => (isFailing(i) ? undefined : 204)))
    assert.deepEqual(failures.map(({ index }) => index), failing)
    const { items } = await topics.list({ limit: 100 })
    assert.deepEqual(items.map(({ id }) => id).sort(), ids.filter((_, i) => isFailing(i)).sort())
    assert.ok(requests <= 3 + 3 * failing.length, `${requests} requests`)
    await runBatches(client, items.map(({ id }) => remove(id)))
  })
}

it('a document that failed is told once, and its neighbours are done', async () => {
  const ids = await made(3)
  const twice = [ids[0], ids[0], ids[1], 'nowhere', ids[2]].map((id) => remove(String(id)))
  const { results, failures } = await runBatches(client, twice)
  assert.deepEqual(results.map((result) => result?.status), [204, undefined, 204, undefined, 204])
  assert.match(String(failures.map(({ error }) => (error as Error).message)), /^operations\[\d\]: No topic has the id ".*nowhere"$/)
})

it('without a response all that is left has failed, once', async () => {
  const lost = createClient({ url: service.url, token, fetch: () => Promise.reject(new TypeError('no line')) })
  const { results, failures } = await runBatches(lost, [create('One'), create('Two')])
  assert.deepEqual(results, [])
  assert.deepEqual(failures.map(({ index, error }) => `${index} ${(error as Error).name}`), ['0 NetworkError', '1 NetworkError'])
})

it('a message is told without the place of its operation', () => {
  assert.equal(withoutIndex('operations[12]: No topic has the id "x"'), 'No topic has the id "x"')
  assert.equal(withoutIndex('operations[0].body.name: expected a string'), 'name: expected a string')
  assert.equal(withoutIndex('No operations[0]'), 'No operations[0]')
})
