/**
 * Questions that want an answer before anything else: the browser's own modal dialog, which keeps the focus inside,
 * closes on Escape and gives the focus back.
 */
import { t } from '../texts.ts'
import { button, h, type Child } from './dom.ts'
import { labelled, submitForm } from './elements.ts'
import { focusMain } from './focus.ts'
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
  /** Takes the focus when what had it before is gone. */
  readonly otherwise?: () => void
}

let count = 0
/** Those that may be closed without an answer. */
const dismissables = new Set<HTMLDialogElement>()

/** Closes what belongs to a screen that is left. */
export function closeDialogs(): void {
  for (const dialog of dismissables) dialog.close()
}

export function openDialog({ title, body, actions = [], wide = false, dismissable = true, otherwise = focusMain }: DialogOptions) {
  const titleId = `dialog-${++count}`
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const close = (): void => element.close()
  const cross = button(icon('close'), close, { class: 'plain', 'aria-label': t('close') })
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
          if (document.activeElement === document.body) otherwise()
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
    h('header', {}, h('h2', { id: titleId }, title), dismissable && cross),
    h('div', { class: 'dialog-body' }, body),
    actions.length > 0 && h('footer', {}, actions),
  )
  if (dismissable) dismissables.add(element)
  const opener = document.activeElement
  document.body.append(element)
  element.showModal()
  if (opener instanceof HTMLElement && opener !== document.body) growFrom(element, opener)
  element.querySelector<HTMLElement>('[autofocus]')?.focus()
  return {
    close,
    /** Resolves when it is closed, in whatever way. */
    closed,
  }
}

/** Lets a dialog open out of what opened it, which says where it belongs. */
function growFrom(dialog: HTMLElement, opener: HTMLElement): void {
  const [from, to] = [opener.getBoundingClientRect(), dialog.getBoundingClientRect()]
  dialog.style.transformOrigin = `${from.left + from.width / 2 - to.left}px ${from.top + from.height / 2 - to.top}px`
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
  const compare = (): void => void (yes.disabled = input.value.trim() !== typed)
  const input = h('input', { autofocus: true, autocomplete: 'off', spellcheck: 'false', on: { input: compare } })
  const submit = (): void => {
    if (yes.disabled) return
    answer = true
    dialog.close()
  }
  const form = submitForm(
    {},
    submit,
    h('div', { class: 'prose' }, text),
    typed !== undefined && labelled(t('dialog.typeToConfirm', { typed }), input),
    h('div', { class: 'buttons end' }, button(t('cancel'), () => dialog.close(), { autofocus: typed === undefined }), yes),
  )
  const dialog = openDialog({ title, body: form })
  await dialog.closed
  return answer
}

/** Asks before something is lost that was not saved; true where the reader lets it go. */
export function askToLeave(): Promise<boolean> {
  return ask({ title: t('unsaved.title'), text: t('unsaved.text'), confirm: t('unsaved.leave'), isDangerous: true })
}
