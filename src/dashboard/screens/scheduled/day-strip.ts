/** The next two weeks in a line, each day with how much happens on it; a press goes there. */
import { locale, numberText, t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { button, h } from '../../kit/dom.ts'
import { dayId } from './day-card.ts'
import { startOfDay, type Day } from './upcoming.ts'

const DAYS = 14

export function dayStrip(days: readonly Day[]): HTMLElement {
  const today = new Date(now())
  const cells = Array.from({ length: DAYS }, (_, i) => {
    const date = startOfDay(today, i)
    const count = days.find((day) => day.date?.getTime() === date.getTime())?.items.length ?? 0
    const long = date.toLocaleDateString(locale(), { weekday: 'long', day: 'numeric', month: 'long' })
    const shown = [
      h('span', { class: 'strip-weekday' }, date.toLocaleDateString(locale(), { weekday: 'short' })),
      ' ',
      h('span', { class: 'strip-day' }, date.toLocaleDateString(locale(), { day: 'numeric' })),
      ' ',
      h('span', { class: 'strip-count' }, count === 0 ? '' : numberText(count)),
    ]
    const cell = button(shown, () => goTo(date), { class: 'plain', title: long, disabled: count === 0, 'data-key': dayId(date) })
    return h('li', {}, cell)
  })
  return h('div', { class: 'strip card', role: 'group', 'aria-label': t('scheduled.days') }, h('ul', {}, cells))
}

function goTo(date: Date): void {
  const heading = document.getElementById(dayId(date))
  heading?.scrollIntoView({ block: 'start' })
  heading?.focus({ preventScroll: true })
}
