/** The fields that narrow the log: words, route, level and time. They are in the URL, and the service does the search. */
import type { LogQuery } from '../../../client/client.ts'
import { mergeQuery } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { debounce } from '../../timing.ts'
import { button, h, type Child } from '../../kit/dom.ts'
import { choiceAmong, labelled, searchInput } from '../../kit/elements.ts'

const TYPING_PAUSE_MS = 300
const CHARS_MAX = 200
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
type Level = (typeof LOG_LEVELS)[number]

interface LogSearchOptions {
  readonly signal: AbortSignal
  readonly onChange: () => void
  /** Stands behind the fields. */
  readonly more: Child
}

/** `onChange` runs when the fields say something else. */
export function logSearch(first: URLSearchParams, { signal, onChange, more }: LogSearchOptions) {
  const soon = debounce(TYPING_PAUSE_MS, change)
  signal.addEventListener('abort', soon.cancel)
  const given = (name: string): string => first.get(name) ?? ''
  const typed = { maxlength: CHARS_MAX, on: { input: soon } }
  const input = searchInput({ ...typed, value: given('q'), placeholder: t('log.search') })
  const route = searchInput({ ...typed, value: given('route'), dir: 'ltr', placeholder: 'GET /api/v1/data' })
  const moment = (name: string): HTMLInputElement => h('input', { type: 'datetime-local', step: 1, value: given(name), on: { input: soon } })
  const [from, to] = [moment('from'), moment('to')]
  const wanted = LOG_LEVELS.find((one) => one === given('level')) ?? 'info'
  const level = choiceAmong(LOG_LEVELS, (one) => t(`level.${one}`), { value: wanted, on: { change } })
  const texts = [input, route, from, to]
  const clear = button(t('list.clear'), clearAll, { hidden: !isNarrow() })

  function isNarrow(): boolean {
    return texts.some(({ value }) => value !== '')
  }

  function change(): void {
    soon.cancel()
    clear.hidden = !isNarrow()
    mergeQuery({ q: input.value.trim(), route: route.value.trim(), from: from.value, to: to.value, level: level.value })
    onChange()
  }

  function clearAll(): void {
    for (const one of texts) one.value = ''
    change()
    input.focus()
  }

  return {
    element: h(
      'div',
      { class: 'audit-tools log-tools' },
      labelled(t('log.search'), input),
      labelled(t('log.route'), route),
      labelled(t('log.level'), level),
      labelled(t('log.from'), from),
      labelled(t('log.to'), to),
      h('div', { class: 'buttons' }, more, clear),
    ),
    input,
    isNarrow,
    query: (): LogQuery => ({
      level: level.value as Level,
      text: input.value.trim() || undefined,
      route: route.value.trim() || undefined,
      from: asUtc(from.value),
      to: asUtc(to.value),
    }),
  }
}

/** The reader's local time as that of the service; undefined for none. */
function asUtc(local: string): string | undefined {
  const time = new Date(local)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
