/** A form in a dialog: its buttons stand at the foot, and the one that sends it is disabled while that takes. */
import { t } from '../texts.ts'
import { openDialog, type DialogOptions } from './dialog.ts'
import { button, h, type Child } from './dom.ts'
import { problemLine, submitForm } from './elements.ts'
import { whileBusy } from './focus.ts'
import { errorText, orTell } from './states.ts'

export interface FormDialogOptions extends Pick<DialogOptions, 'title' | 'wide'> {
  readonly fields: Child
  /** The words of the button that sends it, and of the one that does not. */
  readonly confirm: string
  readonly cancel?: string
  readonly isDangerous?: boolean
  /** Whether the browser checks the inputs before anything is sent. */
  readonly isChecked?: boolean
  /** Among the fields: what is wrong stands there until the next try. */
  readonly problem?: HTMLElement
  /** Closes the dialog where it is done. */
  readonly send: () => void | Promise<void>
  /** What to say of an error that it throws. */
  readonly wordsOf?: (error: unknown) => Child
}

let count = 0

/** Opens it. `closed` resolves when it is closed, whether it was sent or not. */
export function openFormDialog({ fields, confirm, cancel = t('cancel'), isDangerous = false, isChecked = false, problem = problemLine(), send, wordsOf = errorText, ...options }: FormDialogOptions) {
  const id = `dialog-form-${++count}`
  const submit = h('button', { type: 'submit', form: id, class: isDangerous ? 'danger' : 'primary' }, confirm)
  const form = submitForm({ id, class: 'form', novalidate: !isChecked }, () => void whileBusy(submit, () => orTell(problem, async () => send(), wordsOf)), fields)
  const dialog = openDialog({ ...options, body: form, actions: [button(cancel, () => dialog.close()), submit] })
  return { ...dialog, form }
}
