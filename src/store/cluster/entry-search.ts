/** Looks for an entry in the log. */
import type { CommitLog } from './commit-log.ts'
import type { LastEntry } from './position-table.ts'
import type { Sealer } from './sealer.ts'

/**
 * Whether the log still has an entry: false where another one is at its position, or that was trimmed. Every log has what
 * is before its first entry. Does not resolve while the log cannot be reached.
 */
export async function isInLog(log: CommitLog, { position, entry }: LastEntry, sealer: Sealer): Promise<boolean> {
  if (position === 0) return true
  const found = Promise.withResolvers<boolean>()
  const { stop } = log.follow(position - 1, {
    entry: (first) => found.resolve(first.position === position && isEntry(first.body, entry, sealer)),
    gap: () => found.resolve(false),
  })
  const isThere = await found.promise
  stop()
  return isThere
}

function isEntry(body: Uint8Array, entry: string, sealer: Sealer): boolean {
  try {
    return sealer.open(body).id === entry
  } catch {
    return false
  }
}
