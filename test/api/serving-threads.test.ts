// isolated: it listens to the threads that its process starts
/**
 * The service with several threads. Which connection is in which thread is for the kernel to decide: tests use so many that
 * each thread has some.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { UPLOADS_PER_USER_MAX } from '../../src/endpoints/download-slots.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { samplePicture } from '../../scripts/tools/media/sample-pictures.ts'
import { RawConnection, send, type ClientRequest, type ClientResponse } from '../support/service/http-client.ts'
import { ONLY_HERE } from '../support/service/service-process.ts'
import { startService, type TestService, type TestSettings } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const CONNECTIONS = 24
const THREADS = longRun(2, 3)
const ROUNDS = longRun(40, 250)
/** By which a thread that serves is known among others. */
const SERVING_HEAP_MB = 512
const TOPIC = { name: 'Threads', description: '0', iconUrl: 'https://example.org/t.png', status: 'active' }

type Send = (path: string, options?: ClientRequest) => Promise<ClientResponse>

/** Clients with one connection each, which stays open. */
function clientsOf(t: TestContext, { url }: Pick<TestService, 'url'>, count = CONNECTIONS): readonly Send[] {
  return Array.from({ length: count }, () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    return (path, options = {}) => send(Number(new URL(url).port), path, { ...options, agent })
  })
}

function startThreads(t: TestContext, settings: TestSettings = {}): Promise<TestService> {
  return startService(t, { threads: String(THREADS), ...settings })
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

async function metric({ url }: TestService, name: string): Promise<number> {
  const { text } = await send(Number(new URL(url).port), '/metrics')
  return Number(text.split('\n').find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? 0)
}

/** The threads that are started from now on. */
function watchWorkers(t: TestContext): readonly Worker[] {
  const workers: Worker[] = []
  const add = (worker: Worker): void => void workers.push(worker)
  process.on('worker', add)
  t.after(() => process.off('worker', add))
  return workers
}

const service = await startSuiteService({ threads: String(THREADS) })

describe('several threads', { skip: ONLY_HERE }, () => {
  it('show every write in the first read behind it, on whatever connection', async (t) => {
    const { token } = await service.admin()
    const [writer, ...readers] = clientsOf(t, service)
    assert.ok(writer !== undefined)
    const headers = bearer(token)
    const made = await writer('/api/v1/data?model=topic', { method: 'POST', headers, body: TOPIC })
    assert.equal(made.status, 201, made.text)
    const { id } = (made.json() as { data: { id: string } }).data
    const [byId, list] = [`/api/v1/data/${id}?model=topic`, '/api/v1/data?model=topic']
    const tags = new Map<Send, string>()
    for (let round = 1; round <= ROUNDS; round++) {
      const body = { ...TOPIC, id, description: String(round) }
      const written: ClientResponse = await writer(byId, { method: 'PUT', headers, body })
      assert.equal(written.status, 200, written.text)
      const reader = readers[round % readers.length] as Send
      const found = await reader(byId, { headers: { ...headers, 'If-None-Match': tags.get(reader) ?? '"none"' } })
      assert.equal(found.status, 200, `round ${round}`)
      assert.equal((found.json() as { data: { description: string } }).data.description, String(round))
      tags.set(reader, String(found.headers.etag))
      const listed = await (readers[(round * 7) % readers.length] as Send)(list, { headers })
      assert.match(listed.text, new RegExp(`"description":"${round}"`))
    }
    for (const reader of readers) {
      const same = await reader(byId, { headers: { ...headers, 'If-None-Match': String(tags.get(readers[ROUNDS % readers.length] as Send)) } })
      assert.equal(same.status, 304, 'a tag of one thread is that of all')
    }
  })

  it('all know at once that a session has ended', async (t) => {
    const clients = clientsOf(t, service)
    for (let round = 0; round < longRun(2, 10); round++) {
      const { token } = await service.guest()
      const headers = bearer(token)
      const read = (client: Send) => client('/api/v1/data?model=country&limit=1', { headers })
      for (const client of clients) assert.equal((await read(client)).status, 200)
      const ended = await (clients[round] as Send)('/api/v1/auth/sign-out', { method: 'POST', headers })
      assert.equal(ended.status, 204)
      for (const client of clients) assert.equal((await read(client)).status, 401)
    }
  })

  it('tell one log and one set of numbers', async (t) => {
    const clients = clientsOf(t, service)
    const { token } = await service.guest()
    const ids = new Set<string>()
    const series = 'dateline_requests_total{method="GET",route="/api/v1/data",status="200"}'
    const before = await metric(service, series)
    for (const client of clients) {
      const { headers } = await client('/api/v1/data?model=country&limit=1', { headers: bearer(token) })
      ids.add(String(headers['x-request-id']))
    }
    await service.app.written()
    assert.equal(ids.size, CONNECTIONS)
    for (const id of ids) assert.equal(service.logLines.filter((line) => line.includes(`"requestId":"${id}"`)).length, 1)
    assert.equal((await metric(service, series)) - before, CONNECTIONS)
    assert.ok((await metric(service, 'dateline_connections')) >= CONNECTIONS)
    assert.equal(await metric(service, 'dateline_threads'), THREADS)
  })
})

describe('attack:', { skip: ONLY_HERE }, () => {
  it('a guest that spreads requests over all threads has one limit', async (t) => {
    const service = await startThreads(t, { rateLimits: 'on', dataPerUser: '50' })
    const { token } = await service.guest()
    const clients = clientsOf(t, service)
    const all = Array.from({ length: 200 }, (_, i) => {
      const client = clients[i % clients.length] as Send
      return client('/api/v1/data?model=country&limit=1', { headers: bearer(token) })
    })
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 50)
    assert.equal(statuses.filter((status) => status === 429).length, 150)
    service.advance(60_001)
    assert.equal((await (clients[0] as Send)('/api/v1/data?model=country', { headers: bearer(token) })).status, 200)
  })

  it('a body that its sender may not write is not waited for, in whatever thread', async () => {
    const { token } = await service.guest()
    const statusOf = async (path: string, lines: readonly string[]): Promise<number> => {
      const connection = await RawConnection.open(Number(new URL(service.url).port))
      try {
        connection.write([`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...lines, 'Expect: 100-continue', '\r\n'].join('\r\n'))
        return (await connection.response()).status
      } finally {
        connection.destroy()
      }
    }
    const signedIn = `Authorization: Bearer ${token}`
    for (let i = 0; i < CONNECTIONS; i++) {
      assert.equal(await statusOf('/api/v1/data?model=topic', ['Content-Length: 1000']), 401)
      assert.equal(await statusOf('/api/v1/data?model=topic', [signedIn, 'Content-Length: 1000']), 403)
      assert.equal(await statusOf('/api/v1/admin/outbox/test', [signedIn, 'Content-Length: 1000']), 403)
      assert.equal(await statusOf('/api/v1/auth/request-code', ['Content-Length: 20000']), 413)
      // What no handler reads is not waited for either.
      assert.equal(await statusOf('/api/v1/changes/ticket', [signedIn, 'Content-Length: 1000']), 201)
    }
  })

  it('a client cannot say that it comes from another thread', async (t) => {
    const { token } = await service.guest()
    const forged = {
      ...bearer(token),
      'X-Request-Id': 'forged',
      'X-Forwarded-For': '192.0.2.9',
      'X-Dateline-Thread': '0',
      'X-Dateline-Client': '192.0.2.9',
    }
    for (const client of clientsOf(t, service)) {
      const { headers, status } = await client('/api/v1/auth/me', { headers: forged })
      assert.equal(status, 200)
      assert.notEqual(headers['x-request-id'], 'forged')
    }
    await service.app.written()
    assert.doesNotMatch(service.logLines.join('\n'), /forged|192\.0\.2\.9/)
  })

  it('a user who spreads uploads over all threads has the slots of one', async (t) => {
    const service = await startThreads(t)
    const { token } = await service.admin()
    const port = Number(new URL(service.url).port)
    const picture = samplePicture('jpeg turned')
    const head = `POST /api/v1/media HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${picture.length}\r\n`
    const begun: RawConnection[] = []
    t.after(() => begun.forEach((one) => one.destroy()))
    // Connections of the main thread take the slots of this user, until one more is refused; other threads ask for one later.
    for (let status = 100, tried = 0; status === 100; tried++) {
      assert.ok(tried < 100, 'no upload was refused')
      const connection = await RawConnection.open(port)
      begun.push(connection)
      connection.write(`${head}Expect: 100-continue\r\n\r\n`)
      status = (await connection.response()).status
      assert.ok(status === 100 || status === 429, String(status))
    }
    const waiting = begun.slice(0, -1)
    assert.ok(waiting.length >= UPLOADS_PER_USER_MAX)
    for (let i = 0; i < CONNECTIONS; i++) {
      const connection = await RawConnection.open(port)
      connection.write(`${head}Connection: close\r\n\r\n`)
      connection.write(picture)
      assert.equal((await connection.response()).status, 429, `connection ${i}`)
      connection.destroy()
    }
    const taken: number[] = []
    for (const connection of waiting) {
      connection.write(picture)
      taken.push((await connection.response()).status)
    }
    assert.ok(taken.filter((status) => status === 201).length >= UPLOADS_PER_USER_MAX, taken.join())
    for (const client of clientsOf(t, service)) {
      assert.equal((await client('/api/v1/media', { method: 'POST', headers: bearer(token), body: picture })).status, 201)
    }
  })

  it('a thread that is killed takes its connections with it, and nothing else', async (t) => {
    const workers = watchWorkers(t)
    const service = await startThreads(t)
    const { token } = await service.admin()
    const port = Number(new URL(service.url).port)
    const head = `POST /api/v1/data?model=topic HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`
    const open = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(port)))
    t.after(() => open.forEach((one) => one.destroy()))
    for (const connection of open) {
      connection.write(`${head}Content-Type: application/json\r\nContent-Length: 20000\r\nExpect: 100-continue\r\n\r\n`)
      assert.equal((await connection.response()).status, 100)
      connection.write('{"name":"')
    }
    const serving = workers.filter((one) => one.resourceLimits?.maxOldGenerationSizeMb === SERVING_HEAP_MB)
    assert.equal(serving.length, THREADS - 1)
    const next = once(process, 'worker')
    await (serving[0] as Worker).terminate()
    await next
    for (const client of clientsOf(t, service)) {
      const { status } = await client('/api/v1/data?model=country&limit=1', { headers: bearer(token) })
      assert.equal(status, 200)
    }
    assert.equal(await metric(service, 'dateline_thread_restarts_total'), 1)
    assert.equal(service.logLines.filter((line) => line.includes('"thread.ended"')).length, 1)
    const alive = open.filter(({ socket }) => !socket.destroyed && !socket.readableEnded)
    assert.ok(alive.length > 0 && alive.length < open.length, `${alive.length} of ${open.length} connections are left`)
    for (const connection of alive) {
      connection.write('x'.repeat(20_000 - 9 - 2) + '"}')
      assert.equal((await connection.response()).status, 400)
    }
    assert.equal(await metric(service, 'dateline_request_body_bytes'), 0)
  })
})
