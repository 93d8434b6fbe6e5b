/**
 * Deleting with a way back: nothing is sent to the server while a notice offers to undo it.
 *
 * The service deletes for good, so undoing afterwards could only make another document with another id. A page that
 * is closed or left meanwhile deletes at once: what the reader was told has happened does happen.
 */
import type { Documents, StoredDocument } from './any-documents.ts'
import { t } from './texts/texts.ts'
import { notify } from './view/notices.ts'
import { wordsOf } from './view/states.ts'

const UNDO_MS = 6_000
/** Requests on their way at a time. */
const TOGETHER_MAX = 6

export interface Removal {
  readonly documents: Documents
  readonly ids: readonly string[]
  /** What the notice calls it: a title, or how many. */
  readonly label: string
  /** What is still there: all after an undo, those that failed otherwise. Lists that watch know by themselves. */
  readonly onBack?: (ids: readonly string[]) => void
  readonly onDone?: () => void
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

/** Runs when documents are hidden, or shown again: lists take them out and in. */
export function onRemovalsChanged(run: () => void, signal: AbortSignal): void {
  watchers.add(run)
  signal.addEventListener('abort', () => watchers.delete(run))
}

function tellWatchers(): void {
  for (const run of watchers) run()
}

export function removeWithUndo({ documents, ids, label, onBack, onDone }: Removal): void {
  for (const id of ids) hidden.add(id)
  tellWatchers()
  const over = Promise.withResolvers<void>()
  const settle = (): Promise<void> => {
    dismiss()
    return over.promise
  }
  const end = (): void => {
    waiting.delete(settle)
    over.resolve()
  }
  const commit = async (): Promise<void> => {
    removeEventListener('pagehide', dismiss)
    const failed: string[] = []
    let reason: unknown
    await eachTogether(ids, async (id) => {
      try {
        await documents.remove(id)
      } catch (error) {
        failed.push(id)
        reason = error
      }
    })
    for (const id of failed) hidden.delete(id)
    if (failed.length > 0) {
      notify(t('removal.failed', { count: failed.length, reason: wordsOf(reason) }), { kind: 'failed' })
      onBack?.(failed)
      tellWatchers()
    }
    onDone?.()
    end()
  }
  const undo = (): void => {
    removeEventListener('pagehide', dismiss)
    end()
    for (const id of ids) hidden.delete(id)
    onBack?.(ids)
    tellWatchers()
  }
  const dismiss = notify(t('removal.done', { label }), {
    kind: 'done',
    shownMs: UNDO_MS,
    action: { label: t('undo'), run: undo },
    onGone: () => void commit(),
  })
  waiting.add(settle)
  addEventListener('pagehide', dismiss)
}

/** Runs for each item, some at a time. What `run` throws ends it. */
export async function eachTogether<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const work = async (): Promise<void> => {
    for (const item of rest) await run(item)
  }
  await Promise.all(Array.from({ length: Math.min(TOGETHER_MAX, items.length) }, work))
}
