/** What `bench -- http` measures: requests, and the SQL that gives the same rows where one statement does. */
import { isoDate } from '../../src/base/dates.ts'
import type { Json } from '../../src/base/json.ts'
import { CODE_CHARS, CODE_PLACE, EMAIL_CHARS, EMAIL_PLACE, ID_CHARS, ID_PLACE, TIME_PLACE, type LoadJob } from './load-job.ts'
import { sendRaw } from './raw-request.ts'
import type { Target } from './bench-target.ts'
import { newHeadline } from './world.ts'

export interface Scenario {
  readonly name: string
  readonly job: Omit<LoadJob, 'port' | 'pid'>
  /** The statement that gives the same rows, and its parameters, which come in turn. */
  readonly sql?: { readonly text: string; readonly parameters: readonly (readonly string[])[] }
  /** Why it is not measured. */
  readonly skipped?: string
}

const IDS = 1_000
const DATES = 1_000
const ADMITTED_AFTER = 3
const PAGE = 'ORDER BY doc ->> \'$."updatedAt"\' DESC, id LIMIT 20'
const ACTIVE = 'SELECT doc FROM headline WHERE doc ->> \'$."status"\' = \'active\''

export async function httpScenarios({ world, port, adminToken, readerTokens }: Target): Promise<readonly Scenario[]> {
  const get = (paths: readonly string[], more = ''): readonly string[] => readRequests({ readerTokens }, paths, more)
  const [sample = ''] = get([list({ status: 'active' })])
  const reads = (name: string, requests: readonly string[], sql?: Scenario['sql']): Scenario => ({
    name,
    job: { kind: 'requests', requests, status: 200 },
    ...(sql === undefined ? {} : { sql }),
  })
  const ids = Array.from({ length: IDS }, (_, i) => world.ids[Math.floor((i * world.ids.length) / IDS)] ?? '')
  const first = list({ status: 'active' })
  const cold = list({ status: 'active', updatedAt: { $lte: TIME_PLACE } })
  const dates = Array.from({ length: DATES }, (_, i) => [isoDate(Date.now() - 3_600_000 + i * 50)])
  // A list that no other scenario changes: a write of one of its documents would end its ETag.
  const unchanged = '/api/v1/data?model=country&limit=20'
  const { etag } = (await sendRaw(port, get([unchanged])[0] ?? '')).headers
  const gzip = 'Accept-Encoding: gzip\r\n'
  const compressed = sample.replace('\r\n\r\n', `\r\n${gzip}\r\n`)
  // The first responses may come as they are: a page is compressed when it is remembered.
  for (let i = 0; i < ADMITTED_AFTER; i++) await sendRaw(port, compressed)
  const { 'content-encoding': encoding } = (await sendRaw(port, compressed)).headers
  const body = JSON.stringify(newHeadline(world))
  const publications = await publicationScenarios(port, adminToken)
  return [
    reads('by id', get(ids.map((id) => `/api/v1/data/${id}?model=headline`)), {
      text: 'SELECT doc FROM headline WHERE id = ?',
      parameters: ids.map((id) => [id]),
    }),
    reads('list, cold', get([cold]), { text: `${ACTIVE} AND doc ->> '$."updatedAt"' <= ? ${PAGE}`, parameters: dates }),
    reads('list, hot', get([first]), { text: `${ACTIVE} ${PAGE}`, parameters: [[]] }),
    {
      name: 'list, 304',
      job: { kind: 'requests', requests: get([unchanged], `If-None-Match: ${etag}\r\n`), status: 304 },
      ...(etag === undefined ? { skipped: 'lists have no ETag' } : {}),
    },
    {
      ...reads('list, gzip', get([first], gzip)),
      ...(encoding === undefined ? { skipped: 'responses are not compressed' } : {}),
    },
    reads('feed, 3 topics', get([feedPath({ world })])),
    ...publications,
    reads('search', get([list({ title: { $regex: 'harbour', $options: 'i' } })])),
    {
      name: 'create',
      job: {
        kind: 'requests',
        requests: [requestText('POST', '/api/v1/data?model=headline', { token: adminToken, body })],
        status: 201,
      },
      sql: { text: 'INSERT INTO headline (id, doc) VALUES (?, ?)', parameters: [] },
    },
    { name: 'sign-in', job: { kind: 'signIns', requests: signInRequests(SIGN_IN), status: 200 } },
  ]
}

/** A publication of all headlines, as people read it: its page, one that they have, and its feed in the coding of browsers. */
async function publicationScenarios(port: number, token: string): Promise<readonly Scenario[]> {
  // Without what another scenario creates, which would end the ETag of the page.
  const filter = JSON.stringify({ publishedAt: { $lte: isoDate(Date.now()) } })
  const body = JSON.stringify({
    ...{ name: 'bench', title: 'Bench', description: '', language: 'en', filter, sort: 'publishedAt:desc', pageSize: 30 },
    ...{ members: ['excerpt', 'source', 'topic'], visibility: 'public', isPaused: false, contact: '', rights: '' },
  })
  const { status, body: reason } = await sendRaw(port, requestText('POST', '/api/v1/data?model=publication', { token, body }))
  if (status !== 201) throw new Error(`No publication was made: ${reason.toString()}`)
  const [page, coded, feed] = [requestText('GET', '/p/bench/', {}), 'Accept-Encoding: br\r\n', '/p/bench/feed.atom']
  const { etag = '' } = (await sendRaw(port, page)).headers
  const compressed = requestText('GET', feed, { more: coded })
  for (let i = 0; i < ADMITTED_AFTER; i++) await sendRaw(port, compressed)
  const one = (name: string, requests: readonly string[], wanted = 200): Scenario => ({ name, job: { kind: 'requests', requests, status: wanted } })
  return [
    one('publication, hot', [page]),
    one('publication, 304', [requestText('GET', '/p/bench/', { more: `If-None-Match: ${etag}\r\n` })], 304),
    one('publication, feed in br', [compressed]),
  ]
}

/** The paths in turn, each reader in turn. */
export function readRequests(
  { readerTokens }: Pick<Target, 'readerTokens'>,
  paths: readonly string[],
  more = '',
): readonly string[] {
  return Array.from({ length: Math.max(paths.length, readerTokens.length) }, (_, i) =>
    requestText('GET', paths[i % paths.length] ?? '', { token: readerTokens[i % readerTokens.length] ?? '', more }),
  )
}

export function feedPath({ world }: Pick<Target, 'world'>): string {
  const topicIds = [1, 4, 8].map((i) => String(world.topics[i]?.['id']))
  return list({ 'topic.id': { $in: topicIds }, status: 'active' })
}

function list(filter: Json): string {
  const text = encodeURIComponent(JSON.stringify(filter)).replace(encodeURIComponent(TIME_PLACE), TIME_PLACE)
  return `/api/v1/data?model=headline&filter=${text}&sort=updatedAt:desc&limit=20`
}

/** The paths of the two requests of a sign-in, and their bodies. */
export interface SignInPaths {
  readonly forCode: readonly [path: string, body: (email: string) => Json]
  readonly withCode: readonly [path: string, body: (email: string, code: string, id: string) => Json]
}

const SIGN_IN: SignInPaths = {
  forCode: ['/api/v1/auth/request-code', (email) => ({ email })],
  withCode: ['/api/v1/auth/verify-code', (email, code) => ({ email, code })],
}

/** Places in the bodies are as long as what takes their place, which Content-Length counts. */
export function signInRequests({ forCode, withCode }: SignInPaths): readonly string[] {
  const [email, code, id] = [EMAIL_PLACE.padEnd(EMAIL_CHARS), CODE_PLACE.padEnd(CODE_CHARS), ID_PLACE.padEnd(ID_CHARS)]
  const texts = [
    requestText('POST', forCode[0], { body: JSON.stringify(forCode[1](email)) }),
    requestText('POST', withCode[0], { body: JSON.stringify(withCode[1](email, code, id)) }),
  ]
  return texts.map((text) => text.replace(email, EMAIL_PLACE).replace(code, CODE_PLACE).replace(id, ID_PLACE))
}

/** An email of the width that requests have room for. */
export function emailOf(n: number): string {
  return `reader-${n}@example.org`.padStart(EMAIL_CHARS, 'x')
}

interface RequestParts {
  readonly token?: string
  readonly more?: string
  readonly body?: string
}

export function requestText(method: string, path: string, { token, more = '', body }: RequestParts): string {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  const length = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}${more}${length}\r\n${body ?? ''}`
}
