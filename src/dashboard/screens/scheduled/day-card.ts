/** What happens on one day, in the zone and the language of the reader. */
import { labelOf, memberOf, type StoredDocument } from '../../any-documents.ts'
import { pathOf } from '../../model-titles.ts'
import { hrefTo } from '../../screen-url.ts'
import { locale, t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { button, h, type Child } from '../../kit/dom.ts'
import { tag } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { ago } from '../../kit/moments.ts'
import type { ScheduleChanges } from './schedule-changes.ts'
import { startOfDay, type Day, type Upcoming } from './upcoming.ts'

/** Days that have a name of their own: today and tomorrow. */
const NAMED_DAYS = 2
const NEAR_MS = 24 * 3_600_000

export function dayId(date: Date): string {
  return `day-${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`
}

export function dayCard({ date, items }: Day, changes: ScheduleChanges): HTMLElement {
  const rows = h('ul', { class: 'divided' }, items.map((one) => row(one, changes)))
  if (date === undefined) {
    const head = h('h2', { class: 'due-day-name' }, icon('warning'), t('scheduled.overdue'))
    return h('section', { class: 'day card overdue' }, h('div', { class: 'day-head' }, head), rows)
  }
  const part = (options: Intl.DateTimeFormatOptions): string => date.toLocaleDateString(locale(), options)
  const name = nameOf(date)
  const isToday = date.getTime() === startOfDay(new Date(now())).getTime()
  const long = part({ weekday: 'long', day: 'numeric', month: 'long', ...(date.getFullYear() !== new Date(now()).getFullYear() && { year: 'numeric' }) })
  return h(
    'section',
    { class: ['day card', name !== undefined && 'named', isToday && 'today'].filter(Boolean).join(' ') },
    h(
      'div',
      { class: 'day-head' },
      h('span', { class: 'day-number', 'aria-hidden': 'true' }, part({ day: 'numeric' })),
      h('h2', { id: dayId(date), tabindex: -1 }, name !== undefined && h('span', { class: 'due-day-name' }, name), ' ', h('span', { class: 'day-date' }, long)),
    ),
    rows,
  )
}

/** “Today”, as the language writes it at the beginning of a line. */
function nameOf(date: Date): string | undefined {
  const today = new Date(now())
  const days = Array.from({ length: NAMED_DAYS }, (_, i) => startOfDay(today, i).getTime()).indexOf(date.getTime())
  if (days === -1) return undefined
  const name = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(days, 'day')
  return name.charAt(0).toLocaleUpperCase(locale()) + name.slice(1)
}

function row(one: Upcoming, changes: ScheduleChanges): HTMLElement {
  const { key, model, document, what, at, isOverdue, reason } = one
  const title = labelOf(document)
  const kind = what === 'publishAt' ? tag('good', t('turn.active')) : tag('', t('turn.archived'))
  const element = h(
    'li',
    { class: 'due' },
    time(at, isOverdue),
    h(
      'div',
      { class: 'due-what' },
      h('a', { class: 'due-title', href: hrefTo([pathOf(model), document.id]), 'data-key': key }, h('bdi', {}, title)),
      h('p', { class: 'soft due-about' }, about(document)),
      isOverdue && h('p', { class: 'due-problem' }, reason ?? t('scheduled.waiting')),
    ),
    h('div', { class: 'due-kind' }, kind),
    isNear(at) && h('div', { class: 'soft due-when' }, ago(at)),
    h(
      'div',
      { class: 'due-tools' },
      changes.mayMove(one) && button([icon('calendar'), h('span', {}, t('scheduled.change'))], () => changes.open(element, one), {
        class: 'plain small',
        'aria-label': t('pair', { name: t('scheduled.change'), value: title }),
        'data-key': `change ${key}`,
      }),
      changes.mayCancel(one) && button([icon('close'), h('span', {}, t('scheduled.cancel'))], () => void changes.cancel(element, one), {
        class: 'plain small',
        'aria-label': t('pair', { name: t('scheduled.cancel'), value: title }),
        'data-key': `cancel ${key}`,
      }),
    ),
  )
  changes.belong(element, one)
  return element
}

/** Farther away, the day says it. */
function isNear(at: string): boolean {
  return Math.abs(Date.parse(at) - now()) < NEAR_MS
}

function time(at: string, isOverdue: boolean): HTMLElement {
  const date = new Date(at)
  const style = isOverdue ? ({ dateStyle: 'short', timeStyle: 'short' } as const) : ({ timeStyle: 'short' } as const)
  return h('time', { class: 'due-time', datetime: at, title: date.toLocaleString(locale(), { dateStyle: 'full', timeStyle: 'long' }) }, date.toLocaleString(locale(), style))
}

/** Source and topic, as far as they are there. */
function about(document: StoredDocument): Child {
  const names = ['source', 'topic'].flatMap((member) => {
    const name = memberOf(document[member], 'name')
    return typeof name === 'string' && name !== '' ? [h('bdi', {}, name)] : []
  })
  return names.flatMap((name, i) => (i === 0 ? [name] : [' · ', name]))
}
