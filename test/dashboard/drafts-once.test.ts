/** A list that is pasted becomes drafts once, whatever becomes of the responses. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createClient, type Client } from '../../src/client/client.ts'
import { makeDraftsOnce } from '../../src/dashboard/screens/editor/drafts-once.ts'
import { topic } from '../../src/models/topic.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const { token } = await service.admin()
const client = createClient({ url: service.url, token })
const draftsOf = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => ({ name: `${prefix} ${i}`, status: 'draft' }))
const stored = async (prefix: string): Promise<number> => {
  const { total } = await client.data('topic').list({ filter: { name: { $regex: `^${prefix} ` } }, count: true, limit: 1, incomplete: true })
  return Number(total)
}

/** The response of the request with this number is lost, after the service has done its work. */
function losing(number: number): Client {
  let requests = 0
  const lossy: typeof fetch = async (...given) => {
    const response = await fetch(...given)
    if (++requests !== number) return response
    await response.arrayBuffer()
    throw new TypeError('the line broke')
  }
  return createClient({ url: service.url, token, fetch: lossy })
}

for (const [lost, before] of [[1, 0], [2, 200], [3, 400]] as const) {
  it(`a list whose response ${lost} was lost makes none of its drafts twice`, async () => {
    const [name, lossy] = [`Lost${lost}`, losing(lost)]
    const first = await makeDraftsOnce(lossy, topic, draftsOf(name, 450))
    assert.deepEqual([first.ids.length, first.isAnswered], [before, false])
    const again = await makeDraftsOnce(lossy, topic, draftsOf(name, 450))
    assert.deepEqual([again.ids.length, again.isAnswered, again.failures], [450, true, []])
    assert.deepEqual(again.ids.slice(0, before), first.ids)
    assert.equal(new Set(again.ids).size, 450)
    assert.equal(await stored(name), 450)
  })
}

it('a list that was made whole, or taken back, is made again', async () => {
  const one = await makeDraftsOnce(client, topic, draftsOf('Again', 2))
  const two = await makeDraftsOnce(client, topic, draftsOf('Again', 2))
  assert.equal(new Set([...one.ids, ...two.ids]).size, 4)
  const lossy = losing(1)
  const lost = await makeDraftsOnce(lossy, topic, draftsOf('Back', 2))
  lost.forget()
  await makeDraftsOnce(lossy, topic, draftsOf('Back', 2))
  assert.equal(await stored('Back'), 4)
})

it('a draft that the service refuses leaves the others made once', async () => {
  const drafts = [...draftsOf('Refused', 3), { name: 5, status: 'draft' }] as never
  const { ids, failures, isAnswered } = await makeDraftsOnce(client, topic, drafts)
  assert.deepEqual([ids.length, failures.map(({ index }) => index), isAnswered], [3, [3], true])
  assert.equal(await stored('Refused'), 3)
})
