/**
 * Questions that want an answer before anything else: the browser's own modal dialog, which keeps the focus inside,
 * closes on Escape and gives the focus back.
 */
import { t } from '../texts.ts'
import { h, type Child } from './dom.ts'
import { icon } from './icons.ts'
import { rescueNotices } from './notices.ts'

export interface DialogOptions {
  readonly title: string
  readonly body: Child
  /** From left to right; the last is the one that the dialog is for. */
  readonly actions?: readonly Child[]
  readonly wide?: boolean
  /** Whether Escape and the cross close it. */
  readonly dismissable?: boolean
}

export interface OpenDialog {
  readonly element: HTMLDialogElement
  close(): void
  /** Resolves when it is closed, in whatever way. */
  readonly closed: Promise<void>
}

let count = 0
/** Those that may be closed without an answer. */
const dismissables = new Set<HTMLDialogElement>()

/** Closes what belongs to a screen that is left. */
export function closeDialogs(): void {
  for (const dialog of dismissables) dialog.close()
}

export function openDialog({ title, body, actions = [], wide = false, dismissable = true }: DialogOptions): OpenDialog {
  const titleId = `dialog-${++count}`
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const close = (): void => element.close()
  const cross = h(
    'button',
    { type: 'button', class: 'plain', 'aria-label': t('close'), on: { click: close } },
    icon('close'),
  )
  const element = h(
    'dialog',
    {
      class: wide ? 'wide' : undefined,
      'aria-labelledby': titleId,
      on: {
        close() {
          dismissables.delete(element)
          rescueNotices(element)
          element.remove()
          resolve()
        },
        cancel(event) {
          if (!dismissable) event.preventDefault()
        },
        // A page cannot hold back the second Escape after a cancel; the key itself can be.
        keydown(event) {
          if (!dismissable && event.key === 'Escape') event.preventDefault()
        },
      },
    },
    h('header', {}, h('h2', { id: titleId }, title), dismissable ? cross : null),
    h('div', { class: 'dialog-body' }, body),
    actions.length === 0 ? null : h('footer', {}, actions),
  )
  if (dismissable) dismissables.add(element)
  document.body.append(element)
  element.showModal()
  element.querySelector<HTMLElement>('[autofocus]')?.focus()
  return { element, close, closed }
}

export interface Question {
  readonly title: string
  readonly text: Child
  readonly confirm: string
  readonly isDangerous?: boolean
  /** A word that has to be typed before the answer can be yes. */
  readonly typed?: string
}

/** Asks; true for yes. Closing the dialog is a no. */
export async function ask({ title, text, confirm, isDangerous = false, typed }: Question): Promise<boolean> {
  let answer = false
  const yes = h(
    'button',
    { type: 'submit', class: isDangerous ? 'danger' : 'primary', disabled: typed !== undefined },
    confirm,
  )
  const input = h('input', {
    autofocus: true,
    autocomplete: 'off',
    spellcheck: 'false',
    on: {
      input: () => {
        yes.disabled = input.value.trim() !== typed
      },
    },
  })
  const form = h(
    'form',
    {
      on: {
        submit(event) {
          event.preventDefault()
          if (yes.disabled) return
          answer = true
          dialog.close()
        },
      },
    },
    h('div', { class: 'prose' }, text),
    typed === undefined
      ? null
      : h('label', { class: 'field' }, h('span', {}, t('dialog.typeToConfirm', { typed })), input),
    h(
      'div',
      { class: 'buttons end' },
      h('button', { type: 'button', autofocus: typed === undefined, on: { click: () => dialog.close() } }, t('cancel')),
      yes,
    ),
  )
  const dialog = openDialog({ title, body: form })
  await dialog.closed
  return answer
}
