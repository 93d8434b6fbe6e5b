/**
 * Short words at the edge of the page about what has just happened, and a way to take it back.
 *
 * They are read out by screen readers, stay while they are pointed at or focused, and never hold something that is
 * only there: a failure that concerns a field stands at the field.
 */
import { t } from '../texts.ts'
import { after } from '../timing.ts'
import { button, fill, h } from './dom.ts'
import { focusMain, hasFocus, keepFocus } from './focus.ts'
import { icon } from './icons.ts'
import { isAbort, errorText } from './states.ts'

const SHOWN_MS = 6_000
/** The oldest make room. */
const NOTICES_MAX = 4

export type NoticeKind = 'done' | 'failed' | 'plain'

export interface NoticeOptions {
  readonly kind?: NoticeKind
  /** A button in the notice, as to undo. */
  readonly action?: { readonly label: string; run(): void }
  /** Runs when the notice goes without its action having been chosen. */
  readonly onGone?: () => void
  /** Infinity for one that stays until it is dismissed. */
  readonly shownMs?: number
}

/** Says that something failed, unless it was aborted. */
export function notifyFailure(error: unknown): void {
  if (!isAbort(error)) notify(errorText(error), { kind: 'failed' })
}

/** Takes a notice away before its time; its onGone runs. */
export type Dismiss = () => void

const list = h('div', { class: 'notices', role: 'region', 'aria-live': 'polite' })

/** Shows a notice. Failures are announced immediately. */
export function notify(
  text: string,
  { kind = 'plain', action, onGone, shownMs = SHOWN_MS }: NoticeOptions = {},
): Dismiss {
  if (!list.isConnected) keepNotices()
  let isOver = false
  let stop = (): void => {}
  const end = (how: 'gone' | 'chosen'): void => {
    if (isOver) return
    isOver = true
    stop()
    keepFocus(
      element,
      () => element.remove(),
      () => (cameFrom?.isConnected === true ? cameFrom.focus() : focusMain()),
    )
    if (how === 'gone') onGone?.()
  }
  const wait = (): void => {
    stop()
    if (shownMs !== Infinity) stop = after(shownMs, () => end('gone'))
  }
  const hold = (): void => stop()
  // The pointer may be on it while the focus is elsewhere, and the other way round.
  const leave = (): void => {
    if (!hasFocus(element)) wait()
  }
  const blur = (): void => {
    if (!element.matches(':hover')) wait()
  }
  let cameFrom: HTMLElement | undefined
  const enter = ({ relatedTarget }: FocusEvent): void => {
    hold()
    if (relatedTarget instanceof HTMLElement && !list.contains(relatedTarget)) cameFrom = relatedTarget
  }
  const element = h(
    'div',
    {
      class: `notice ${kind}`,
      role: kind === 'failed' ? 'alert' : 'status',
      on: { mouseenter: hold, mouseleave: leave, focusin: enter, focusout: blur },
    },
    kind === 'plain' ? null : icon(kind === 'done' ? 'check' : 'warning'),
    h('span', { class: 'notice-text' }, text),
  )
  if (action !== undefined) {
    const choose = (): void => {
      end('chosen')
      action.run()
    }
    element.append(button(action.label, choose, { class: 'link' }))
  }
  element.append(button(icon('close'), () => end('gone'), { class: 'plain small', 'aria-label': t('close') }))
  list.append(element)
  const all = [...list.children]
  if (all.length > NOTICES_MAX) all[0]?.querySelector<HTMLElement>('button.plain')?.click()
  // A dialog makes everything outside of it inert: there, the notices stand inside.
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
  if (dialog !== undefined && list.parentElement !== dialog) dialog.append(list)
  wait()
  return () => end('gone')
}

/** Does what the newest notice offers, as its button does. */
export function takeBack(): void {
  ;[...list.querySelectorAll<HTMLElement>('.link')].at(-1)?.click()
}

/** Moves the notices back to the page when a dialog that holds them goes. */
export function rescueNotices(dialog: Element): void {
  if (list.parentElement === dialog) keepNotices()
}

/** Puts the notices into a rebuilt page, so that an undo is not lost with the old one. */
export function keepNotices(): void {
  list.setAttribute('aria-label', t('notices.label'))
  document.body.append(list)
}

/** For tests and for a new sign-in: nothing of the session before stays readable. */
export function clearNotices(): void {
  fill(list)
}
