/** What can be done with the chosen rows: one status for all of them, or deleting them; and what came of it. */
import type { Model } from '../../../models/schema.ts'
import type { Documents } from '../../any-documents.ts'
import { countTitle, valueTitle } from '../../model-words.ts'
import { removeWithUndo } from '../../removal.ts'
import type { RowSelection } from '../../kit/table/row-selection.ts'
import { t, textOr } from '../../texts.ts'
import { openDialog } from '../../kit/dialog.ts'
import { fill, h } from '../../kit/dom.ts'
import { hasFocus } from '../../kit/focus.ts'
import { icon, type IconName } from '../../kit/icons.ts'
import { notify } from '../../kit/notices.ts'
import { words } from './list-columns.ts'
import { changeStatus, putBack, type ChangeFailure, type StatusChange } from './status-change.ts'

const UNDO_MS = 8_000
/** Failures that are told one by one. */
const FAILURES_SHOWN = 50

const ICONS: Readonly<Record<string, IconName>> = { active: 'publish', draft: 'edit', archived: 'archive' }

export interface BulkBarOptions {
  readonly model: Model
  readonly documents: Documents
  readonly selection: RowSelection
  readonly mayRemove: boolean
  /** Some documents are not what they were. */
  readonly onChanged: () => void
  /** For who was at a button of the bar, which goes. */
  readonly focusRows: () => void
}

export interface BulkBar {
  readonly element: HTMLElement
  /** Shows how many are chosen. */
  show(): void
}

type Work<T> = (onProgress: (done: number) => void) => Promise<T>

export function bulkBar({ model, documents, selection, mayRemove, onChanged, focusRows }: BulkBarOptions): BulkBar {
  const status = model.fields['status']
  const count = h('span', { class: 'bulk-count', role: 'status' })
  const progress = h('progress', { hidden: true, 'aria-label': t('bulk.progress') })
  const buttons = [
    ...(status?.kind === 'choice' ? status.values : []).map((value) =>
      button(ICONS[value] ?? 'edit', textOr(`turn.${value}`, valueTitle(value)), () => void change(value)),
    ),
    mayRemove && button('trash', t('delete'), remove),
  ]
  const cancel = button('close', t('bulk.none'), () => letGo([]))
  const element = h(
    'div',
    { class: 'bulk', role: 'group', 'aria-label': t('bulk.label'), hidden: true },
    ...[count, progress, buttons, cancel],
  )
  let isBusy = false
  let last: Promise<unknown> = Promise.resolve()

  function show(): void {
    element.hidden = selection.size === 0 && !isBusy
    if (!isBusy) fill(count, t('bulk.count', { count: selection.size }))
  }

  /** Leaves only these chosen. */
  function letGo(kept: readonly string[], hadFocus = hasFocus(element)): void {
    selection.set(kept)
    if (hadFocus) focusRows()
  }

  /** One after the other: what was changed last may be undone while more is changed. */
  function busy<T>(total: number, work: Work<T>): Promise<T> {
    const mine = last.then(() => run(total, work))
    last = mine.catch(() => {})
    return mine
  }

  /** With the progress shown and the buttons out of reach. */
  async function run<T>(total: number, work: Work<T>): Promise<T> {
    isBusy = true
    // A window that is closed now would leave the work half done.
    addEventListener('beforeunload', hold)
    progress.hidden = false
    const all = [...element.querySelectorAll('button')]
    for (const one of all) one.disabled = true
    progress.max = total
    progress.value = 0
    try {
      return await work((done) => {
        progress.value = done
        fill(count, t('bulk.done', { done, total }))
      })
    } finally {
      isBusy = false
      removeEventListener('beforeunload', hold)
      progress.hidden = true
      for (const one of all) one.disabled = false
      show()
    }
  }

  async function change(value: string): Promise<void> {
    const ids = selection.ids()
    const hadFocus = hasFocus(element)
    const { changed, failures } = await busy(ids.length, (onProgress) =>
      changeStatus(ids, value, { documents, onProgress }),
    )
    // What failed stays chosen, to be tried again.
    letGo(
      failures.map(({ id }) => id),
      hadFocus,
    )
    onChanged()
    tellFailures(model, failures)
    const done = ids.length - failures.length
    if (done > 0) {
      const values = { count: done, items: countTitle(model, done) }
      notify(textOr(`bulk.${value}`, t('pair', { name: valueTitle(value), value: values.items }), values), {
        kind: 'done',
        shownMs: UNDO_MS,
        ...(changed.length > 0 && { action: { label: t('undo'), run: () => void undo(changed) } }),
      })
    }
  }

  async function undo(changed: readonly StatusChange[]): Promise<void> {
    const { failures } = await busy(changed.length, (onProgress) => putBack(changed, { documents, onProgress }))
    onChanged()
    tellFailures(model, failures)
    const count = changed.length - failures.length
    if (count > 0) notify(t('bulk.undone', { count, items: countTitle(model, count) }), { kind: 'done' })
  }

  function remove(): void {
    const ids = selection.ids()
    letGo([])
    const count = ids.length
    removeWithUndo({ documents, ids, notice: t('bulk.deleted', { count, items: countTitle(model, count) }) })
  }

  return { element, show }
}

function hold(event: Event): void {
  event.preventDefault()
}

function button(name: IconName, label: string, click: () => void): HTMLButtonElement {
  return h(
    'button',
    { type: 'button', class: 'plain small', title: label, on: { click } },
    icon(name),
    h('span', {}, label),
  )
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
