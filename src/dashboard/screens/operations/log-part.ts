/** The newest lines of the log, which follow by themselves while the screen is open and not paused. */
import type { LogLines } from '../../../models/responses.ts'
import { t } from '../../texts.ts'
import { everySeen } from '../../timing.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { tag } from '../../kit/elements.ts'
import { exactTime } from '../../kit/moments.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState } from '../../kit/states.ts'
import { newerThan, withoutOurs, type LogLine } from './log-lines.ts'
import { logSearch } from './log-search.ts'
import type { OpenPart } from './part.ts'

const LINES = 200
const REFRESH_MS = 4_000
const TONES: Readonly<Record<LogLine['level'], string>> = { debug: '', info: '', warn: 'warn', error: 'bad' }

export const logPart: OpenPart = (context) => {
  const { client, screenUrl, signal } = context
  let isPaused = false
  const turn = (): void => {
    isPaused = !isPaused
    pause.setAttribute('aria-pressed', String(isPaused))
    if (!isPaused) load()
  }
  const pause = button(t('log.pause'), turn, { 'aria-pressed': 'false' })
  const search = logSearch(screenUrl.query, { signal, onChange: () => load(), more: pause })
  const content = h('div')
  const draw = logDrawing(() => t(search.isNarrow() ? 'log.noMatch' : 'log.empty'))
  const { load, refresh } = readInto(context, {
    element: content,
    lines: 16,
    read: (options) => client.admin.log({ ...search.query(), limit: LINES }, options),
    show: draw,
  })
  everySeen(REFRESH_MS, signal, () => {
    if (!isPaused) refresh()
  })
  return {
    element: h('div', { class: 'part' }, search.element, content),
    search: search.input,
  }
}

/** Lines that are there stay the elements they are, so that a selection in them stays. */
function logDrawing(whenEmpty: () => string): (found: LogLines) => Child {
  const list = h('ol', { class: 'log divided', 'aria-label': t('operations.log') })
  let shown: readonly LogLine[] = []
  return ({ items, dropped }) => {
    const lines = withoutOurs(items)
    const count = newerThan(shown, lines)
    if (count === lines.length) fill(list, lines.map(logItem))
    else {
      list.prepend(...lines.slice(0, count).map(logItem))
      while (list.childElementCount > lines.length) list.lastElementChild?.remove()
    }
    shown = lines
    return [
      lines.length === 0 ? emptyState('check', whenEmpty()) : list,
      dropped > 0 ? h('p', { class: 'soft' }, t('log.dropped', { count: dropped })) : null,
    ]
  }
}

function logItem({ time, level, event, fields }: LogLine): HTMLElement {
  return h(
    'li',
    { class: level },
    h('span', { class: 'soft' }, exactTime(time)),
    tag(TONES[level], level),
    h(
      'p',
      { dir: 'ltr' },
      h('strong', {}, event),
      fields.map(({ name, value }) => [' ', h('span', { class: 'log-field' }, `${name}=`), h('bdi', {}, value)]),
    ),
  )
}
