/** Documents that are being deleted, and what watches for changes that the page makes itself: lists take rows out and in. */
import type { StoredDocument } from './any-documents.ts'

/** Documents whose deletion is on its way, with its end. */
const underWay = new Map<string, Promise<unknown>>()

/** The deletion is on its way until it settles. */
export function beginRemoval(ids: readonly string[], end: Promise<unknown>): void {
  for (const id of ids) underWay.set(id, end)
  documentsChanged()
}

export function endRemoval(ids: readonly string[]): void {
  for (const id of ids) underWay.delete(id)
}

export function isBeingRemoved({ id }: Pick<StoredDocument, 'id'>): boolean {
  return underWay.has(id)
}

/** Resolves when no deletion of the document is on its way. */
export async function removalSettled(id: string): Promise<void> {
  await underWay.get(id)
}

/** Titles of what was deleted in an editor, for a reader who goes back to it. */
const removed = new Map<string, string>()

export function rememberRemoved(id: string, label: string): void {
  removed.set(id, label)
}

export function removedLabel(id: string): string | undefined {
  return removed.get(id)
}

/** Ids of what this page has brought back from the trash. */
const broughtBack = new Set<string>()

export function rememberBroughtBack(ids: readonly string[]): void {
  for (const id of ids) broughtBack.add(id)
}

/** Whether news of its deletion may be older than its return: the stream tells of both a little later than they are made. */
export function wasBroughtBack(id: string): boolean {
  return broughtBack.has(id)
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
