/** What the apps and the dashboard do on an ordinary day, each with the statuses that it may get. */
import type { Random } from '../../test/support/random.ts'
import { dataPath, type Request, type TimedResponse } from '../attacks/loopback-client.ts'

export const REMOTE_CONFIG_ID = '6643b1b7a4a4e6e1a8e7b1c2'

export interface Person {
  readonly id: string
  readonly token: string
  /** The address that its requests come from. */
  readonly from: string
}

export interface World {
  readonly random: Random
  readonly send: (request: Request) => Promise<TimedResponse>
  readonly readers: readonly Person[]
  readonly editors: readonly Person[]
  readonly administrator: Person
  readonly headlineIds: readonly string[]
  readonly topicIds: readonly string[]
  readonly sourceIds: readonly string[]
  readonly newAddress: () => string
  /** The code that was mailed to a new e-mail address. */
  readonly codeFor: (email: string) => Promise<string>
}

/** One action of one person: some requests after each other. Reports each with what was wanted. */
export interface Action {
  readonly name: string
  /** How often it comes, relative to the others. */
  readonly weight: number
  run(world: World, report: ReportResponse): Promise<void>
}

/**
 * `mayWait` where a flooded service may respond with 503 and Retry-After. `isScan` where no
 * index serves a query, which then has a deadline.
 */
export type ReportResponse = (response: TimedResponse, wanted: number, options?: ReportOptions) => void

export interface ReportOptions {
  readonly mayWait?: boolean
  readonly isScan?: boolean
}

const SEARCHES = ['sea', 'town', 'umbrella', 'C++', '(', 'market', 'ferry', 'news']

function listAction(
  name: string,
  weight: number,
  query: (world: World) => Record<string, unknown>,
  options: ReportOptions = {},
): Action {
  return {
    name,
    weight,
    async run(world, report) {
      const { token, from } = world.random.pick(world.readers)
      report(await world.send({ path: dataPath(query(world)), token, from }), 200, options)
    },
  }
}

const some = ({ random }: World, ids: readonly string[]): string[] => [random.pick(ids), random.pick(ids)]

const READS: readonly Action[] = [
  listAction('feed', 12, (world) => ({
    model: 'headline',
    limit: '10',
    filter: { 'topic.id': { $in: some(world, world.topicIds) }, status: 'active' },
    sort: 'updatedAt:desc',
  })),
  listAction('page of a source', 6, (world) => ({
    model: 'headline',
    limit: '10',
    filter: { 'source.id': world.random.pick(world.sourceIds), status: 'active' },
    sort: 'updatedAt:desc',
  })),
  listAction(
    'search',
    6,
    ({ random }) => ({
      model: 'headline',
      limit: '20',
      filter: { title: { $regex: random.pick(SEARCHES), $options: 'i' } },
    }),
    { isScan: true },
  ),
  listAction('suggestions', 4, (world) => ({
    model: 'topic',
    limit: '5',
    filter: { _id: { $nin: some(world, world.topicIds) }, status: 'active' },
    sort: 'name:asc',
  })),
  listAction('choices of countries', 2, () => ({
    model: 'country',
    filter: { hasActiveHeadlines: true },
    sort: 'name:asc',
  })),
  {
    name: 'start of an app',
    weight: 6,
    async run(world, report) {
      const { id, token, from } = world.random.pick(world.readers)
      for (const path of [
        '/api/v1/auth/me',
        dataPath({ model: 'user_app_settings', userId: id }, `/${id}`),
        dataPath({ model: 'user_content_preferences', userId: id }, `/${id}`),
        dataPath({ model: 'remote_config' }, `/${REMOTE_CONFIG_ID}`),
        dataPath({ model: 'headline' }, `/${world.random.pick(world.headlineIds)}`),
      ])
        report(await world.send({ path, token, from }), 200)
    },
  },
  {
    name: 'pages of a feed',
    weight: 3,
    async run(world, report) {
      const { token, from } = world.random.pick(world.readers)
      let cursor: string | null = null
      for (let page = 0; page < 3; page++) {
        const query = { model: 'headline', filter: { status: 'active' }, sort: 'updatedAt:desc', limit: '10' }
        const response = await world.send({
          path: dataPath(cursor === null ? query : { ...query, cursor }),
          token,
          from,
        })
        report(response, 200)
        if (response.status !== 200) return
        cursor = dataOf<{ cursor: string | null }>(response).cursor
        if (cursor === null) return
      }
    },
  },
]

const WRITES: readonly Action[] = [
  {
    name: 'preferences',
    weight: 3,
    async run(world, report) {
      const { id, token, from } = world.random.pick(world.readers)
      const path = dataPath({ model: 'user_content_preferences', userId: id }, `/${id}`)
      const read = await world.send({ path, token, from })
      report(read, 200)
      if (read.status !== 200) return
      const savedHeadlines = [...new Set(some(world, world.headlineIds))].map((one) => ({ id: one }))
      const body = { ...dataOf<object>(read), savedHeadlines }
      report(await world.send({ method: 'PUT', path, token, from, body }), 200, { mayWait: true })
    },
  },
  {
    name: 'settings',
    weight: 2,
    async run(world, report) {
      const { id, token, from } = world.random.pick(world.readers)
      const path = dataPath({ model: 'user_app_settings', userId: id }, `/${id}`)
      const read = await world.send({ path, token, from })
      report(read, 200)
      if (read.status !== 200) return
      report(await world.send({ method: 'PUT', path, token, from, body: dataOf<object>(read) }), 200, { mayWait: true })
    },
  },
  {
    name: 'an editor publishes, corrects and removes',
    weight: 2,
    async run(world, report) {
      const { token, from } = world.random.pick(world.editors)
      const list = dataPath({ model: 'headline' })
      const sample = await world.send({
        path: dataPath({ model: 'headline' }, `/${world.random.pick(world.headlineIds)}`),
        token,
        from,
      })
      report(sample, 200)
      if (sample.status !== 200) return
      const body = { ...dataOf<object>(sample), title: `Written ${world.random.below(1e6)}` }
      const made = await world.send({ method: 'POST', path: list, token, from, body })
      report(made, 201)
      if (made.status !== 201) return
      const path = dataPath({ model: 'headline' }, `/${dataOf<{ id: string }>(made).id}`)
      const headers = { 'If-Match': String(made.headers['etag']) }
      const changed = { ...dataOf<object>(made), title: 'Corrected' }
      report(await world.send({ method: 'PUT', path, token, from, body: changed, headers }), 200)
      report(await world.send({ method: 'DELETE', path, token, from }), 204)
    },
  },
]

let signIns = 0

const ACCOUNTS: readonly Action[] = [
  {
    name: 'a new user signs in by mail, and goes',
    weight: 1,
    async run(world, report) {
      const email = `soak-${process.pid}-${signIns++}@example.org`
      const from = world.newAddress()
      const post = (path: string, body: object): Promise<TimedResponse> => world.send({ method: 'POST', path, body, from })
      report(await post('/api/v1/auth/request-code', { email }), 202)
      const response = await post('/api/v1/auth/verify-code', { email, code: await world.codeFor(email) })
      report(response, 200)
      if (response.status !== 200) return
      const { token } = dataOf<{ token: string }>(response)
      report(await world.send({ path: '/api/v1/auth/me', token, from }), 200)
      report(await world.send({ method: 'DELETE', path: '/api/v1/auth/delete-account', token, from }), 204)
    },
  },
  {
    name: 'a guest looks around, and goes',
    weight: 1,
    async run(world, report) {
      const from = world.newAddress()
      const response = await world.send({ method: 'POST', path: '/api/v1/auth/anonymous', body: {}, from })
      report(response, 200)
      if (response.status !== 200) return
      const { token } = dataOf<{ token: string }>(response)
      const feed = { model: 'headline', limit: '10', filter: { status: 'active' }, sort: 'updatedAt:desc' }
      report(await world.send({ path: dataPath(feed), token, from }), 200)
      report(await world.send({ method: 'DELETE', path: '/api/v1/auth/delete-account', token, from }), 204)
    },
  },
]

const ADMINISTRATION: readonly Action[] = [
  {
    name: 'the dashboard of an administrator',
    weight: 2,
    async run(world, report) {
      const { token, from } = world.administrator
      for (const path of [
        '/api/v1/dashboard/overview',
        dataPath({ model: 'dashboard_summary' }, '/dashboard_summary'),
        dataPath({ model: 'user', filter: { email: { $regex: 'reader', $options: 'i' } }, sort: 'createdAt:desc' }),
        dataPath({ model: 'headline', filter: { excerpt: { $regex: 'cheerf.lly$' } }, limit: '5' }),
        '/api/v1/admin/status',
        '/api/v1/admin/log?level=warn&limit=50',
      ])
        report(await world.send({ path, token, from }), 200, { isScan: path.startsWith('/api/v1/data?') })
    },
  },
]

export const ACTIONS: readonly Action[] = [...READS, ...WRITES, ...ACCOUNTS, ...ADMINISTRATION]

/** An action by its weight. */
export function pickAction(random: Random): Action {
  const total = ACTIONS.reduce((sum, { weight }) => sum + weight, 0)
  let at = random.below(total)
  for (const action of ACTIONS) {
    at -= action.weight
    if (at < 0) return action
  }
  throw new Error('The weights do not add up')
}

/** The payload of a response of the API. */
function dataOf<Payload>({ text }: TimedResponse): Payload {
  return (JSON.parse(text) as { data: Payload }).data
}
