/**
 * Deleting with a way back: a deletion takes effect immediately, and what was deleted is in the trash of the service. A notice
 * offers to undo it; the trash does as long as it keeps it.
 */
import { NotFound, type Client } from '../client/client.ts'
import type { Model } from '../models/schema.ts'
import { operationsOn, runBatches, withoutIndex } from './batches.ts'
import { beginRemoval, documentsChanged, endRemoval, rememberBroughtBack } from './changed-documents.ts'
import { t } from './texts.ts'
import { notify } from './kit/notices.ts'
import { errorText } from './kit/states.ts'

const UNDO_MS = 10_000

export interface Removal {
  readonly client: Client
  readonly model: Model
  readonly ids: readonly string[]
  /** What the notice says of so many that were deleted. */
  readonly notice: (count: number) => string
  /** Replaces the deleted document in all copies. Undoing does not bring them back. */
  readonly replaceBy?: string | undefined
  /** Which of them it replaces; all without it. */
  readonly replaced?: readonly string[] | undefined
  readonly onProgress?: (done: number) => void
  /** What is there again, after an undo, or because it could not be deleted. Lists that watch know by themselves. */
  readonly onBack?: (ids: readonly string[]) => void
}

/** Resolves when all are deleted that can be, with those that could not. */
export async function removeWithUndo({ client, model, ids, notice, replaceBy, replaced = ids, onProgress, onBack }: Removal): Promise<readonly string[]> {
  const removing = runBatches(client, operationsOn(model, ids, 'delete', (id) => (replaced.includes(id) ? replaceBy : undefined)), { onProgress })
  beginRemoval(ids, removing)
  const { failures } = await removing
  endRemoval(ids)
  const failed = new Map(failures.map(({ index, error }) => [ids[index] ?? '', error]))
  const removed = ids.filter((id) => !failed.has(id))
  if (removed.length > 0) {
    const undo = (): void => void bringBack({ client, model, ids: removed, ...(onBack && { onBack }) })
    notify(notice(removed.length), { kind: 'done', shownMs: UNDO_MS, action: { label: t('undo'), run: undo } })
  }
  // A document that another user has deleted meanwhile is gone as wanted.
  const kept = [...failed].filter(([, error]) => !(error instanceof NotFound))
  if (kept.length > 0) {
    const reason = withoutIndex(errorText(kept[0]?.[1]))
    notify(t('removal.failed', { count: kept.length, reason }), { kind: 'failed' })
    onBack?.(kept.map(([id]) => id))
  }
  documentsChanged()
  return kept.map(([id]) => id)
}

/** Restores documents from the trash. Resolves with those that are there again. */
export async function bringBack({ client, model, ids, onProgress, onBack }: Omit<Removal, 'notice' | 'replaceBy' | 'replaced'>): Promise<readonly string[]> {
  const { results, failures } = await runBatches(client, operationsOn(model, ids, 'restore'), { onProgress })
  if (failures.length > 0) {
    const reason = withoutIndex(errorText(failures[0]?.error))
    notify(t('removal.notBack', { count: failures.length, reason }), { kind: 'failed' })
  }
  const back = ids.filter((_, i) => results[i] !== undefined)
  rememberBroughtBack(back)
  onBack?.(back)
  documentsChanged()
  return back
}
