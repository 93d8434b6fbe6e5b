/** A write queue that can refuse work for a time, such as while the database is about to be replaced. */
import type { Failure } from '../../base/failure.ts'
import type { WriteQueue } from './write-queue.ts'

export function refusableQueue({ write, writeUnsynced, writeDerived, close }: WriteQueue) {
  let reason: (() => Failure) | undefined
  const unlessRefused =
    (enqueue: WriteQueue['write']): WriteQueue['write'] =>
    (work) => (reason === undefined ? enqueue(work) : Promise.reject(reason()))
  return {
    write: unlessRefused(write),
    writeUnsynced: unlessRefused(writeUnsynced),
    writeDerived: unlessRefused(writeDerived),
    close,
    /** Rejects all later work; resolves when what came before is on disk, with a function that takes work again. */
    async refuse(failure: () => Failure): Promise<() => void> {
      reason = failure
      const takeWrites = (): void => void (reason = undefined)
      try {
        await write(() => undefined)
      } catch (error) {
        takeWrites()
        throw error
      }
      return takeWrites
    },
  } satisfies WriteQueue & { readonly refuse: unknown }
}
