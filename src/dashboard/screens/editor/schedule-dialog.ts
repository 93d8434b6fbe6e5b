/** Asks when a draft is to be published. */
import { fieldTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, h } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { localMinute } from '../../kit/moments.ts'

/** When many editors begin their day. */
const MORNING_HOUR = 8

/** The time, which is still to come; undefined where nothing was decided. `before` is the time that it has. */
export async function askForTime(before: string | undefined): Promise<string | undefined> {
  let chosen: string | undefined
  const id = 'publish-time'
  const problem = problemLine(`${id}-problem`)
  const first = before === undefined ? tomorrowMorning() : new Date(before)
  const input = h('input', { type: 'datetime-local', value: localMinute(first), autofocus: true, 'aria-describedby': problem.id })
  const form = submitForm({ id, class: 'form', novalidate: true }, send, labelled(fieldTitle('publishAt'), input), problem)
  const dialog = openDialog({
    title: t('editor.scheduleTitle'),
    body: form,
    actions: [button(t('cancel'), () => dialog.close()), h('button', { type: 'submit', form: id, class: 'primary' }, t('schedule.confirm'))],
  })
  await dialog.closed
  return chosen

  function send(): void {
    const at = new Date(input.value)
    // A date that is not whole is no number.
    if (!(at.getTime() > now())) {
      problem.textContent = t('problem.tooEarly')
      return input.focus()
    }
    chosen = at.toISOString()
    dialog.close()
  }
}

function tomorrowMorning(): Date {
  const day = new Date(now())
  day.setDate(day.getDate() + 1)
  day.setHours(MORNING_HOUR, 0, 0, 0)
  return day
}
