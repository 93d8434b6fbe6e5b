/**
 * A small chart of bars: values by day, on lines at round values.
 *
 * The day under the pointer or finger says its value; screen readers get the same numbers as a table.
 */
import { locale, numberText, t } from '../texts.ts'
import { DAYS, scaleOf, type DailyCount } from '../daily-counts.ts'
import { fill, h, svg } from './dom.ts'

/** Where its width is not known yet; below NARROW fewer days are named. */
const WIDTH = 720
const NARROW = 480
const HEIGHT = 200
const LEFT = 44
const BOTTOM = 22
const TOP = 10

/** Drawn in the width that it has, so that it fills it and its words are as large as others; drawn again when that changes. */
export function barChart(title: string, days: readonly DailyCount[], signal: AbortSignal): HTMLElement {
  const figure = h('figure', { class: 'chart', on: { pointermove: point, pointerdown: point, pointerleave: leave } })
  const tip = h('p', { class: 'chart-tip', 'aria-hidden': 'true', hidden: true })
  let drawn = 0
  const draw = (width: number): void => {
    if (width === drawn) return
    drawn = width
    leave()
    fill(figure, drawing(days, width), tip, table(title, days))
  }
  const observer = new ResizeObserver(([entry]) => draw(Math.round(entry?.contentRect.width ?? 0) || WIDTH))
  observer.observe(figure)
  signal.addEventListener('abort', () => observer.disconnect())
  draw(WIDTH)
  return figure

  function point({ clientX }: PointerEvent): void {
    const { left, width } = figure.getBoundingClientRect()
    const step = (width - LEFT) / DAYS
    const i = Math.floor((clientX - left - LEFT) / step)
    const day = days[i]
    if (day === undefined) return leave()
    mark(i)
    tip.textContent = t('overview.dayCount', { day: longDate().format(day.day), count: day.count })
    tip.hidden = false
    // The drawing goes from the left in every language.
    const half = tip.offsetWidth / 2
    tip.style.left = `${Math.max(0, Math.min(width - tip.offsetWidth, LEFT + (i + 0.5) * step - half))}px`
  }

  function leave(): void {
    tip.hidden = true
    mark(-1)
  }

  function mark(at: number): void {
    for (const [i, bar] of figure.querySelectorAll('.day').entries()) bar.classList.toggle('pointed', i === at)
  }
}

function drawing(days: readonly DailyCount[], width: number): SVGElement {
  const isNarrow = width < NARROW
  const scale = scaleOf(days.map(({ count }) => count))
  const top = scale.at(-1) ?? 1
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top)
  const step = (width - LEFT) / DAYS
  const short = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' })
  const lines = scale.map((value) => [
    svg('line', { class: value === 0 ? 'base' : 'rule', x1: LEFT, x2: width, y1: y(value), y2: y(value) }),
    svg('text', { class: 'scale', x: LEFT - 8, y: y(value) + 4, 'text-anchor': 'end' }, numberText(value)),
  ])
  const bars = days.map(({ count }, i) => {
    const x = LEFT + i * step
    return svg(
      'g',
      { class: i === days.length - 1 ? 'day today' : 'day' },
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
