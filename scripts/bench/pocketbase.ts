/**
 * PocketBase with the same headlines: indexes for the same queries, embedded records as JSON columns, no limits on
 * requests, no log, lists that count nothing, and reads that need no token.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { JsonObject } from '../../src/base/json.ts'
import type { BenchRoom } from './bench-processes.ts'
import type { ServerAddress } from './bench-target.ts'
import { emailOf, requestText, signInRequests } from './http-scenarios.ts'
import { TIME_PLACE, type LoadJob } from './load-job.ts'
import { launchPocketBase, type PocketBaseCall } from './pocketbase-process.ts'
import type { World } from './world.ts'

const USERS = 5_000
/** It takes seconds for 64 sign-ins at once. */
const SIGN_IN_MS = 5_000
const IDS = 1_000
const TEXTS = ['title', 'excerpt', 'url', 'imageUrl', 'topicId', 'status', 'createdAt', 'updatedAt']
const OBJECTS = ['source', 'topic', 'eventCountry']
const ORDER = 'perPage=20&skipTotal=1&sort=-updatedAt'
const INDEXES = [
  'CREATE INDEX headline_status ON headline (status, updatedAt DESC)',
  'CREATE INDEX headline_topic ON headline (topicId, status, updatedAt DESC)',
]

export interface Peer extends ServerAddress {
  /** By the names of our scenarios. */
  readonly jobs: ReadonlyMap<string, Omit<LoadJob, 'port' | 'pid'>>
}

export interface PeerOptions {
  /** Of its data directory. */
  readonly name: string
  readonly binary: string
  readonly world: World
  readonly mailPort: number
}

export async function startPocketBase(room: BenchRoom, { name, binary, world, mailPort }: PeerOptions): Promise<Peer> {
  const { pid, port, file, token, call } = await launchPocketBase(room, { name, binary })
  await configure(call, mailPort)
  fill(file, world)
  return { pid, port, jobs: jobsOf(world, token) }
}

/**
 * A copy of the binary that syncs each commit, as our service does. It has no setting for that, so the text that opens
 * its databases is changed, at the same length.
 */
export function syncingCopy(binary: string, copy: string): string {
  const [shipped, synced] = ['synchronous(NORMAL)', 'synchronous(  FULL)']
  const bytes = readFileSync(binary)
  const at = bytes.indexOf(shipped)
  if (at < 0) throw new Error(`Cannot find "${shipped}" in "${binary}"`)
  bytes.write(synced, at)
  writeFileSync(copy, bytes, { mode: 0o700 })
  return copy
}

async function configure(call: PocketBaseCall, mailPort: number): Promise<void> {
  const smtp = { enabled: true, host: '127.0.0.1', port: mailPort, tls: false }
  const settings = { smtp, rateLimits: { enabled: false }, logs: { maxDays: 0 } }
  await call('PATCH', '/api/settings', settings)
  const emailTemplate = { subject: 'Code {OTP}', body: '<p>{OTP}</p>' }
  const otp = { enabled: true, duration: 300, length: 6, emailTemplate }
  await call('PATCH', '/api/collections/users', { otp, authAlert: { enabled: false } })
  const fields = [
    ...TEXTS.map((name) => ({ name, type: 'text' })),
    ...OBJECTS.map((name) => ({ name, type: 'json' })),
  ]
  const rules = { listRule: '', viewRule: '' }
  await call('POST', '/api/collections', { name: 'headline', type: 'base', fields, indexes: INDEXES, ...rules })
}

/** Rows as PocketBase itself would store them. */
function fill(file: string, world: World): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('BEGIN IMMEDIATE')
    const columns = ['id', ...TEXTS, ...OBJECTS]
    const insert = database.prepare(`INSERT INTO headline (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
    for (let i = 0; i < world.count; i++) {
      const item = rowOf(world.template(i))
      insert.run(idOf(i), ...TEXTS.map((name) => String(item[name])), ...OBJECTS.map((name) => JSON.stringify(item[name])))
    }
    const user = database.prepare('INSERT INTO users (id, email, password, tokenKey, verified) VALUES (?, ?, ?, ?, 1)')
    for (let i = 0; i < USERS; i++) user.run(idOf(i), emailOf(i), 'none', String(i).padStart(50, 'k'))
    database.exec('COMMIT; ANALYZE')
  } finally {
    database.close()
  }
}

function rowOf(item: JsonObject): JsonObject {
  return { ...item, topicId: (item['topic'] as JsonObject)['id'] ?? '' }
}

const idOf = (i: number): string => `h${String(i).padStart(14, '0')}`

function jobsOf(world: World, token: string): Peer['jobs'] {
  const records = '/api/collections/headline/records'
  const reads = (requests: readonly string[]): Omit<LoadJob, 'port' | 'pid'> => ({ kind: 'requests', requests, status: 200 })
  const list = (filter: string): Omit<LoadJob, 'port' | 'pid'> => {
    const text = encodeURIComponent(filter).replace(encodeURIComponent(TIME_PLACE), TIME_PLACE)
    return reads([requestText('GET', `${records}?${ORDER}&filter=${text}`, {})])
  }
  const topics = [1, 4, 8].map((i) => `topicId='${String(world.topics[i]?.['id'])}'`).join('||')
  const byId = Array.from({ length: IDS }, (_, i) => idOf(Math.floor((i * world.count) / IDS)))
  const body = JSON.stringify(rowOf({ ...world.template(0), id: null }), (name, value: unknown) => (name === 'id' && value === null ? undefined : value))
  const signIns = signInRequests({
    forCode: ['/api/collections/users/request-otp', (email) => ({ email })],
    withCode: ['/api/collections/users/auth-with-otp', (_, code, id) => ({ otpId: id, password: code })],
  })
  const emails = Array.from({ length: USERS }, (_, i) => emailOf(i))
  return new Map([
    ['by id', reads(byId.map((id) => requestText('GET', `${records}/${id}`, {})))],
    ['list, cold', list(`status='active'&&updatedAt<='${TIME_PLACE}'`)],
    ['list, hot', list("status='active'")],
    ['feed, 3 topics', list(`(${topics})&&status='active'`)],
    ['search', list("title~'harbour'")],
    ['create', { ...reads([requestText('POST', records, { token, body })]) }],
    ['sign-in', { kind: 'signIns', requests: signIns, status: 200, emails, windowMs: SIGN_IN_MS }],
  ])
}
