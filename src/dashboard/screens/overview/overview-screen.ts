/** The first page: what there is to do, how much there is, and what came in lately. */
import { NotFound, type RequestOptions } from '../../../client/client.ts'
import { isAdmin } from '../../../models/caller.ts'
import { headline } from '../../../models/headline.ts'
import { modelNamed } from '../../../models/registry.ts'
import type { DashboardOverview, ReviewQueue, ServiceStatus } from '../../../models/responses.ts'
import type { Model } from '../../../models/schema.ts'
import { draftsOf, labelOf, type StoredDocument } from '../../any-documents.ts'
import { onDocumentsChanged } from '../../changed-documents.ts'
import { dailyCounts } from '../../daily-counts.ts'
import { modelsTitle, pathOf } from '../../model-titles.ts'
import type { Change } from '../../live-changes.ts'
import { may } from '../../permissions.ts'
import { FIRST_RUN, hrefTo } from '../../screen-url.ts'
import type { OpenScreen, ScreenContext } from '../../screen.ts'
import { locale, t } from '../../texts.ts'
import { atMostEvery, every, now } from '../../timing.ts'
import { readStatus } from '../../kit/attention.ts'
import { barChart } from '../../kit/bar-chart.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { card } from '../../kit/elements.ts'
import { ago } from '../../kit/moments.ts'
import { readInto } from '../../kit/read-into.ts'
import type { UpcomingPage } from '../scheduled/upcoming.ts'
import { dueTodayCard, readDueToday } from './due-today.ts'
import { lastChange } from './last-change.ts'
import { toDoCard } from './to-do.ts'
import { emptyState } from '../../kit/states.ts'
import { scheduledTag, statusCell } from '../../kit/status-tag.ts'

const LATEST = 8
const COUNTED = ['headline', 'topic', 'source'] as const
/** Between two looks at what has changed meanwhile. */
const REST_MS = 2_000
/** Changes do not tell of incomplete drafts. */
const LOOK_MS = 60_000

export const overviewScreen: OpenScreen = (context) => {
  const title = t('overview.title')
  const body = h('div', { class: 'overview' })
  const changed = new Set<string>()
  const { refresh } = readInto(context, {
    element: body,
    lines: [3, 7, 9],
    read: (options) => readOverview(context, options),
    show(read) {
      const shown = sections(read, context, changed)
      changed.clear()
      return shown
    },
  })
  const follow = atMostEvery(REST_MS, context.signal, refresh)
  const onChanges = (changes: readonly Change[]): void => {
    for (const { id } of changes) changed.add(id)
    follow()
  }
  const look = (): void => void (document.hidden || follow())
  context.live.follow({ changed: onChanges, missed: follow }, context.signal)
  onDocumentsChanged(follow, context.signal)
  document.addEventListener('visibilitychange', look, { signal: context.signal })
  every(LOOK_MS, context.signal, look)
  return { title, element: h('section', {}, h('div', { class: 'screen-head' }, h('h1', {}, title)), body) }
}

interface Read {
  readonly overview: DashboardOverview
  readonly latest: readonly StoredDocument[]
  readonly status: ServiceStatus | undefined
  readonly reviews: ReviewQueue
  readonly due: UpcomingPage
}

/** Everything at once. What a publisher may not ask is not asked. */
async function readOverview(context: ScreenContext, options: RequestOptions): Promise<Read> {
  const { client, user } = context
  const writable = COUNTED.filter((name) => may('replace', modelNamed(name) ?? headline, user))
  const [overview, page, status, reviews, due, ...drafts] = await Promise.all([
    client.dashboard.overview(options),
    draftsOf(client, headline).list({ sort: 'updatedAt:desc', limit: LATEST }, options),
    isAdmin(user) ? readStatus(context, options).catch(hideMissing) : undefined,
    client.dashboard.reviews(options),
    readDueToday(context, options),
    ...writable.map((name) => draftsOf(client, modelNamed(name) ?? headline).list({ filter: { status: 'draft' }, limit: 0, count: true }, options)),
  ])
  // The lists behind the figures have drafts that lack members, which the service does not count.
  const counted = writable.map((name, i) => {
    const counts = overview.counts[name]
    return [name, { ...counts, draft: Math.max(counts.draft, drafts[i]?.total ?? 0) }] as const
  })
  return { overview: { ...overview, counts: { ...overview.counts, ...Object.fromEntries(counted) } }, latest: page.items, status, reviews, due }
}

/** A service without this part shows the rest. */
function hideMissing(error: unknown): undefined {
  if (error instanceof NotFound) return undefined
  throw error
}

/** What has changed meanwhile glows once. */
function sections({ overview, latest, status, reviews, due }: Read, context: ScreenContext, changed: ReadonlySet<string>): Child {
  const { user, signal } = context
  const models = Object.entries(overview.counts).flatMap(([name, counts]) => {
    const model = modelNamed(name)
    return model === undefined ? [] : [{ model, counts }]
  })
  const shownDays = dailyCounts(overview.hours, new Date(now()))
  const chartTitle = t('overview.perDay')
  return [
    h('div', { class: 'overview-work' }, toDoCard({ overview, status, reviews, isReviewer: isAdmin(user) }), dueTodayCard(due)),
    h(
      'div',
      { class: 'overview-figures' },
      h('div', { class: 'card counts' }, models.map(({ model, counts }) => countRow(model, counts, may('replace', model, user)))),
      card(h('h2', {}, chartTitle), barChart(chartTitle, shownDays, signal)),
    ),
    card(
      h('h2', {}, t('overview.latest')),
      latest.length === 0
        ? emptyState(
            'headline',
            t('overview.none'),
            h('a', { class: 'button primary', href: hrefTo([pathOf(headline), 'new']) }, t('overview.first')),
            isAdmin(user) && h('a', { class: 'button', href: hrefTo([FIRST_RUN]) }, t('first.title')),
          )
        : h('ul', { class: 'latest' }, latest.map((one) => latestItem(one, changed.has(one.id), context))),
    ),
  ]
}

type Counts = DashboardOverview['counts']['headline']

function countRow(model: Model, counts: Counts, isLinked: boolean): HTMLElement {
  const link = (status: keyof Counts): Child => {
    const words = [t(`tab.${status}`), ' ', h('strong', {}, counts[status].toLocaleString(locale()))]
    return isLinked ? h('a', { href: hrefTo([pathOf(model)], { status }) }, words) : h('span', {}, words)
  }
  const all = counts.active + counts.draft + counts.archived
  return h(
    'section',
    { class: 'count' },
    h('h2', {}, modelsTitle(model)),
    h('p', { class: 'figure' }, all.toLocaleString(locale())),
    h('p', { class: 'parts' }, link('active'), link('draft'), link('archived')),
  )
}

function latestItem(document: StoredDocument, isGlowing: boolean, context: ScreenContext): HTMLElement {
  const who = h('span', {})
  void lastChange(headline, document, context).then((words) => fill(who, words !== '' && ` · ${words}`))
  return h(
    'li',
    { class: isGlowing && 'glow' },
    h('a', { href: hrefTo([pathOf(headline), document.id]) }, h('bdi', {}, labelOf(document))),
    scheduledTag(document) ?? statusCell(document),
    h('p', { class: 'soft' }, ago(String(document['updatedAt'])), who),
  )
}
