/**
 * Deleting with a way back: nothing is sent to the server while a notice offers to undo it.
 *
 * The service deletes for good, so undoing afterwards could only make another document with another id. A page that
 * is closed or left meanwhile deletes at once: what the reader was told has happened does happen.
 */
import type { Documents, StoredDocument } from './any-documents.ts'
import { NotFound, TooManyRequests } from '../client/client.ts'
import { t } from './texts.ts'
import { after } from './timing.ts'
import { notify } from './kit/notices.ts'
import { errorText } from './kit/states.ts'

const UNDO_MS = 6_000
/** Requests on their way at a time. */
const TOGETHER_MAX = 6
/** What a browser still sends of a page that goes: of more than these, it asks first. */
const LEAVING_MAX = 200
/** Of a request that comes too often. */
const TRIES_MAX = 4

export interface Removal {
  readonly documents: Documents
  readonly ids: readonly string[]
  /** What the notice says: that it is deleted. */
  readonly notice: string
  /** What is still there: all after an undo, those that failed otherwise. Lists that watch know by themselves. */
  readonly onBack?: (ids: readonly string[]) => void
}

/** What ends the way back of each removal, and resolves when it is over. */
const waiting = new Set<() => Promise<void>>()

/** Deletes now what could still be undone. */
export async function settleRemovals(): Promise<void> {
  await Promise.all([...waiting].map((settle) => settle()))
}

/** Ids of documents that are as good as deleted, by all lists. */
const hidden = new Set<string>()

export function isBeingRemoved({ id }: Pick<StoredDocument, 'id'>): boolean {
  return hidden.has(id)
}

const watchers = new Set<() => void>()

/** Runs when documents are hidden, shown again, or changed from elsewhere: lists take them out and in. */
export function onDocumentsChanged(run: () => void, signal: AbortSignal): void {
  watchers.add(run)
  signal.addEventListener('abort', () => watchers.delete(run))
}

export function documentsChanged(): void {
  for (const run of watchers) run()
}

export function removeWithUndo({ documents, ids, notice, onBack }: Removal): void {
  for (const id of ids) hidden.add(id)
  documentsChanged()
  const leaving = new AbortController()
  const over = Promise.withResolvers<void>()
  const settle = (): Promise<void> => {
    dismiss()
    return over.promise
  }
  const end = (): void => {
    removeEventListener('pagehide', leave)
    removeEventListener('beforeunload', holdMany)
    waiting.delete(settle)
    over.resolve()
  }
  const commit = async (): Promise<void> => {
    const failed: string[] = []
    let reason: unknown
    const remove = async (id: string): Promise<void> => {
      try {
        await patiently(() => documents.remove(id))
      } catch (error) {
        // A document that another user has deleted meanwhile is gone as wanted.
        if (error instanceof NotFound) return
        failed.push(id)
        reason = error
      }
    }
    await eachTogether(ids, remove, leaving.signal)
    for (const id of failed) hidden.delete(id)
    if (failed.length > 0) {
      notify(t('removal.failed', { count: failed.length, reason: errorText(reason) }), { kind: 'failed' })
      onBack?.(failed)
      documentsChanged()
    }
    end()
  }
  const undo = (): void => {
    end()
    for (const id of ids) hidden.delete(id)
    onBack?.(ids)
    documentsChanged()
  }
  const dismiss = notify(notice, {
    kind: 'done',
    shownMs: UNDO_MS,
    action: { label: t('undo'), run: undo },
    onGone: () => void commit(),
  })
  const leave = (): void => {
    leaving.abort()
    dismiss()
  }
  const holdMany = (event: Event): void => {
    if (ids.length > LEAVING_MAX) event.preventDefault()
  }
  waiting.add(settle)
  addEventListener('pagehide', leave)
  addEventListener('beforeunload', holdMany)
}

/** Runs for each item, some at a time, or with `hurry` all that are left at once. What `run` throws ends it. */
export async function eachTogether<T>(
  items: readonly T[],
  run: (item: T) => Promise<void>,
  hurry?: AbortSignal,
): Promise<void> {
  const rest = items.values()
  const work = async (): Promise<void> => {
    for (const item of rest) await run(item)
  }
  const begin = (count: number): readonly Promise<void>[] => Array.from({ length: Math.min(count, items.length) }, work)
  const begun = begin(hurry?.aborted === true ? items.length : TOGETHER_MAX)
  let late: readonly Promise<void>[] = []
  hurry?.addEventListener('abort', () => (late = begin(items.length)))
  await Promise.all(begun)
  await Promise.all(late)
}

/** Waits as long as the service wants where it is asked too often. */
export async function patiently<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof TooManyRequests) || tries === TRIES_MAX) throw error
      const { retryAfterSeconds = 1 } = error
      await new Promise<void>((resolve) => after(retryAfterSeconds * 1000, resolve))
    }
  }
}
