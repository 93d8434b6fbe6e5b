/** Does with the chosen rows what the bar offers, and tells what came of it. */
import type { Client } from '../../../client/client.ts'
import { MODELS } from '../../../models/registry.ts'
import type { Model } from '../../../models/schema.ts'
import { countTitle, valueTitle } from '../../model-titles.ts'
import { documentsChanged } from '../../changed-documents.ts'
import { removeWithUndo } from '../../removal.ts'
import { t, textOr, withScreenTexts } from '../../texts.ts'
import { hasFocus } from '../../kit/focus.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { tellFailures, type BulkFailure } from '../../kit/table/bulk-failures.ts'
import type { SelectionBar } from '../../kit/table/bulk-work.ts'
import type { RowSelection } from '../../kit/table/row-selection.ts'
import { changeStatus, undoChanges, type ChangedVersion } from './status-change.ts'

const UNDO_MS = 8_000

export interface BulkActionsOptions {
  readonly model: Model
  readonly client: Client
  readonly selection: RowSelection
  readonly bar: SelectionBar
  readonly signal: AbortSignal
}

export function bulkActions({ model, client, selection, bar, signal }: BulkActionsOptions) {
  let isAsking = false

  async function change(value: string): Promise<void> {
    const hadFocus = hasFocus(bar.element)
    const wanted = selection.ids().map((id) => ({ id, status: value }))
    const { undo, failures } = await bar.run(wanted.length, (tell) => changeStatus({ client, model }, wanted, tell))
    // What failed stays chosen, to be tried again.
    bar.letGo(failures.map(({ id }) => id), hadFocus)
    const done = finish(wanted.length, failures)
    if (done.count === 0) return
    notify(textOr(`bulk.${value}`, t('pair', { name: valueTitle(value), value: done.items }), done), {
      kind: 'done',
      shownMs: UNDO_MS,
      ...(undo.length > 0 && { action: { label: t('undo'), run: () => void takeBack(undo).catch(notifyFailure) } }),
    })
  }

  async function takeBack(changed: readonly ChangedVersion[]): Promise<void> {
    const failures = await bar.run(changed.length, (tell) => undoChanges({ client, model }, changed, tell))
    const done = finish(changed.length, failures)
    if (done.count > 0) notify(t('bulk.undone', done), { kind: 'done' })
  }

  /** Shows what is there now, tells what could not be done, and gives how many were. */
  function finish(all: number, failures: readonly BulkFailure[]) {
    documentsChanged()
    tellFailures(t('bulk.failed', { count: failures.length, items: countTitle(model, failures.length) }), failures)
    const count = all - failures.length
    return { count, items: countTitle(model, count) }
  }

  async function remove(): Promise<void> {
    // A second click comes before the dialog does.
    if (isAsking) return
    const ids = selection.ids()
    const hadFocus = hasFocus(bar.element)
    const decided = canBeUsed(model) ? await decide(ids) : { replaceBy: undefined, replaced: [] }
    if (decided === undefined) return
    bar.letGo([], hadFocus)
    const notice = (count: number): string => t('bulk.deleted', { count, items: countTitle(model, count) })
    await bar.run(ids.length, (onProgress) => removeWithUndo({ ...{ client, model, ids, notice, onProgress }, ...decided }))
  }

  async function decide(ids: readonly string[]) {
    isAsking = true
    try {
      const { decideReplacements } = await withScreenTexts(import('./bulk-replacement.ts'))
      return await decideReplacements({ model, client, ids, holding: bar.holding, signal })
    } finally {
      isAsking = false
    }
  }

  return { change, remove }
}

/** Whether other documents can have copies of those of the model. */
function canBeUsed(model: Model): boolean {
  return (MODELS as readonly Model[]).some(({ fields }) => Object.values(fields).some((field) => field.kind === 'embedded' && field.model === model))
}
