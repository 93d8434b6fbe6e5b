/** Moving a time, and cancelling what is scheduled: in its row, with a way back. */
import { documentsOf, labelOf } from '../../any-documents.ts'
import { handsIn } from '../../review-duty.ts'
import type { ScreenAction, ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { button, h } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { errorText, orTell } from '../../kit/states.ts'
import { dateTimeText, localMinute } from '../../kit/moments.ts'
import type { Upcoming } from './upcoming.ts'

const UNDO_MS = 10_000

/** Each form has ids of its own. */
let formCount = 0

export type ScheduleChanges = ReturnType<typeof scheduleChanges>

/** `reload` reads and shows what is scheduled then. */
export function scheduleChanges({ client, user }: Pick<ScreenContext, 'client' | 'user'>, reload: () => void) {
  const rows = new WeakMap<Element, Upcoming>()
  /** Open forms, by the keys of their rows. */
  const forms = new Map<string, HTMLElement>()

  /**
   * Only this time is sent, so that whatever another user saves meanwhile stays. Without a time, a draft that lacks a member
   * may stay as it is. It goes on for a reader who leaves the screen, as an undo does that comes after that.
   */
  const set = (one: Upcoming, at: string | null): Promise<unknown> =>
    documentsOf(client, one.model).patch(one.document.id, { [one.what]: at }, { incomplete: true })

  function open(row: HTMLElement, one: Upcoming): void {
    if (forms.get(one.key)?.isConnected === true) return
    const form = openTimeForm(row, {
      at: one.at,
      dataKey: `time ${one.key}`,
      async save(at) {
        await set(one, at)
        if (at === null) tellCancelled(one)
        else notify(t('scheduled.moved', { title: labelOf(one.document), time: dateTimeText(at) }), { kind: 'done' })
      },
      onClose(around) {
        forms.delete(one.key)
        around?.querySelector<HTMLElement>('[data-key^="change"]')?.focus()
        reload()
      },
    })
    forms.set(one.key, form)
  }

  /** The row that shows the same now: the list may have been drawn again since the row was looked at. */
  function rowNow(row: HTMLElement, { key }: Upcoming): HTMLElement {
    if (row.isConnected) return row
    return [...document.querySelectorAll<HTMLElement>('.due')].find((each) => rows.get(each)?.key === key) ?? row
  }

  async function cancel(row: HTMLElement, one: Upcoming): Promise<void> {
    try {
      await set(one, null)
      // The row goes, and the focus stays in the list.
      if (row.contains(document.activeElement)) neighbourOf(row)?.focus()
      tellCancelled(one)
      reload()
    } catch (error) {
      notifyFailure(error)
    }
  }

  /** Under review, a publisher takes a time of publishing away, and sets none. */
  const mayMove = ({ model }: Upcoming): boolean => !handsIn(model, user)
  const mayCancel = (one: Upcoming): boolean => mayMove(one) || one.what === 'publishAt'

  function tellCancelled(one: Upcoming): void {
    const undo = (): void => void set(one, one.at).then(reload, notifyFailure)
    const action = mayMove(one) ? { action: { label: t('undo'), run: undo } } : {}
    notify(t('scheduled.cancelled', { title: labelOf(one.document) }), { kind: 'done', shownMs: UNDO_MS, ...action })
  }

  return {
    open,
    cancel,
    mayMove,
    mayCancel,
    /** Says which row shows what, for the actions. A form that was open in the row before is in this one. */
    belong(row: HTMLElement, one: Upcoming): void {
      rows.set(row, one)
      const form = forms.get(one.key)
      if (form !== undefined) row.append(form)
    },
    /** Whether a time is being changed. */
    isChanging: (): boolean => [...forms.values()].some(({ isConnected }) => isConnected),
    /** What can be done with a row, for the palette. */
    actionsOf(row: Element | null): readonly ScreenAction[] {
      const one = row === null ? undefined : rows.get(row)
      if (one === undefined || !(row instanceof HTMLElement)) return []
      const detail = labelOf(one.document)
      return [
        ...(mayMove(one) ? [{ title: t('scheduled.change'), icon: 'calendar', detail, run: () => open(rowNow(row, one), one) } as const] : []),
        ...(mayCancel(one) ? [{ title: t('scheduled.cancel'), icon: 'close', detail, run: () => void cancel(rowNow(row, one), one) } as const] : []),
      ]
    },
  }
}

function neighbourOf(row: HTMLElement): HTMLElement | undefined {
  const all = [...document.querySelectorAll<HTMLElement>('.due-title')]
  const at = all.findIndex((title) => row.contains(title))
  return all[at + 1] ?? all[at - 1]
}

interface TimeFormOptions {
  readonly at: string
  /** By which the input is found again when its row is redrawn. */
  readonly dataKey: string
  /** Stores the new time; null where the reader has emptied it. */
  readonly save: (at: string | null) => Promise<void>
  /** Gets the row that the form was in. */
  readonly onClose: (row: HTMLElement | null) => void
}

/** Shows the form in a row, and goes to it. */
function openTimeForm(row: HTMLElement, { at, dataKey, save, onClose }: TimeFormOptions): HTMLElement {
  const before = localMinute(new Date(at))
  const problem = problemLine(`time-problem-${++formCount}`)
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
