/** What stands in the place of content that is not there: yet, at all, or because something failed. */
import { DatelineError } from '../../client/client.ts'
import { failureText, problemOf, problemText } from '../problem-text.ts'
import { t } from '../texts.ts'
import { button, fill, h, type Child } from './dom.ts'
import { focusMain } from './focus.ts'
import { icon, type IconName } from './icons.ts'

/** Grey lines of about the size of what comes, so that nothing jumps. They are seen after a moment: what comes at once has none. */
export function skeleton(lines: number): HTMLElement {
  return h(
    'div',
    { class: 'skeleton', role: 'status' },
    h('p', { class: 'spoken' }, t('loading')),
    Array.from({ length: lines }, () => h('span', {})),
  )
}

export function emptyState(iconName: IconName, title: string, ...more: readonly Child[]): HTMLElement {
  return h('div', { class: 'state' }, icon(iconName), h('p', { class: 'state-title' }, title), more)
}

/** The words of a failure and a button that tries again. */
export function failureState(error: unknown, retry: () => void): HTMLElement {
  // The button goes.
  const tryAgain = (): void => {
    focusMain()
    retry()
  }
  const element = h(
    'div',
    { class: 'state failed', role: 'alert' },
    icon('warning'),
    h('p', { class: 'state-title' }, failureTitle(error)),
    h('p', {}, isUnanswered(error) && navigator.onLine ? t('failure.noAnswer') : errorText(error)),
    button([icon('refresh'), t('tryAgain')], tryAgain),
  )
  const again = (): void => {
    if (element.isConnected) retry()
  }
  if (!navigator.onLine) addEventListener('online', again, { once: true })
  return element
}

/** For a list of which search and filters leave nothing. */
export function nothingFound(clear: () => void): HTMLElement {
  return emptyState('search', t('list.nothing'), button(t('list.clear'), clear))
}

/** What to tell a reader of any error: in their language, as far as the page has a text for it. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (isUnanswered(error)) return navigator.onLine ? t('failure.network') : t('failure.offline')
  if (!(error instanceof DatelineError)) return error.message
  const problem = problemOf(error)
  return problem === undefined ? failureText(error) : problemText({ ...problem, message: error.message })
}

/** Runs work. What goes wrong stands in the line until the next try; an abort says nothing. */
export async function orTell(line: HTMLElement, work: () => Promise<void>, wordsOf: (error: unknown) => Child = errorText): Promise<void> {
  fill(line)
  try {
    await work()
  } catch (error) {
    if (!isAbort(error)) fill(line, wordsOf(error))
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

function failureTitle(error: unknown): string {
  return isUnanswered(error) ? t('failure.network') : t('failure.title')
}

function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.name === 'NetworkError'
}
