/**
 * `npm run tidy -- walk [NAME…] [--files]`: how many files and functions of src one warm request enters, by precise coverage
 * over the inspector (Profiler.takePreciseCoverage, nodejs.org/api/inspector.html). The request was answered before, so that
 * nothing is made for the first time. What other threads do is not counted. With --files each file is printed, with
 * the functions that were called in it.
 */
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { withCleanup } from '../with-cleanup.ts'
import { bodyOf } from '../tools/data-bodies.ts'
import { ADMIN_EMAIL, databaseOf, startService, type TestService } from '../../test/support/service/service.ts'

const SOURCES = `${pathToFileURL(join(import.meta.dirname, '../../src')).href}/`
const WARM_ROUNDS = 3
const TURNS_BEHIND = 10
/** Of the topic that is renamed. */
const HOLDERS = 31
/** Functions of a file, by their names; those without one are counted together. */
type Entered = ReadonlyMap<string, ReadonlySet<string>>
/** Sends a request, and resolves when all that follows from it is done. */
type Request = (round: number) => Promise<unknown>

/** Makes what the requests of a walk need. */
const WALKS: Readonly<Record<string, (client: Client) => Promise<Request>>> = {
  async get({ send, make }) {
    const id = await make('headline', headlineOf(0))
    return () => send('GET', `/data/${id}?model=headline`)
  },
  async list({ send, make }) {
    // Of another source each time: a page that was sent before is cached.
    const sources: string[] = []
    for (let i = 0; i <= WARM_ROUNDS; i++) {
      const id = await make('source', { ...bodyOf('source'), url: `https://paper-${i}.example.org` })
      for (let j = 0; j < 5; j++) await make('headline', { ...headlineOf(5 * i + j), source: { id } })
      sources.push(id)
    }
    return (round) => {
      const filter = JSON.stringify({ status: 'active', 'source.id': sources[round] })
      return send('GET', `/data?model=headline&sort=updatedAt:desc&limit=5&filter=${encodeURIComponent(filter)}`)
    }
  },
  async create({ send }) {
    return async (round) => {
      await send('POST', '/data?model=headline', headlineOf(round))
      // Jobs hear of it in the turns behind its commit, and find nothing to do.
      for (let i = 0; i < TURNS_BEHIND; i++) await turn()
    }
  },
  async rename({ service, send, make }) {
    const id = await make('topic', bodyOf('topic'))
    for (let i = 0; i < HOLDERS; i++) await make('headline', { ...headlineOf(i), topic: { id } })
    return async (round) => {
      const name = `Harbours ${round}`
      await send('PATCH', `/data/${id}?model=topic`, { name })
      await noRow(service, `SELECT 1 FROM headline WHERE doc ->> '$.topic.name' <> '${name}'`)
    }
  },
  async 'request-code'({ service, send }) {
    return async (round) => {
      await send('POST', '/auth/request-code', { email: `reader-${round}@example.org` })
      await noRow(service, 'SELECT 1 FROM outbox WHERE done_at IS NULL')
    }
  },
  async 'verify-code'({ send, service }) {
    const emails = Array.from({ length: WARM_ROUNDS + 1 }, (_, i) => `reader-${i}@example.org`)
    const codes = await Promise.all(emails.map((email) => service.codeFor(email)))
    return (round) => send('POST', '/auth/verify-code', { email: emails[round], code: codes[round] })
  },
}

export async function printWalks(words: readonly string[]): Promise<void> {
  const names = words.filter((word) => !word.startsWith('--'))
  const unknown = names.find((name) => WALKS[name] === undefined)
  if (unknown !== undefined) {
    console.error(`There is no walk ${unknown}: wanted some of ${Object.keys(WALKS).join(', ')}`)
    process.exitCode = 2
    return
  }
  for (const name of names.length > 0 ? names : Object.keys(WALKS)) {
    const entered = await enteredBy(name)
    const functions = [...entered.values()].reduce((sum, some) => sum + some.size, 0)
    console.log(`${name.padEnd(14)}${String(entered.size).padStart(4)} files ${String(functions).padStart(5)} functions`)
    if (!words.includes('--files')) continue
    for (const [file, some] of [...entered].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${file}: ${[...some].join(', ')}`)
  }
}

/** A service of its own for each walk: what one leaves behind is no work of the next. */
export async function enteredBy(name: string): Promise<Entered> {
  return withCleanup(async (cleanup) => {
    const service = await startService(cleanup)
    const request = await (WALKS[name] as (client: Client) => Promise<Request>)(await clientOf(service))
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    for (let round = 0; round < WARM_ROUNDS; round++) await request(round)
    await session.post('Profiler.takePreciseCoverage')
    await request(WARM_ROUNDS)
    const { result } = await session.post('Profiler.takePreciseCoverage')
    session.disconnect()
    const called = result.map(({ url, functions }) => {
      const names = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName || '()')
      return [url.replace(SOURCES, 'src/'), new Set(names)] as const
    })
    return new Map(called.filter(([url, names]) => url.startsWith('src/') && names.size > 0))
  })
}

/** Resolves when a statement finds no row. Its own connection enters no file of src. */
async function noRow(service: TestService, sql: string): Promise<void> {
  const database = new DatabaseSync(databaseOf(service), { readOnly: true })
  const rows = database.prepare(`${sql} LIMIT 1`)
  while (rows.get() !== undefined) await wait(1)
  database.close()
}

interface Client {
  readonly service: TestService
  /** The `data` of the response. Throws where it is none of 2xx. */
  send(method: string, path: string, body?: unknown): Promise<unknown>
  /** Creates a document, and gives its id. */
  make(model: string, body: object): Promise<string>
}

async function clientOf(service: TestService): Promise<Client> {
  const { token } = await service.signIn(ADMIN_EMAIL, { dashboard: true })
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${service.url}/api/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : (JSON.parse(text) as { readonly data: unknown }).data
  }
  const make = async (model: string, body: object): Promise<string> =>
    ((await send('POST', `/data?model=${model}`, body)) as { readonly id: string }).id
  return { service, send, make }
}

function headlineOf(i: number): object {
  return { ...bodyOf('headline'), title: `Ferry ${i} leaves port ${i * 7}`, url: `https://example.org/${i}` }
}
