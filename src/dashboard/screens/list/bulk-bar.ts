/** What can be done with the chosen rows: one status for all of them, or deleting them; and what came of it. */
import type { Model } from '../../../models/schema.ts'
import type { Documents } from '../../any-documents.ts'
import { countTitle, valueTitle } from '../../model-titles.ts'
import { documentsChanged, removeWithUndo } from '../../removal.ts'
import type { RowSelection } from '../../kit/table/row-selection.ts'
import { t, textOr } from '../../texts.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { hasFocus } from '../../kit/focus.ts'
import { icon, type IconName } from '../../kit/icons.ts'
import { notify } from '../../kit/notices.ts'
import { statusAction } from '../../kit/status-tag.ts'
import { words } from './list-columns.ts'
import { changeStatus, type ChangeFailure, type StatusChange } from './status-change.ts'

const UNDO_MS = 8_000
/** Failures that are told one by one. */
const FAILURES_SHOWN = 50

export interface BulkBarOptions {
  readonly model: Model
  readonly documents: Documents
  readonly selection: RowSelection
  readonly mayRemove: boolean
  /** For a reader who was at a button of the bar, which goes. */
  readonly focusRows: () => void
}

export function bulkBar({ model, documents, selection, mayRemove, focusRows }: BulkBarOptions) {
  const status = model.fields['status']
  const work = bulkWork((isBusy) => {
    for (const one of element.querySelectorAll('button')) one.disabled = isBusy
    if (!isBusy) show()
  })
  const element = h(
    'div',
    { class: 'bulk', role: 'group', 'aria-label': t('bulk.label'), hidden: true },
    ...[work.count, work.progress],
    (status?.kind === 'choice' ? status.values : []).map((value) =>
      action(...statusAction(value), () => void change(value)),
    ),
    mayRemove && action(t('delete'), 'trash', remove),
    action(t('bulk.none'), 'close', () => letGo([])),
  )

  /** Shows how many are chosen. */
  function show(): void {
    element.hidden = selection.size === 0 && !work.isBusy()
    if (!work.isBusy()) fill(work.count, t('bulk.count', { count: selection.size }))
  }

  /** Leaves only these chosen. */
  function letGo(kept: readonly string[], hadFocus = hasFocus(element)): void {
    selection.set(kept)
    if (hadFocus) focusRows()
  }

  async function change(value: string): Promise<void> {
    const hadFocus = hasFocus(element)
    const wanted = selection.ids().map((id) => ({ id, status: value }))
    // What failed stays chosen, to be tried again.
    const { undo, ...done } = await apply(wanted, (failed) => letGo(failed, hadFocus))
    if (done.count === 0) return
    notify(textOr(`bulk.${value}`, t('pair', { name: valueTitle(value), value: done.items }), done), {
      kind: 'done',
      shownMs: UNDO_MS,
      ...(undo.length > 0 && { action: { label: t('undo'), run: () => void takeBack(undo) } }),
    })
  }

  async function takeBack(changed: readonly StatusChange[]): Promise<void> {
    const { count, items } = await apply(changed)
    if (count > 0) notify(t('bulk.undone', { count, items }), { kind: 'done' })
  }

  /** `settle` gets the ids of the documents that could not be changed, before anything is told of them. */
  async function apply(wanted: readonly StatusChange[], settle?: (failed: readonly string[]) => void) {
    const { undo, failures } = await work.run(wanted.length, (tell) => changeStatus(wanted, documents, tell))
    settle?.(failures.map(({ id }) => id))
    documentsChanged()
    tellFailures(model, failures)
    const count = wanted.length - failures.length
    return { undo, count, items: countTitle(model, count) }
  }

  function remove(): void {
    const ids = selection.ids()
    letGo([])
    const count = ids.length
    removeWithUndo({ documents, ids, notice: t('bulk.deleted', { count, items: countTitle(model, count) }) })
  }

  return { element, show }
}

type Work<T> = (onProgress: (done: number) => void) => Promise<T>

/** Runs one work after the other, with its progress: what was changed last may be undone while more is changed. */
function bulkWork(onBusy: (isBusy: boolean) => void) {
  const count = h('span', { class: 'bulk-count', role: 'status' })
  const progress = h('progress', { hidden: true, 'aria-label': t('bulk.progress') })
  let isBusy = false
  let last: Promise<unknown> = Promise.resolve()

  function setBusy(busy: boolean): void {
    isBusy = busy
    progress.hidden = !busy
    // A window that is closed now would leave the work half done.
    if (busy) addEventListener('beforeunload', hold)
    else removeEventListener('beforeunload', hold)
    onBusy(busy)
  }

  async function begin<T>(total: number, work: Work<T>): Promise<T> {
    setBusy(true)
    progress.max = total
    progress.value = 0
    try {
      return await work((done) => {
        progress.value = done
        fill(count, t('bulk.done', { done, total }))
      })
    } finally {
      setBusy(false)
    }
  }

  return {
    count,
    progress,
    isBusy: () => isBusy,
    run<T>(total: number, work: Work<T>): Promise<T> {
      const mine = last.then(() => begin(total, work))
      last = mine.catch(() => {})
      return mine
    },
  }
}

function hold(event: Event): void {
  event.preventDefault()
}

function action(label: string, iconName: IconName, click: () => void): HTMLElement {
  return button([icon(iconName), h('span', {}, label)], click, { class: 'plain small', title: label })
}

function tellFailures(model: Model, failures: readonly ChangeFailure[]): void {
  const count = failures.length
  if (count === 0) return
  const shown = failures.slice(0, FAILURES_SHOWN)
  openDialog({
    title: t('bulk.failed', { count, items: countTitle(model, count) }),
    body: h(
      'ul',
      { class: 'failures' },
      shown.map(({ label, reason }) =>
        h('li', {}, h('strong', {}, words(label)), h('span', { class: 'soft' }, reason)),
      ),
      count > shown.length && h('li', {}, '…'),
    ),
  })
}
