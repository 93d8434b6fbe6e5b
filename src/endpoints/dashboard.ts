/** Endpoints of the dashboard besides documents. */
import { DAY_MS } from '../base/duration.ts'
import { peopleOf } from '../content/shown-people.ts'
import { headline } from '../models/headline.ts'
import { dashboardOverview, dashboardSetup, people, type DashboardOverview } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import { source } from '../models/source.ts'
import { STATUSES } from '../models/workflow.ts'
import { topic } from '../models/topic.ts'
import { endpointOn } from './endpoint.ts'
import { IDS_LIMIT, idsBody, readIds } from './ids-body.ts'
import type { Service } from './service-parts.ts'
import type { ReadStore } from '../store/read-store.ts'

/** Thirty days of every time zone, and some hours more. */
const SPAN_MS = 31 * DAY_MS

const PEOPLE_BODY = idsBody('PeopleByIds', { examples: ['66f000000000000000000601'] })

const endpoint = endpointOn<Service>('Dashboard')

export const DASHBOARD = [
  /** Hours are in UTC; days depend on the reader's time zone, so the page adds the hours up. */
  endpoint({
    route: 'GET /api/v1/dashboard/overview',
    id: 'overview',
    access: 'editor',
    whoMay: 'publishers and administrators',
    summary: 'Count items by status, and headlines by hour',
    description: 'Hours are in UTC: those of the last 31 days with a headline, by its `createdAt`.',
    response: dashboardOverview,
    client: 'dashboard.overview',
  }).handle(async ({ store, now }) => {
    const to = now()
    const [headlines, topics, sources, hours] = await Promise.all([
      statusCounts(store, headline),
      statusCounts(store, topic),
      statusCounts(store, source),
      store.documents.countByHour(headline, { from: to - SPAN_MS, to }),
    ])
    return {
      counts: { headline: headlines, topic: topics, source: sources },
      hours: hours.map(({ hour, n }) => ({ hour, headlines: n })),
    }
  }),
  endpoint({
    route: 'POST /api/v1/dashboard/people',
    id: 'people',
    access: 'editor',
    whoMay: 'publishers and administrators',
    summary: 'Read what up to 200 publishers and administrators are called',
    description: 'A name is the `displayName` of a `user`, which the user and administrators change. Ids of other users are left out, unless an administrator asks.',
    body: PEOPLE_BODY,
    bodyLimit: IDS_LIMIT,
    response: people,
    errors: ['invalidInput'],
    client: 'dashboard.people',
  }).handle(async ({ store }, exchange, { caller }) => {
    const { ids } = await exchange.readJson()
    return peopleOf(store, readIds(ids), caller)
  }),
  /** Public, so it has only what the page shows. */
  endpoint({
    route: 'GET /api/v1/dashboard/setup',
    id: 'dashboardSetup',
    access: 'visitor',
    summary: 'Read what a sign-in page needs',
    response: dashboardSetup,
    client: 'dashboard.setup',
  }).handle(async ({ auth: { accounts, setup } }) => {
    const { appName, codesBy, codeMinutes } = setup()
    return { appName, hasAdministrator: await accounts.hasAdministrator(), codesBy, codeMinutes }
  }),
]

type StatusCounts = DashboardOverview['counts']['headline']

async function statusCounts(store: Pick<ReadStore, 'documents'>, model: Model): Promise<StatusCounts> {
  const counts = store.documents.countByStatus(model)
  return Object.fromEntries(STATUSES.map((status) => [status, counts.get(status) ?? 0])) as unknown as StatusCounts
}
