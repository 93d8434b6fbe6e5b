/** A new time for what is scheduled, in its row. Escape leaves the old one. */
import { t } from '../../texts.ts'
import { button, h } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { errorText, orTell } from '../../kit/states.ts'
import { localMinute } from '../../kit/moments.ts'

let count = 0

export interface TimeFormOptions {
  readonly at: string
  /** By which the input is found again when its row is redrawn. */
  readonly dataKey: string
  /** Stores the new time; null where the reader has emptied it. */
  readonly save: (at: string | null) => Promise<void>
  /** Gets the row that the form was in. */
  readonly onClose: (row: HTMLElement | null) => void
}

/** Shows the form in a row, and goes to it. */
export function openTimeForm(row: HTMLElement, { at, dataKey, save, onClose }: TimeFormOptions): HTMLElement {
  const before = localMinute(new Date(at))
  const problem = problemLine(`time-problem-${++count}`)
  const input = h('input', { type: 'datetime-local', value: before, 'aria-describedby': problem.id, 'data-key': dataKey })
  const submit = h('button', { type: 'submit', class: 'primary' }, t('save'))
  const form = submitForm(
    { class: 'time-form', novalidate: true },
    () => void whileBusy(submit, () => orTell(problem, send, tell)),
    labelled(t('scheduled.newTime'), input),
    h('div', { class: 'buttons' }, submit, button(t('cancel'), close)),
    problem,
  )
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    close()
  })
  row.append(form)
  input.focus()
  return form

  function close(): void {
    const around = form.parentElement
    form.remove()
    onClose(around)
  }

  async function send(): Promise<void> {
    const { value, validity } = input
    if (value === before) return close()
    // A browser tells nothing of a date that is not whole: the service rejects the empty text.
    await save(value !== '' ? new Date(value).toISOString() : validity.badInput ? '' : null)
    close()
  }

  function tell(error: unknown): string {
    input.focus()
    return errorText(error)
  }
}
