/**
 * Limits how many downloads run at the same time: each holds a file open for as long as its client takes, and one that
 * is removed meanwhile goes on to fill the disk.
 */
import { fail } from '../base/failure.ts'

/** Of all users together. */
export const DOWNLOADS_MAX = 4
export const DOWNLOADS_PER_USER_MAX = 2
/** A guess: how long a client takes to read is unknown. */
const RETRY_AFTER_S = 30

export interface DownloadSlots {
  /** Takes a slot for a user; gives what frees it, to be called once. Throws tooManyRequests where none is free. */
  take(user: string): () => void
}

export function downloadSlots(): DownloadSlots {
  const held: string[] = []
  return {
    take(user) {
      const own = held.filter((one) => one === user).length
      if (own >= DOWNLOADS_PER_USER_MAX) throw tooMany(`At most ${DOWNLOADS_PER_USER_MAX} downloads of one user`)
      if (held.length >= DOWNLOADS_MAX) throw tooMany(`At most ${DOWNLOADS_MAX} downloads`)
      held.push(user)
      return () => void held.splice(held.indexOf(user), 1)
    },
  }
}

function tooMany(what: string): Error {
  return fail('tooManyRequests', `${what} can run at once: wait until one has ended`, {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  })
}
