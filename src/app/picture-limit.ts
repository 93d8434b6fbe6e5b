/** What pictures may take of the disk of the service: a share of it, or what the operator says. */
import { statfsSync } from 'node:fs'
import type { PictureLimit } from '../content/kept-pictures.ts'
import type { PictureTotals } from '../store/media/picture-table.ts'
import { FREE_BYTES_MIN } from './readiness.ts'

const MIB = 1024 * 1024
/** Of the whole disk, where the setting is 0; and at most so much. */
const DISK_SHARE = 0.1
const DEFAULT_BYTES_MAX = 10 * 1024 * MIB
/** Of what pictures may take: administrators are told ahead of the limit. */
const NEARLY_ALL = 0.95
/** With less free, no picture is added: what is left is for the database. */
const PICTURE_FREE_BYTES_MIN = 3 * FREE_BYTES_MIN

/** `mb` gives the setting in use. The disk is asked each time, which takes some microseconds. */
export function createPictureLimit(dataDir: string, mb: () => number): () => PictureLimit {
  return () => {
    const { blocks, bavail, bsize } = statfsSync(dataDir)
    const bytesMax = mb() > 0 ? mb() * MIB : Math.min(DEFAULT_BYTES_MAX, Math.floor(blocks * bsize * DISK_SHARE))
    return { bytesMax, isDiskShort: bavail * bsize < PICTURE_FREE_BYTES_MIN }
  }
}

/** Why no picture can be added, or soon none can; undefined while they can. */
export function pictureConcern({ bytes }: PictureTotals, { bytesMax, isDiskShort }: PictureLimit): string | undefined {
  if (isDiskShort) return `no new pictures: less than ${PICTURE_FREE_BYTES_MIN / MIB} MiB are free on the disk`
  if (bytes < bytesMax * NEARLY_ALL) return undefined
  return `pictures take ${Math.ceil(bytes / MIB)} MiB of the ${Math.floor(bytesMax / MIB)} MiB that all together may: remove some that nothing names, or see --media-max`
}
