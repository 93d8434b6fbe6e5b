/** The first page: how much there is, what came in lately, and what needs attention. */
import { NotFound, type RequestOptions } from '../../../client/client.ts'
import { isAdmin } from '../../../models/caller.ts'
import { headline } from '../../../models/headline.ts'
import { modelNamed } from '../../../models/registry.ts'
import type { DashboardOverview, ServiceStatus } from '../../../models/responses.ts'
import type { Model } from '../../../models/schema.ts'
import { documentsOf, labelOf, type StoredDocument } from '../../any-documents.ts'
import { dailyCounts } from '../../daily-counts.ts'
import { modelsTitle, pathOf, valueTitle } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { hrefTo } from '../../screen-url.ts'
import type { OpenScreen, ScreenContext } from '../../screen.ts'
import { locale, t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { attentionCard, foundByService } from '../../kit/attention.ts'
import { barChart } from '../../kit/bar-chart.ts'
import { h, type Child } from '../../kit/dom.ts'
import { card } from '../../kit/elements.ts'
import { ago } from '../../kit/moments.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState } from '../../kit/states.ts'
import { statusTag } from '../../kit/status-tag.ts'

const LATEST = 8

export const overviewScreen: OpenScreen = (context) => {
  const title = t('overview.title')
  const body = h('div', { class: 'overview' })
  readInto(context, {
    element: body,
    lines: [3, 7, 9],
    read: (options) => readOverview(context, options),
    show: (read) => sections(read, context),
  })
  return { title, element: h('section', {}, h('div', { class: 'screen-head' }, h('h1', {}, title)), body) }
}

interface Read {
  readonly overview: DashboardOverview
  readonly latest: readonly StoredDocument[]
  readonly status: ServiceStatus | undefined
}

/** Everything at once. What a publisher may not ask is not asked. */
async function readOverview({ client, user }: ScreenContext, options: RequestOptions): Promise<Read> {
  const [overview, page, status] = await Promise.all([
    client.dashboard.overview(options),
    documentsOf(client, headline).list({ sort: 'updatedAt:desc', limit: LATEST }, options),
    isAdmin(user) ? client.admin.status(options).catch(hideMissing) : undefined,
  ])
  return { overview, latest: page.items, status }
}

/** A service without this part shows the rest. */
function hideMissing(error: unknown): undefined {
  if (error instanceof NotFound) return undefined
  throw error
}

function sections({ overview, latest, status }: Read, { user, signal }: ScreenContext): Child {
  const models = Object.entries(overview.counts).flatMap(([name, counts]) => {
    const model = modelNamed(name)
    return model === undefined ? [] : [{ model, counts }]
  })
  const shownDays = dailyCounts(overview.hours, new Date(now()))
  const chartTitle = t('overview.perDay')
  return [
    attention(overview, status),
    h(
      'div',
      { class: 'counts' },
      models.map(({ model, counts }) => countCard(model, counts, may('replace', model, user))),
    ),
    card(h('h2', {}, chartTitle), barChart(chartTitle, shownDays, signal)),
    card(
      h('h2', {}, t('overview.latest')),
      latest.length === 0
        ? emptyState(
            'headline',
            t('overview.none'),
            h('a', { class: 'button primary', href: hrefTo([pathOf(headline), 'new']) }, t('overview.first')),
          )
        : h('ul', { class: 'latest' }, latest.map(latestItem)),
    ),
  ]
}

type Counts = DashboardOverview['counts']['headline']

function countCard(model: Model, counts: Counts, isLinked: boolean): HTMLElement {
  const link = (status: keyof Counts): Child => {
    const words = [h('strong', {}, counts[status].toLocaleString(locale())), ' ', valueTitle(status)]
    return isLinked ? h('a', { href: hrefTo([pathOf(model)], { status }) }, words) : h('span', {}, words)
  }
  const all = counts.active + counts.draft + counts.archived
  return h(
    'section',
    { class: 'card count' },
    h('h2', {}, modelsTitle(model)),
    h('p', { class: 'figure' }, all.toLocaleString(locale())),
    h('p', { class: 'parts' }, link('active'), link('draft'), link('archived')),
  )
}

/** What needs attention; nothing where all is well. */
function attention({ counts }: DashboardOverview, status: ServiceStatus | undefined): Child {
  const { draft } = counts.headline
  const operations = hrefTo(['operations'])
  const items = (status?.attention ?? []).map((item) => foundByService(item, operations))
  if (draft > 0) {
    items.push({
      href: hrefTo([pathOf(headline)], { status: 'draft' }),
      words: t('overview.drafts', { count: draft }),
    })
  }
  return items.length === 0 ? null : attentionCard('h2', items)
}

function latestItem(document: StoredDocument): HTMLElement {
  return h(
    'li',
    {},
    h('a', { href: hrefTo([pathOf(headline), document.id]) }, h('bdi', {}, labelOf(document))),
    statusTag(document['status']),
    h('span', { class: 'soft' }, ago(String(document['updatedAt']))),
  )
}
