import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { it } from 'node:test'
import { createLeftCalls } from '../../src/app/threads/left-calls.ts'
import { createForwarding } from '../../src/app/threads/request-forwarding.ts'
import type { RequestMessage } from '../../src/app/threads/thread-messages.ts'
import { createCalls } from '../../src/base/calls.ts'
import { Failure } from '../../src/base/failure.ts'
import { dataGuard, type ForwardedEndpoint } from '../../src/endpoints/guard.ts'
import type { Exchange } from '../../src/http/exchange.ts'

const ENDPOINT: ForwardedEndpoint = { method: 'POST', path: '/', access: 'public', reach: 'none', bodyLimit: undefined, readsBody: false }

it('attack: clients that send and leave while the main thread is busy do not fill its memory', async () => {
  const held: { readonly kind: string; readonly id: number }[] = []
  const main = createCalls<{ serve: (request: RequestMessage) => never }>({ postMessage: (message) => void held.push(message as never) }, {})
  const never = (): never => assert.fail()
  const guard = dataGuard({ sessions: { require: never, find: never }, limits: { dataRequest: never, dataBody: never }, now: () => 0 })
  const forward = createForwarding(() => main as never, createLeftCalls(), guard).handlerOf(ENDPOINT)
  const outcomes: Promise<unknown>[] = []
  const send = (id: number, clientAddress: string): Socket => {
    const socket = new Socket()
    const exchange = { requestId: String(id), request: { socket }, method: 'POST', target: '/', headers: {}, clientAddress }
    outcomes.push((forward(exchange as unknown as Exchange) as Promise<unknown>).catch((error: unknown) => error))
    return socket
  }
  const calls = (): readonly { readonly id: number }[] => held.filter(({ kind }) => kind === 'call')
  for (let id = 0; id < 1_000; id++) send(id, '192.0.2.1').emit('close')
  assert.equal(calls().length, 256, 'of one address')
  for (let id = 1_000; id < 7_000; id++) send(id, `198.51.100.${id % 250}`).emit('close')
  const waiting = calls()
  assert.equal(waiting.length, 4_096, 'in all')
  for (const { id } of waiting) main.receive({ kind: 'answer', id, value: { response: undefined, logFields: undefined } })
  const refused = (await Promise.all(outcomes)).filter((error) => error instanceof Failure)
  assert.deepEqual([...new Set(refused.map(({ status, headers }) => `${status} ${headers['Retry-After']}`))], ['503 1'])
  assert.equal(refused.length, 7_000 - 4_096)
  send(7_000, '192.0.2.1')
  assert.equal(calls().length, 4_097, 'there is room again')
})
