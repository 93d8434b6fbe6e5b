/**
 * Asks when the chosen drafts are to be published: all at one time, or one after the other in the order of the list. Drafts that
 * lack something cannot be: they are named, and left out where the editor says so.
 */
import type { Client } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { labelOf } from '../../any-documents.ts'
import { countTitle, fieldTitle } from '../../model-titles.ts'
import { locale, t } from '../../texts.ts'
import { now } from '../../timing.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { notify } from '../../kit/notices.ts'
import { failureList, tellFailures } from '../../kit/table/bulk-failures.ts'
import { localMinute } from '../../kit/moments.ts'
import { lacksText } from './missing-text.ts'
import { readMany } from './status-change.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A week. */
const INTERVAL_MINUTES_MAX = 7 * 24 * 60

export interface Scheduling {
  readonly model: Model
  readonly client: Client
  /** In the order of the list. */
  readonly ids: readonly string[]
  readonly signal: AbortSignal
}

/** The time of each draft by its id; undefined where nothing was decided. Throws what the service says while they are read. */
export async function askForTimes({ model, client, ids, signal }: Scheduling): Promise<ReadonlyMap<string, string> | undefined> {
  const found = await readMany({ client, model }, ids)
  if (signal.aborted) return undefined
  const drafts = ids.flatMap((id) => found.get(id) ?? []).filter(({ status }) => status === 'draft')
  const lacking = drafts.flatMap((draft) => {
    const reason = lacksText(model, draft)
    return reason === undefined ? [] : [{ id: draft.id, label: labelOf(draft), reason }]
  })
  const complete = drafts.filter(({ id }) => !lacking.some((one) => one.id === id))
  if (complete.length > 0) return askFor(model, complete.map(({ id }) => id), lacking)
  if (lacking.length === 0) notify(t('bulk.same'))
  tellFailures(t('bulk.failed', { count: lacking.length, items: countTitle(model, lacking.length) }), lacking)
  return undefined
}

async function askFor(model: Model, ids: readonly string[], lacking: Parameters<typeof failureList>[0]): Promise<ReadonlyMap<string, string> | undefined> {
  let times: ReadonlyMap<string, string> | undefined
  const id = 'bulk-schedule'
  const problem = problemLine(`${id}-problem`)
  const last = h('p', { class: 'soft', role: 'status' })
  const input = { 'aria-describedby': problem.id, on: { input: showLast } }
  const nextHour = new Date(Math.ceil((now() + MINUTE_MS) / HOUR_MS) * HOUR_MS)
  const first = h('input', { type: 'datetime-local', value: localMinute(nextHour), autofocus: true, ...input })
  const interval = h('input', { type: 'number', inputmode: 'numeric', min: 0, max: INTERVAL_MINUTES_MAX, value: '0', ...input })
  const leaveOut = h('input', { type: 'checkbox', 'aria-describedby': problem.id })
  const form = submitForm(
    { id, class: 'form', novalidate: true },
    send,
    labelled(fieldTitle('publishAt'), first),
    ids.length > 1 && [labelled(t('schedule.interval'), interval), last],
    lacking.length > 0 && [h('p', {}, t('schedule.incomplete')), failureList(lacking), h('label', { class: 'tick' }, leaveOut, t('schedule.leaveOut'))],
    problem,
  )
  showLast()
  const dialog = openDialog({
    title: t('schedule.title', { items: countTitle(model, ids.length) }),
    body: form,
    actions: [button(t('cancel'), () => dialog.close()), h('button', { type: 'submit', form: id, class: 'primary' }, t('schedule.confirm'))],
  })
  await dialog.closed
  return times

  /** Undefined where the interval is none. */
  function timeOf(i: number): number | undefined {
    const minutes = interval.value === '' ? Number.NaN : Number(interval.value)
    const isInterval = Number.isInteger(minutes) && minutes >= 0 && minutes <= INTERVAL_MINUTES_MAX
    return isInterval ? Date.parse(first.value) + i * minutes * MINUTE_MS : undefined
  }

  function showLast(): void {
    const at = timeOf(ids.length - 1)
    const isKnown = at !== undefined && !Number.isNaN(at)
    const time = (): string => new Date(at ?? 0).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'short' })
    fill(last, isKnown && (Number(interval.value) === 0 ? t('schedule.together') : t('schedule.last', { time: time() })))
  }

  function send(): void {
    const begin = timeOf(0)
    if (begin === undefined) return wrong(interval, t('schedule.range', { max: INTERVAL_MINUTES_MAX }))
    // A date that is not whole is no number.
    if (!(begin > now())) return wrong(first, t('problem.tooEarly'))
    if (lacking.length > 0 && !leaveOut.checked) return wrong(leaveOut, t('schedule.decide'))
    times = new Map(ids.map((one, i) => [one, new Date(timeOf(i) ?? begin).toISOString()]))
    dialog.close()
  }

  function wrong(at: HTMLElement, why: string): void {
    problem.textContent = why
    at.focus()
  }
}
