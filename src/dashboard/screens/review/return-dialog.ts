/** Asks for the note with which a draft goes back to its author. */
import { NOTE_CHARS_MAX } from '../../../models/workflow.ts'
import { t } from '../../texts.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, h } from '../../kit/dom.ts'
import { labelled, submitForm } from '../../kit/elements.ts'

/** Undefined where it stays in the queue. */
export async function askForNote(title: string): Promise<string | undefined> {
  let given: string | undefined
  const note = h('textarea', { rows: 5, maxlength: NOTE_CHARS_MAX, required: true, autofocus: true, dir: 'auto' })
  const send = (): void => {
    given = note.value.trim() === '' ? undefined : note.value.trim()
    if (given === undefined) note.focus()
    else dialog.close()
  }
  const id = 'return-note'
  const form = submitForm({ id, class: 'form' }, send, h('p', {}, h('bdi', {}, title)), labelled(t('review.note'), note))
  const dialog = openDialog({
    title: t('review.return'),
    body: form,
    actions: [button(t('cancel'), () => dialog.close()), h('button', { type: 'submit', form: id, class: 'primary' }, t('review.return'))],
  })
  await dialog.closed
  return given
}
