/** Asks when a draft is to be published. */
import { fieldTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { h } from '../../kit/dom.ts'
import { labelled, problemLine } from '../../kit/elements.ts'
import { openFormDialog } from '../../kit/form-dialog.ts'
import { localMinute } from '../../kit/moments.ts'

/** When many editors begin their day. */
const MORNING_HOUR = 8

/** The time, which is still to come; undefined where nothing was decided. `before` is the time that it has. */
export async function askForTime(before: string | undefined): Promise<string | undefined> {
  let chosen: string | undefined
  const problem = problemLine('publish-time-problem')
  const first = before === undefined ? tomorrowMorning() : new Date(before)
  const input = h('input', { type: 'datetime-local', value: localMinute(first), autofocus: true, 'aria-describedby': problem.id })
  const fields = [labelled(fieldTitle('publishAt'), input), problem]
  const dialog = openFormDialog({ title: t('editor.scheduleTitle'), confirm: t('schedule.confirm'), fields, problem, send })
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
