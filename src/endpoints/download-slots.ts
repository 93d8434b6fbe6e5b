/**
 * Limits how many downloads and uploads run at the same time. A download holds a file open for as long as its client takes, and
 * one that is removed meanwhile goes on to fill the disk. An upload holds the memory of a picture.
 *
 * The main thread has the only slots: serving threads forward these requests to it. Such a thread has received the body of an
 * upload before, which counts in the memory of request bodies that all threads share (src/http/body-limits.ts).
 */
import { fail } from '../base/failure.ts'

/** Of all users together. */
export const DOWNLOADS_MAX = 4
export const DOWNLOADS_PER_USER_MAX = 2
export const UPLOADS_MAX = 4
export const UPLOADS_PER_USER_MAX = 2
/** Guesses: how long a client takes is unknown. */
const [DOWNLOAD_RETRY_S, UPLOAD_RETRY_S] = [30, 2]

export interface TransferSlots {
  /** Takes a slot for a user; gives what frees it, to be called once. Throws tooManyRequests where none is free. */
  take(user: string): () => void
}

export const downloadSlots = (): TransferSlots =>
  slotsOf('downloads', { all: DOWNLOADS_MAX, perUser: DOWNLOADS_PER_USER_MAX, retryAfterS: DOWNLOAD_RETRY_S })

export const uploadSlots = (): TransferSlots => slotsOf('uploads', { all: UPLOADS_MAX, perUser: UPLOADS_PER_USER_MAX, retryAfterS: UPLOAD_RETRY_S })

interface SlotLimits {
  readonly all: number
  readonly perUser: number
  readonly retryAfterS: number
}

function slotsOf(what: string, { all, perUser, retryAfterS }: SlotLimits): TransferSlots {
  const held: string[] = []
  const tooMany = (most: string): Error =>
    fail('tooManyRequests', `At most ${most} can run at once: wait until one has ended`, { headers: { 'Retry-After': String(retryAfterS) } })
  return {
    take(user) {
      if (held.filter((one) => one === user).length >= perUser) throw tooMany(`${perUser} ${what} of one user`)
      if (held.length >= all) throw tooMany(`${all} ${what}`)
      held.push(user)
      return () => void held.splice(held.indexOf(user), 1)
    },
  }
}
