/** What the service publishes and archives by itself, as a calendar: day by day, to move and to cancel. */
import { headline } from '../../../models/headline.ts'
import { pathOf } from '../../model-titles.ts'
import { hrefTo } from '../../screen-url.ts'
import type { OpenScreen } from '../../screen.ts'
import { t } from '../../texts.ts'
import { atMostEvery, everySeen } from '../../timing.ts'
import { button, h, type Child } from '../../kit/dom.ts'
import { screenHead } from '../../kit/elements.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState } from '../../kit/states.ts'
import { dayCard } from './day-card.ts'
import { dayStrip } from './day-strip.ts'
import { scheduleChanges } from './schedule-changes.ts'
import { byDay, readUpcoming, scheduledModels, type UpcomingPage } from './upcoming.ts'

/** Rows that are read first, and with each “more”. */
const COUNT = 300
/** Between two looks at what has changed meanwhile. */
const REST_MS = 1_000
/** What was to come in a minute comes now. */
const LOOK_MS = 30_000

export const scheduledScreen: OpenScreen = (context) => {
  const { user, live, signal } = context
  const title = t('scheduled.title')
  const names = new Set(scheduledModels(user).map(({ name }) => name))
  const body = h('div', { class: 'part agenda' })
  let count = COUNT
  const reading = readInto(context, { element: body, lines: [3, 3, 3], read: (options) => readUpcoming(context, count, options), show })
  const changes = scheduleChanges(context, reading.load)
  const refresh = atMostEvery(REST_MS, signal, () => {
    // What is typed there must stay.
    if (!changes.isChanging()) reading.refresh()
  })
  live.watch(refresh, signal, ({ model }) => names.has(model))
  everySeen(LOOK_MS, signal, refresh)

  function show({ items, hasMore }: UpcomingPage): Child {
    if (items.length === 0) return nothing()
    const days = byDay(items)
    const more = (): void => {
      count += COUNT
      reading.load()
    }
    return [
      dayStrip(days),
      days.map((day) => dayCard(day, changes)),
      hasMore && h('div', { class: 'buttons' }, button(t('showMore'), more, { 'data-key': 'more' })),
    ]
  }

  const titles = (): readonly HTMLElement[] => [...body.querySelectorAll<HTMLElement>('.due-title')]
  const focused = (): number => titles().findIndex((one) => one.closest('.due')?.contains(document.activeElement))
  const step = (by: number): void => {
    const [all, at] = [titles(), focused()]
    all[at === -1 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]?.focus()
  }
  return {
    title,
    keys: { j: () => step(1), k: () => step(-1), e: () => titles()[focused()]?.click() },
    actions: () => changes.actionsOf(document.activeElement?.closest('.due') ?? null),
    element: h('section', {}, screenHead(title), h('p', { class: 'soft' }, t('scheduled.about', { zone: zone() })), body),
  }
}

function nothing(): HTMLElement {
  const drafts = h('a', { class: 'button', href: hrefTo([pathOf(headline)], { status: 'draft' }) }, t('scheduled.drafts'))
  return emptyState('calendar', t('scheduled.none'), h('p', {}, t('scheduled.noneText')), drafts)
}

/** `Europe/Copenhagen`, as people write it. */
function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')
}
