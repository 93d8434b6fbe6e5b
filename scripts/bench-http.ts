/**
 * `npm run bench -- http [N]`: requests a second for an item by id, on a warm service with N headlines (default
 * 100,000), as a ratio to a bare node:http server that sends the same bytes. Both run alone on the same core, where
 * `taskset` is there; the load comes from this process over keep-alive connections, the two in turn.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock } from '../src/base/clock.ts'
import { isoDate } from '../src/base/dates.ts'
import { idGenerator } from '../src/base/ids.ts'
import { createLog } from '../src/base/log.ts'
import type { JsonObject } from '../src/base/json.ts'
import { openServices } from '../src/app/services.ts'
import { readConfig } from '../src/config/read-config.ts'
import { sampleContent } from '../src/content/sample.ts'
import { countrySeeds, languageSeeds } from '../src/content/seeds.ts'
import { headline } from '../src/models/headline.ts'
import { SYSTEM } from '../src/store/actor.ts'

const HEADLINES_DEFAULT = 100_000
const BATCH = 5_000
const CONNECTIONS = 32
const ROUND_MS = 3_000
const ROUNDS = 3
const IDS_ASKED = 1_000

export async function benchHttp([count = String(HEADLINES_DEFAULT)]: readonly string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-bench-'))
  const servers: ChildProcess[] = []
  try {
    const { token, ids } = await fillHeadlines(directory, Number(count))
    const service = await start(servers, ['src/main.ts', 'serve', '--port', '0', '--data-dir', directory])
    const paths = ids.map((id) => `/api/v1/data/${id}?model=headline`)
    const sample = await fetch(`http://127.0.0.1:${service}${paths[0] ?? ''}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const bare = await start(servers, [bareServer(directory, await sample.text())])
    const rates = { bare: [] as number[], service: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      rates.bare.push(await load(bare, paths, token))
      rates.service.push(await load(service, paths, token))
    }
    const [floor, ours] = [median(rates.bare), median(rates.service)]
    console.log(
      `by id, ${count} headlines: ${Math.round(ours)} requests/s, bare node:http ${Math.round(floor)}/s, ratio ${(ours / floor).toFixed(2)}`,
    )
  } finally {
    for (const server of servers) server.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Writes the headlines and an administrator, who has no rate limit. */
export async function fillHeadlines(
  directory: string,
  count: number,
): Promise<{ token: string; ids: readonly string[] }> {
  const config = readConfig(new Map([['dataDir', directory]]), {})
  const log = createLog({
    level: 'error',
    format: 'json',
    now: systemClock,
    write: (text) => void process.stderr.write(text),
  })
  const { store, accounts, sessions } = await openServices(
    config,
    { jwtSecret: undefined },
    { now: systemClock, log, own: true },
  )
  const { headlines } = sampleContent({ now: systemClock(), countries: countrySeeds(), languages: languageSeeds() })
  const newId = idGenerator(systemClock)
  const ids: string[] = []
  for (let done = 0; done < count; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - done) }, (_, i) => {
      const id = newId()
      ids.push(id)
      const updatedAt = isoDate(systemClock() - (done + i) * 1000)
      const value: JsonObject = { ...headlines[(done + i) % headlines.length], id, updatedAt }
      return { id, value }
    })
    await store.as(SYSTEM).insertMissing(headline, batch)
  }
  const [email, now] = ['bench@example.org', systemClock()]
  await accounts.ensureAdmin(email, now, SYSTEM)
  const token = await sessions.issue(String((await store.userByEmail(email))?.['id']), { label: 'benchmark', now })
  await store.close()
  return {
    token,
    ids: Array.from({ length: IDS_ASKED }, (_, i) => ids[Math.floor((i * ids.length) / IDS_ASKED)] ?? ''),
  }
}

/** A server that does nothing but send the same bytes. */
function bareServer(directory: string, body: string): string {
  const file = join(directory, 'bare.mjs')
  writeFileSync(
    file,
    `import { createServer } from 'node:http'
    const body = ${JSON.stringify(body)}
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) }
    const server = createServer((request, response) => { response.writeHead(200, headers); response.end(body) })
    server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))`,
  )
  return file
}

/** Starts a server on the first core and gives its port. Its log goes nowhere, but is written. */
async function start(servers: ChildProcess[], words: readonly string[]): Promise<number> {
  const pinned = spawnSync('taskset', ['--version']).status === 0
  const [command, ...rest] = [...(pinned ? ['taskset', '-c', '0'] : []), process.execPath, ...words]
  const server = spawn(command ?? '', rest, { stdio: ['ignore', 'pipe', 'ignore'] })
  servers.push(server)
  for await (const line of createInterface({ input: server.stdout })) return (JSON.parse(line) as { port: number }).port
  throw new Error('The server ended before it was ready')
}

/** Answers a second, over keep-alive connections that each ask again when the answer is there. */
async function load(port: number, paths: readonly string[], token: string): Promise<number> {
  let [answers, next, isOver] = [0, 0, false]
  const sockets: Socket[] = []
  const ask = (socket: Socket): void => {
    const path = paths[next++ % paths.length] ?? ''
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  }
  const done = Array.from({ length: CONNECTIONS }, () => {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
    sockets.push(socket)
    let missing = 0
    socket.on('data', (chunk: Buffer) => {
      let rest = chunk
      if (missing === 0) {
        const end = chunk.indexOf('\r\n\r\n')
        const head = chunk.toString('latin1', 0, end)
        if (!head.startsWith('HTTP/1.1 200')) throw new Error(head)
        missing = Number(/content-length: (\d+)/i.exec(head)?.[1])
        rest = chunk.subarray(end + 4)
      }
      missing -= rest.length
      if (missing > 0) return
      answers++
      if (isOver) socket.destroy()
      else ask(socket)
    })
    socket.once('connect', () => ask(socket))
    return new Promise((resolve) => socket.once('close', resolve))
  })
  // A client that sleeps has to be woken by the server's write, which would be counted as the server's work.
  const stayAwake = (): void => void (isOver || setImmediate(stayAwake))
  stayAwake()
  await new Promise((resolve) => setTimeout(resolve, ROUND_MS / 3))
  const [before, since] = [answers, performance.now()]
  await new Promise((resolve) => setTimeout(resolve, ROUND_MS))
  const rate = (answers - before) / ((performance.now() - since) / 1000)
  isOver = true
  await Promise.all(done)
  return rate
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
