/** What guests may keep on the disk of the service: a share of it, or what the operator says. */
import { concern, type Concern } from '../base/concern.ts'
import type { GuestLimit, GuestStorage } from '../store/accounts/guest-table.ts'
import { diskLimit, MIB, NEARLY_ALL } from './disk-share.ts'
import { FREE_BYTES_MIN } from './readiness.ts'

/** With less free, guests and readers add nothing: what is left is for those who run the service, who are told at half of it. */
const GUEST_FREE_BYTES_MIN = 2 * FREE_BYTES_MIN
const GUEST_SHARE = { share: 0.05, bytesMax: 1024 * MIB, freeBytesMin: GUEST_FREE_BYTES_MIN }

/** `mb` gives the setting in use. */
export function createGuestLimit(dataDir: string, mb: () => number): () => GuestLimit {
  return diskLimit(dataDir, mb, GUEST_SHARE)
}

/** Why guests may add nothing, or soon will not; undefined while they may. */
export function guestConcern({ bytes }: GuestStorage, { bytesMax, isDiskShort }: GuestLimit): Concern | undefined {
  if (isDiskShort) {
    const message = `no new guests, and readers add nothing: less than ${GUEST_FREE_BYTES_MIN / MIB} MiB are free on the disk`
    return concern('guestsDisk', message, { bytes: GUEST_FREE_BYTES_MIN })
  }
  if (bytes < bytesMax * NEARLY_ALL) return undefined
  const share = `guests keep ${Math.ceil(bytes / MIB)} MiB of the ${Math.floor(bytesMax / MIB)} MiB that all together may`
  const message = `${share}, and those who are not idle make no room: see --guests-mb and --guests-per-address`
  return concern('guestsFull', message, { bytes, limit: bytesMax })
}
