/** What waits for the reader: reviews, what was returned to them, what fails, and drafts, each with the way to it. */
import type { DashboardOverview, ReviewQueue, ServiceStatus } from '../../../models/responses.ts'
import { headline } from '../../../models/headline.ts'
import { modelNamed } from '../../../models/registry.ts'
import { pathOf } from '../../model-titles.ts'
import { hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { foundByService } from '../../kit/attention.ts'
import { h, type Child } from '../../kit/dom.ts'
import { icon, type IconName } from '../../kit/icons.ts'
import { ago } from '../../kit/moments.ts'

interface ToDo {
  readonly icon: IconName
  readonly href: string | undefined
  readonly words: Child
  /** Beside the words, such as since when. */
  readonly more?: Child
}

export interface ToDoOptions {
  readonly overview: DashboardOverview
  /** Undefined where the reader may not see it. */
  readonly status: ServiceStatus | undefined
  readonly reviews: ReviewQueue
  /** Whether the reader reviews what others hand in. */
  readonly isReviewer: boolean
}

/** One line where there is nothing. */
export function toDoCard(options: ToDoOptions): HTMLElement {
  const items = toDos(options)
  return h(
    'section',
    { class: 'card to-do', 'aria-labelledby': 'to-do' },
    h('h2', { id: 'to-do' }, t('overview.toDo')),
    items.length === 0 ? h('p', { class: 'all-done' }, icon('check'), t('overview.nothingToDo')) : h('ul', {}, items.map(row)),
  )
}

function toDos({ overview, status, reviews, isReviewer }: ToDoOptions): readonly ToDo[] {
  const { isOn, total, items, returned } = reviews
  const [oldest] = items
  const drafts = overview.counts.headline.draft
  return [
    ...(isOn && isReviewer && total > 0
      ? [{ icon: 'view', href: hrefTo(['review']), words: t('overview.toReview', { count: total }), more: oldest && ago(oldest.handedInAt) } as const]
      : []),
    ...returned.map(({ model, id, title, at }) => {
      const href = hrefTo([pathOf(modelNamed(model) ?? headline), id])
      return { icon: 'back', href, words: t('overview.returned', { name: title }), more: ago(at) } as const
    }),
    ...(status?.attention ?? []).map((item) => ({ icon: 'warning', ...foundByService(item, hrefTo(['operations'])) }) as const),
    ...(drafts > 0
      ? [{ icon: 'edit', href: hrefTo([pathOf(headline)], { status: 'draft' }), words: t('overview.drafts', { count: drafts }) } as const]
      : []),
  ]
}

function row({ icon: name, href, words, more }: ToDo): HTMLElement {
  const shown = [icon(name), h('span', { class: 'to-do-words' }, words)]
  return h('li', { class: name === 'warning' && 'failing' }, href === undefined ? h('span', {}, shown) : h('a', { href }, shown), more && h('span', { class: 'soft' }, more))
}
