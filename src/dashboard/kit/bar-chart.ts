/**
 * A small chart of bars: values by day, on lines for nothing, the half and the top.
 *
 * Each bar says its value when it is pointed at; screen readers get the same numbers as a table.
 */
import { locale, t } from '../texts.ts'
import { DAYS, roundTop, type DailyCount } from '../daily-counts.ts'
import { fill, h, svg } from './dom.ts'

/** Drawn in about the size in which it is shown, so that its words are as large as others. */
const WIDTH = 720
const WIDTH_NARROW = 340
const HEIGHT = 180
const LEFT = 44
const BOTTOM = 22
const TOP = 10

/** Redrawn when the width of the page changes, as when a phone is turned. */
export function barChart(title: string, days: readonly DailyCount[], signal: AbortSignal): HTMLElement {
  const figure = h('figure', { class: 'chart' })
  const narrow = matchMedia('(width < 40rem)')
  const draw = (): HTMLElement => fill(figure, drawing(days, narrow.matches), table(title, days))
  narrow.addEventListener('change', draw, { signal })
  draw()
  return figure
}

function drawing(days: readonly DailyCount[], isNarrow: boolean): SVGElement {
  const width = isNarrow ? WIDTH_NARROW : WIDTH
  const top = roundTop(days.map(({ count }) => count))
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top)
  const step = (width - LEFT) / DAYS
  const short = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' })
  const long = longDate()
  const lines = [0, top / 2, top].map((value) => [
    svg('line', { class: value === 0 ? 'base' : 'rule', x1: LEFT, x2: width, y1: y(value), y2: y(value) }),
    svg('text', { class: 'scale', x: LEFT - 8, y: y(value) + 4, 'text-anchor': 'end' }, value.toLocaleString(locale())),
  ])
  const bars = days.map(({ day, count }, i) => {
    const x = LEFT + i * step
    const words = t('overview.dayCount', { day: long.format(day), count })
    return svg(
      'g',
      { class: i === days.length - 1 ? 'day today' : 'day' },
      svg('title', {}, words),
      svg('rect', { class: 'reach', x, y: TOP, width: step, height: HEIGHT - TOP - BOTTOM }),
      count === 0
        ? null
        : svg('rect', {
            class: 'bar',
            x: x + step * 0.16,
            y: Math.min(y(count), y(0) - 2),
            width: step * 0.68,
            height: Math.max(2, y(0) - y(count)),
            rx: 2,
          }),
    )
  })
  const marks = days.map(({ day }, i) =>
    (days.length - 1 - i) % (isNarrow ? 14 : 7) === 0
      ? svg(
          'text',
          {
            class: 'scale',
            x: LEFT + (i + 0.5) * step,
            y: HEIGHT - 5,
            'text-anchor': i === days.length - 1 ? 'end' : 'middle',
          },
          short.format(day),
        )
      : null,
  )
  return svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, 'aria-hidden': 'true' }, lines, bars, marks)
}

/** A table does not take a size, so what hides it is around it. */
function table(title: string, days: readonly DailyCount[]): HTMLElement {
  const head = h('tr', {}, h('th', { scope: 'col' }, t('overview.day')), h('th', { scope: 'col' }, title))
  const long = longDate()
  const rows = days
    .filter(({ count }) => count > 0)
    .map(({ day, count }) => h('tr', {}, h('th', { scope: 'row' }, long.format(day)), h('td', {}, String(count))))
  const whole = h('table', {}, h('caption', {}, title), h('thead', {}, head), h('tbody', {}, rows))
  return h('div', { class: 'spoken' }, whole)
}

function longDate(): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'full' })
}
