/** A list that is pasted becomes drafts once, whatever becomes of the responses. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createClient, type Client, type DatelineError } from '../../src/client/client.ts'
import { operationsOn, runBatches } from '../../src/dashboard/batches.ts'
import { draftsOnce } from '../../src/dashboard/screens/editor/drafts-once.ts'
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
    const once = draftsOnce(lossy, topic, draftsOf(name, 450))
    const first = await once.make()
    assert.deepEqual([first.ids.length, first.isAnswered], [before, false])
    const again = await once.make()
    assert.deepEqual([again.ids.length, again.isAnswered, again.failures], [450, true, []])
    assert.deepEqual(again.ids.slice(0, before), first.ids)
    assert.equal(new Set(again.ids).size, 450)
    assert.equal(await stored(name), 450)
  })
}

for (const [status, code] of [[409, 'conflict'], [429, 'tooManyRequests'], [403, 'forbidden']] as const) {
  it(`a list whose response was lost, and whose second try got ${status}, makes none of its drafts twice`, async () => {
    const name = `After${status}`
    const refusal = JSON.stringify({ error: { code, message: 'Not now', requestId: 'r' } })
    const headers = { 'content-type': 'application/json', 'retry-after': '0' }
    const lossy = losing(1)
    let isRefused = false
    const batch: Client['batch'] = (...given) => (isRefused ? refusing.batch(...given) : lossy.batch(...given))
    const refusing = createClient({ url: service.url, token, fetch: () => Promise.resolve(new Response(refusal, { status, headers })) })
    const once = draftsOnce({ batch }, topic, draftsOf(name, 3))
    assert.equal((await once.make()).isAnswered, false)
    isRefused = true
    const { isAnswered, failures } = await once.make()
    assert.deepEqual([isAnswered, failures.map(({ error }) => (error as DatelineError).status)], [false, [status, status, status]])
    isRefused = false
    assert.equal((await once.make()).ids.length, 3)
    assert.equal(await stored(name), 3)
  })
}

it('a list that was made whole is made again where it was taken back, and only then', async () => {
  const once = draftsOnce(client, topic, draftsOf('Again', 2))
  const { ids } = await once.make()
  assert.deepEqual((await once.make()).ids, ids)
  once.takeBack(ids)
  const { ids: later } = await once.make()
  assert.equal(new Set([...ids, ...later]).size, 4)
  assert.equal(await stored('Again'), 4)
})

// The key of the whole list was a new one after an undo: what the second try had made was made twice.
it('a third try, after an undo of what the first made, makes none of those twice that the second made', async () => {
  const remove = (ids: readonly string[]) => runBatches(client, operationsOn(topic, ids, 'delete'))
  const lossy = [losing(2), losing(2), client] as const
  let tries = 0
  const once = draftsOnce({ batch: (...given) => (lossy[tries] ?? client).batch(...given) }, topic, draftsOf('Third', 650))
  const first = await once.make()
  assert.deepEqual([first.ids.length, first.isAnswered], [200, false])
  tries = 1
  const second = await once.make()
  assert.deepEqual([second.ids.length, second.isAnswered], [400, false])
  once.takeBack(first.ids)
  await remove(first.ids)
  tries = 2
  const third = await once.make()
  assert.deepEqual([third.ids.length, third.isAnswered, third.failures], [650, true, []])
  assert.equal(await stored('Third'), 650)
  assert.deepEqual(third.ids.filter((id) => second.ids.includes(id)), second.ids.slice(200))
})

it('drafts that were taken back and brought back are not made again', async () => {
  const once = draftsOnce(client, topic, draftsOf('Brought', 3))
  const { ids } = await once.make()
  once.takeBack(ids)
  once.bringBack(ids.slice(1))
  const { ids: later } = await once.make()
  assert.deepEqual(later.slice(1), ids.slice(1))
  assert.notEqual(later[0], ids[0])
  once.bringBack(ids)
  assert.deepEqual((await once.make()).ids, later)
  assert.equal(await stored('Brought'), 4)
})

it('a draft that the service refuses leaves the others made once', async () => {
  const drafts = [...draftsOf('Refused', 3), { name: 5, status: 'draft' }] as never
  const { ids, failures, isAnswered } = await draftsOnce(client, topic, drafts).make()
  assert.deepEqual([ids.length, failures.map(({ index }) => index), isAnswered], [3, [3], true])
  assert.equal(await stored('Refused'), 3)
})
