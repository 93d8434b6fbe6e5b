/** Long bodies go one after the other, and callers take turns: nothing but a turn of the event loop is waited for. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createBodyLane } from '../../src/http/body-lane.ts'
import { ok, type Exchange, type HttpResponse } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { send } from '../support/service/http-client.ts'
import { startServer } from '../support/service/http-server.ts'

/** Enters bodies `a1 a2 b1 …` at once and gives the order in which they had the lane, and how many had it together. */
async function order(names: readonly string[], first = ''): Promise<{ readonly order: string; readonly most: number }> {
  const lane = createBodyLane()
  const had: string[] = []
  let [inside, most] = [0, 0]
  await Promise.all(
    names.map(async (name) => {
      const caller = name.slice(0, 1)
      const leave = await lane.enter({ caller, usesReserve: first.includes(caller) })
      had.push(name)
      most = Math.max(most, ++inside)
      await turn()
      await turn()
      inside--
      leave()
      leave()
    }),
  )
  return { order: had.join(' '), most }
}

it('attack: a caller with many long bodies delays no body of others by more than one', async () => {
  const found = await order(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2'])
  assert.deepEqual(found, { order: 'a1 b1 c1 a2 c2 a3 a4', most: 1 })
})

it('bodies of publishers and administrators go first', async () => {
  const found = await order(['a1', 'a2', 'b1', 'p1', 'p2', 'q1'], 'pq')
  assert.deepEqual(found, { order: 'p1 q1 p2 a1 b1 a2', most: 1 })
})

it('a turn of the event loop passes between two bodies', async () => {
  const lane = createBodyLane()
  const leave = await lane.enter({ caller: 'a', usesReserve: false })
  let hasEntered = false
  const second = lane.enter({ caller: 'b', usesReserve: false }).then(() => (hasEntered = true))
  leave()
  await Promise.resolve()
  await Promise.resolve()
  assert.equal(hasEntered, false)
  await second
})

it('a lane that was left is free', async () => {
  const lane = createBodyLane()
  for (let i = 0; i < 3; i++) (await lane.enter({ caller: 'a', usesReserve: false }))()
})

it('a long body has the lane until its response, a short one and one that is done when it is read need none', async () => {
  const inside: string[] = []
  const held = new Map<string, () => void>()
  let arrived = Promise.withResolvers<void>()
  const route = (path: string, isDoneWhenRead = false): Route => ({
    method: 'POST',
    path,
    async handler(exchange) {
      await exchange.readJson({ isDoneWhenRead })
      const { promise, resolve } = Promise.withResolvers<void>()
      inside.push(path)
      held.set(path, resolve)
      arrived.resolve()
      await promise
      return ok('1')
    },
  })
  await using server = await startServer([route('/query', true), route('/one'), route('/two'), route('/short')])
  const post = (path: string, chars: number): Promise<{ readonly status: number }> => {
    arrived = Promise.withResolvers<void>()
    return send(server.port, path, { method: 'POST', body: { a: 'x'.repeat(chars) } })
  }
  const query = post('/query', 20_000)
  await arrived.promise
  const one = post('/one', 20_000)
  await arrived.promise
  const two = post('/two', 20_000)
  const short = post('/short', 10_000)
  await arrived.promise
  assert.deepEqual(inside, ['/query', '/one', '/short'])
  arrived = Promise.withResolvers<void>()
  held.get('/one')?.()
  await arrived.promise
  assert.deepEqual(inside, ['/query', '/one', '/short', '/two'])
  for (const leave of held.values()) leave()
  const statuses = (await Promise.all([query, one, two, short])).map(({ status }) => status)
  assert.deepEqual(statuses, [200, 200, 200, 200])
})

it('a long body waits for one that another thread has forwarded', async () => {
  const inside: string[] = []
  const handler = async (exchange: Exchange): Promise<HttpResponse> => {
    inside.push(JSON.stringify(await exchange.readJson({})).slice(0, 8))
    return ok('1')
  }
  await using server = await startServer([{ method: 'POST', path: '/long', handler }])
  const leave = await server.bodyLane.enter({ caller: 'forwarded', usesReserve: false })
  const own = send(server.port, '/long', { method: 'POST', body: { own: 'x'.repeat(20_000) } })
  assert.equal((await send(server.port, '/long', { method: 'POST', body: { short: '' } })).status, 200)
  assert.deepEqual(inside, ['{"short"'])
  leave()
  assert.equal((await own).status, 200)
  assert.deepEqual(inside, ['{"short"', '{"own":"'])
})
