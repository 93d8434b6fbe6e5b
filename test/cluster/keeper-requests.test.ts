/** What a node knows of a write that it sent to the keeper: the response, that it was not sent, or neither. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { joinParts, splitParts } from '../../src/cluster/keeper-message.ts'
import { createKeeperRequests, type KeeperNode } from '../../src/cluster/keeper-requests.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { portFor } from '../../scripts/tools/listening.ts'
import { freePorts } from '../../scripts/tools/free-ports.ts'
import { until } from '../support/until.ts'

const NODE = '0123456789abcdef'
const KEEPER = 'fedcba9876543210'
const START = 1_700_000_000_000

function requestsOf(t: TestContext, ticks = () => 0) {
  const requests = createKeeperRequests({ node: NODE, signKey: randomBytes(32), ca: undefined, now: () => START, ticks, log: recordingLog().log })
  t.after(() => requests.close())
  return requests
}

const keeperAt = (port: number): KeeperNode => ({ node: KEEPER, url: `http://127.0.0.1:${port}`, startedAt: START })

/** A keeper that does this with each request and its body. */
async function keeper(t: TestContext, serve: (response: ServerResponse, body: Buffer, path: string) => void): Promise<KeeperNode> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => serve(response, Buffer.concat(chunks), request.url ?? ''))
  })
  return keeperAt(await portFor(t, server))
}

const send = (t: TestContext, to: KeeperNode, text = 'write') => requestsOf(t).send(to, Buffer.from(text))

describe('a write that was sent to the keeper', () => {
  it('has its response, and those of one turn are one request', async (t) => {
    const bodies: Buffer[] = []
    const to = await keeper(t, (response, body) => {
      bodies.push(body)
      response.end(joinParts((splitParts(body, 64) ?? []).map((part) => Buffer.from(`${part.toString()}!`))))
    })
    const requests = requestsOf(t)
    const outcomes = await Promise.all(['a', 'b', 'c'].map((text) => requests.send(to, Buffer.from(text))))
    assert.deepEqual(outcomes.map((one) => one.kind === 'response' && one.body.toString()), ['a!', 'b!', 'c!'])
    assert.equal(bodies.length, 1)
    await requests.send(to, Buffer.from('d'))
    assert.equal(bodies.length, 2)
  })

  it('is one of 64 in a request, and of a MiB, at most', async (t) => {
    const sizes: number[] = []
    const to = await keeper(t, (response, body) => {
      const parts = splitParts(body, Infinity) ?? []
      sizes.push(parts.length)
      response.end(joinParts(parts.map(() => Buffer.from('made'))))
    })
    const requests = requestsOf(t)
    await Promise.all(Array.from({ length: 70 }, () => requests.send(to, Buffer.from('a'))))
    assert.deepEqual(sizes.sort(), [6, 64])
    sizes.length = 0
    await Promise.all(Array.from({ length: 3 }, () => requests.send(to, Buffer.alloc(400_000))))
    assert.deepEqual(sizes.sort(), [1, 2])
  })

  it('was not sent where nothing listens', async (t) => {
    const [port = 0] = await freePorts(1)
    assert.deepEqual(await send(t, keeperAt(port)), { kind: 'unsent' })
  })

  const REFUSAL = '{"error":{"code":"networkError","message":"no"}}'
  for (const [status, body, kind] of [
    [403, REFUSAL, 'unsent'],
    [404, REFUSAL, 'unsent'],
    [413, REFUSAL, 'unsent'],
    [503, REFUSAL, 'unsent'],
    [503, '<html>', 'unknown'],
    [404, '{"error":"no"}', 'unknown'],
    [409, REFUSAL, 'unknown'],
    [500, REFUSAL, 'unknown'],
    [502, '', 'unknown'],
    [204, '', 'unknown'],
    [302, '', 'unknown'],
  ] as const) {
    it(`is ${kind} where ${status} comes with ${body === '' ? 'nothing' : body}`, async (t) => {
      const to = await keeper(t, (response) => response.writeHead(status).end(body))
      assert.deepEqual(await send(t, to), { kind })
    })
  }

  for (const [name, serve] of [
    ['the connection ends ahead of the response', (response: ServerResponse) => response.destroy()],
    ['the connection ends within the response', (response: ServerResponse) => void response.writeHead(200, { 'content-length': '100' }).write('part', () => response.destroy())],
    ['the response is cut short', (response: ServerResponse) => void response.end(joinParts([Buffer.from('made')]).subarray(0, -1))],
    ['the response is of fewer writes', (response: ServerResponse) => void response.end()],
    ['the response is of more writes', (response: ServerResponse) => void response.end(joinParts([Buffer.from('a'), Buffer.from('b')]))],
  ] as const) {
    it(`is unknown where ${name}`, async (t) => {
      assert.deepEqual(await send(t, await keeper(t, serve)), { kind: 'unknown' })
    })
  }

  it('is unknown where the keeper has it, and stands still: it says nothing, not even that it lives', async (t) => {
    let connections = 0
    const port = await portFor(t, createTcpServer(() => void connections++))
    assert.deepEqual(await send(t, keeperAt(port)), { kind: 'unknown' })
    assert.equal(connections, 2)
  })

  it('is waited for where the keeper lives, which waits for the log', async (t) => {
    let waiting: ServerResponse | undefined
    const to = await keeper(t, (response, _, path) => {
      if (path !== '/healthz') return void (waiting = response)
      response.end()
      waiting?.end(joinParts([Buffer.from('made')]))
    })
    assert.deepEqual(await send(t, to), { kind: 'response', body: Buffer.from('made') })
  })
})

it('writes that are on their way have their responses when another node is the keeper', async (t) => {
  const arrived = Promise.withResolvers<ServerResponse>()
  const made = (response: ServerResponse): void => void response.end(joinParts([Buffer.from('made')]))
  const before = await keeper(t, arrived.resolve)
  const now = await keeper(t, made)
  const requests = requestsOf(t)
  const first = requests.send(before, Buffer.from('first'))
  const response = await arrived.promise
  assert.equal((await requests.send(now, Buffer.from('second'))).kind, 'response')
  made(response)
  assert.deepEqual(await first, { kind: 'response', body: Buffer.from('made') })
})

it('a keeper that failed gets nothing for a second', async (t) => {
  let time = 0
  const requests = requestsOf(t, () => time)
  const [port = 0] = await freePorts(1)
  const to = keeperAt(port)
  assert.equal(requests.takes(to), true)
  await requests.send(to, Buffer.from('write'))
  assert.equal(requests.takes(to), false)
  time = 999
  assert.equal(requests.takes(to), false)
  time = 1_000
  assert.equal(requests.takes(to), true)
})

it('a keeper that could not make a write gets nothing for a second, either', async (t) => {
  let time = 0
  const requests = requestsOf(t, () => time)
  const to = await keeper(t, (response) => void response.end(joinParts([Buffer.from('503')])))
  await requests.send(to, Buffer.from('write'))
  assert.equal(requests.takes(to), true)
  requests.avoid(to)
  assert.equal(requests.takes(to), false)
  time = 1_000
  assert.equal(requests.takes(to), true)
})

it('512 writes are on their way at most', async (t) => {
  const held: ServerResponse[] = []
  const to = await keeper(t, (response) => void held.push(response))
  const requests = requestsOf(t)
  const sent = Array.from({ length: 511 }, () => requests.send(to, Buffer.from('a')))
  assert.equal(requests.takes(to), true)
  sent.push(requests.send(to, Buffer.from('a')))
  assert.equal(requests.takes(to), false)
  await until(() => held.length >= 8)
  for (const response of held) response.destroy()
  assert.equal((await Promise.all(sent)).length, 512)
})

it('parts are split as they were joined, and what is not whole parts is none', () => {
  const parts = ['', 'a', 'bc'].map((text) => Buffer.from(text))
  assert.deepEqual(splitParts(joinParts(parts), 3), parts)
  assert.equal(splitParts(joinParts(parts), 2), undefined)
  for (const bytes of [Buffer.from([0]), Buffer.from([0, 0, 0, 2, 1]), Buffer.from([255, 255, 255, 255, 1])]) assert.equal(splitParts(bytes, 3), undefined)
})
