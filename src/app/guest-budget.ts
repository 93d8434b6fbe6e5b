/** What guests may keep on the disk of the service: a share of it, or what the operator says. */
import { statfsSync } from 'node:fs'
import { FREE_BYTES_MIN } from './readiness.ts'
import type { GuestLimit, GuestStorage } from '../store/accounts/guest-table.ts'

const MIB = 1024 * 1024
/** Of the whole disk, where the setting is 0; and at most so much. */
const DISK_SHARE = 0.05
const DEFAULT_BYTES_MAX = 1024 * MIB
/** Of what guests may keep: idle ones make room ahead of it. */
const NEARLY_ALL = 0.95
/** With less free, guests add nothing: what is left is for those who run the service, who are told at half of it. */
const GUEST_FREE_BYTES_MIN = 2 * FREE_BYTES_MIN

/** `mb` gives the setting in use. The disk is asked each time, which takes some microseconds. */
export function createGuestLimit(dataDir: string, mb: () => number): () => GuestLimit {
  return () => {
    const { blocks, bavail, bsize } = statfsSync(dataDir)
    const bytesMax = mb() > 0 ? mb() * MIB : Math.min(DEFAULT_BYTES_MAX, Math.floor(blocks * bsize * DISK_SHARE))
    return { bytesMax, isDiskShort: bavail * bsize < GUEST_FREE_BYTES_MIN }
  }
}

/** Why guests may add nothing, or soon will not; undefined while they may. */
export function guestConcern({ bytes }: GuestStorage, { bytesMax, isDiskShort }: GuestLimit): string | undefined {
  if (isDiskShort) return `no new guests: less than ${GUEST_FREE_BYTES_MIN / MIB} MiB are free on the disk`
  if (bytes < bytesMax * NEARLY_ALL) return undefined
  const share = `guests keep ${Math.ceil(bytes / MIB)} MiB of the ${Math.floor(bytesMax / MIB)} MiB that all together may`
  return `${share}, and those who are not idle make no room: see --guests-mb and --guests-per-address`
}
