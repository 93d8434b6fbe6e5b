// also: executable
/** Backups for administrators, and attacks by the names of files. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Backup } from '../../src/models/responses.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { newPerson } from '../support/cast.ts'
import { assertDescribed } from '../support/schema/described-responses.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { until } from '../support/until.ts'

const PATH = '/api/v1/admin/backups'

async function site(t: Cleanup, settings = {}, directory = temporaryDirectory(t)) {
  const service = await startService(t, settings, { directory })
  const { token } = await service.admin()
  return {
    service,
    token,
    directory: join(directory, 'data', 'backups'),
    async make() {
      const response = await service.call('POST', PATH, { token })
      assert.equal(response.status, 201, response.text)
      return response.at('data') as Backup
    },
    async list() {
      const response = await service.call('GET', PATH, { token })
      assert.equal(response.status, 200, response.text)
      return response.at('data.items') as Backup[]
    },
    /** The response to a download of this last part of the path, as it is. */
    get: (name: string, init: RequestInit = {}) =>
      fetch(`${service.url}${PATH}/${name}`, { headers: { authorization: `Bearer ${token}` }, ...init }),
  }
}

const nameOf = (day: number): string => `dateline-202601${String(day).padStart(2, '0')}T120000Z.db`

describe('backups', () => {
  it('are made, listed and downloaded, byte for byte', async (t) => {
    const { service, make, list, get, directory } = await site(t)
    assert.deepEqual(await list(), [], 'none before the first, nor a directory for them')
    const made = await make()
    assert.deepEqual(made, {
      name: 'dateline-20260301T120000Z-manual.db',
      bytes: statSync(join(directory, made.name)).size,
      createdAt: '2026-03-01T12:00:00.000Z',
    })
    assert.deepEqual(await list(), [made])
    const response = await get(made.name)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'application/vnd.sqlite3')
    assert.equal(response.headers.get('content-disposition'), `attachment; filename="${made.name}"`)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const { status, headers } = response
    assertDescribed({ method: 'GET', path: `${PATH}/${made.name}`, status, headers, text: '' })
    const bytes = Buffer.from(await response.arrayBuffer())
    const hash = (content: Buffer): string => createHash('sha256').update(content).digest('hex')
    assert.equal(hash(bytes), hash(readFileSync(join(directory, made.name))))
    const copy = join(temporaryDirectory(t), 'copy.db')
    writeFileSync(copy, bytes)
    const database = openDatabase(copy, { readOnly: true })
    assert.equal(database.get('SELECT count(*) AS n FROM user')?.['n'], 1)
    database.close()
    // The line is written when the last piece has left.
    const lines = (): Record<string, unknown>[] =>
      service.logLines.flatMap((one) => (one.includes(`${PATH}/`) ? [JSON.parse(one) as Record<string, unknown>] : []))
    await until(() => lines().length > 0)
    const [line] = lines()
    assert.deepEqual([line?.['path'], line?.['bytes']], [`${PATH}/${made.name}`, bytes.length])
  })

  it('are made one at a time: of two requests one gets 409, and one second has one name', async (t) => {
    const { service, token, list, directory } = await site(t)
    const both = await Promise.all([1, 2].map(() => service.call('POST', PATH, { token })))
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
    assert.equal(both.find(({ status }) => status === 409)?.at('error.code'), 'conflict')
    const again = await service.call('POST', PATH, { token })
    assert.match(again.error, /^conflict: A backup was made in this very second/)
    service.advance(1_000)
    assert.equal((await service.call('POST', PATH, { token })).status, 201)
    assert.equal((await list()).length, 2)
    assert.equal(readdirSync(directory).length, 2, 'and nothing half-made')
  })
})

/**
 * A script of an administrator that opens downloads and reads none of them: each held a file open, as many as there
 * were connections, until the process could open no more.
 */
describe('downloads that are not read', () => {
  /** Larger than what the sockets of both sides take in without a reader. */
  const BYTES = 64 * 1024 * 1024

  /** A download that has begun, and of which nothing more is read. */
  const begin = async (service: TestService, token: string, name: string): Promise<Socket> => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.on('error', () => {})
    const head = [`GET ${PATH}/${name} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    await once(socket, 'readable')
    const bytes = socket.read() as Buffer
    assert.match(bytes.subarray(0, 40).toString('latin1'), /^HTTP\/1\.1 200 /)
    return socket
  }

  it('are few at a time, and give their place back when their clients die', async (t) => {
    const { service, token, directory } = await site(t)
    const people = [token, ...(await Promise.all([1, 2].map(async () => (await newPerson(service, 'admin', token)).token)))]
    const [first = '', second = '', third = ''] = people
    mkdirSync(directory, { recursive: true })
    const name = nameOf(1)
    writeFileSync(join(directory, name), '')
    truncateSync(join(directory, name), BYTES)
    const sockets: Socket[] = []
    t.after(() => sockets.forEach((socket) => socket.destroy()))
    const refused = async (who: string, words: RegExp): Promise<void> => {
      const response = await service.call('GET', `${PATH}/${name}`, { token: who })
      assert.deepEqual([response.status, response.headers.get('retry-after')], [429, '30'], response.text)
      assert.match(response.error, words)
    }

    for (const who of [first, first]) sockets.push(await begin(service, who, name))
    await refused(first, /^tooManyRequests: At most 2 downloads of one user can run at once/)
    for (const who of [second, second]) sockets.push(await begin(service, who, name))
    await refused(third, /^tooManyRequests: At most 4 downloads can run at once/)
    for (const path of [PATH, '/api/v1/admin/status']) {
      assert.equal((await service.call('GET', path, { token: third })).status, 200, 'all else goes on')
    }

    // Half-way, without a word.
    sockets.shift()?.resetAndDestroy()
    const ended = (): number => service.logLines.filter((line) => line.includes('"aborted":true')).length
    await until(() => ended() > 0)
    sockets.push(await begin(service, third, name))
    await refused(second, /At most 2 downloads of one user/)
    for (const socket of sockets) socket.destroy()
    await until(() => ended() >= 5)
    for (const name of ['nothing', nameOf(2), nameOf(3)]) {
      assert.equal((await service.call('GET', `${PATH}/${name}`, { token: first })).status, 404, 'which holds no place')
    }
    for (const who of [first, first, second, second]) sockets.push(await begin(service, who, name))
    // A service that stops waits for its downloads.
    for (const socket of sockets) socket.destroy()
  })
})

describe('a hostile name of a backup', () => {
  it('reaches no file outside, and no link, device or directory inside', async (t) => {
    const { service, make, get, directory, list } = await site(t)
    const { name } = await make()
    const [link, hard, shared, device] = [nameOf(3), nameOf(4), nameOf(5), nameOf(6)]
    symlinkSync(join(service.directory, 'data', 'secrets'), join(directory, link))
    // The database itself must not be opened and closed again by anybody but SQLite.
    const data = join(service.directory, 'data')
    linkSync(join(data, 'dateline.db'), join(directory, hard))
    linkSync(join(data, 'dateline.db-shm'), join(directory, shared))
    symlinkSync('/dev/zero', join(directory, device))
    assert.deepEqual((await list()).map((one) => one.name), [name])
    for (const hostile of [
      ...[link, hard, shared, device],
      ...['..%2fsecrets', '..%2Fdateline.db', '%2e%2e%2fdateline.db', '..%5csecrets', '%2fetc%2fpasswd'],
      ...[`${name}%00`, `${name}%00.db`, `%00${name}`, `.%2f${name}`, `${name}%2f`, `${name}%2f..%2f..%2fsecrets`],
      ...[`${name}%20`, name.toUpperCase(), `%20${name}`, '.', '%2e', 'C:%5csecrets', 'x'.repeat(5_000)],
      ...['dateline.db', 'secrets', `${name}-wal`, '*', 'dateline-*', '%F0%9F%92%A9', '__proto__'],
    ]) {
      const response = await get(hostile)
      const text = await response.text()
      assert.ok([400, 404].includes(response.status) || hostile === '.' || hostile === '%2e', `${hostile} ${text}`)
      assert.ok(!text.includes('SQLite format'), hostile)
    }
    assert.equal((await get(name)).status, 200)
    assert.equal((await service.call('GET', '/readyz')).status, 200)
  })
})
