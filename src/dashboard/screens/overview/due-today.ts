/** What the service publishes and archives today by itself, and what it should have and could not. */
import type { RequestOptions } from '../../../client/client.ts'
import { labelOf } from '../../any-documents.ts'
import { pathOf } from '../../model-titles.ts'
import { hrefTo, SCHEDULED } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { locale, t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { h, type Child } from '../../kit/dom.ts'
import { card } from '../../kit/elements.ts'
import { readUpcoming, startOfDay, type Upcoming, type UpcomingPage } from '../scheduled/upcoming.ts'

const SHOWN = 6

/** In the zone of the reader. */
export function readDueToday(context: ScreenContext, options: RequestOptions): Promise<UpcomingPage> {
  return readUpcoming(context, SHOWN, options, startOfDay(new Date(now()), 1))
}

/** Nothing where nothing is due. */
export function dueTodayCard({ items, hasMore }: UpcomingPage): Child {
  if (items.length === 0) return null
  const isMore = hasMore || items.length > SHOWN
  return card(
    h('h2', { id: 'due-today' }, t('overview.today')),
    h('ul', { class: 'due-today', 'aria-labelledby': 'due-today' }, items.slice(0, SHOWN).map(row)),
    h('p', {}, h('a', { href: hrefTo([SCHEDULED]) }, t(isMore ? 'overview.moreScheduled' : 'overview.allScheduled'))),
  )
}

function row({ model, document, what, at, isOverdue }: Upcoming): HTMLElement {
  const date = new Date(at)
  const style = isOverdue ? ({ dateStyle: 'short', timeStyle: 'short' } as const) : ({ timeStyle: 'short' } as const)
  const kind = isOverdue ? t('scheduled.overdue') : t(what === 'publishAt' ? 'turn.active' : 'turn.archived')
  return h(
    'li',
    {},
    h('time', { datetime: at }, date.toLocaleString(locale(), style)),
    h('a', { href: hrefTo([pathOf(model), document.id]) }, h('bdi', {}, labelOf(document))),
    h('span', { class: `tag ${isOverdue ? 'bad' : what === 'publishAt' ? 'good' : ''}` }, kind),
  )
}
