/** What pictures may take of the disk of the service: a share of it, or what the operator says. */
import { concern, type Concern } from '../base/concern.ts'
import type { PictureLimit } from '../content/kept-pictures.ts'
import type { PictureTotals } from '../store/media/picture-table.ts'
import { diskLimit, MIB, NEARLY_ALL } from './disk-share.ts'
import { FREE_BYTES_MIN } from './readiness.ts'

/** With less free, no picture is added: what is left is for the database. */
const PICTURE_FREE_BYTES_MIN = 3 * FREE_BYTES_MIN
const PICTURE_SHARE = { share: 0.1, bytesMax: 10 * 1024 * MIB, freeBytesMin: PICTURE_FREE_BYTES_MIN }

/** `mb` gives the setting in use. */
export function createPictureLimit(dataDir: string, mb: () => number): () => PictureLimit {
  return diskLimit(dataDir, mb, PICTURE_SHARE)
}

/** Why no picture can be added, or soon none can; undefined while they can. */
export function pictureConcern({ bytes }: PictureTotals, { bytesMax, isDiskShort }: PictureLimit): Concern | undefined {
  if (isDiskShort) {
    const message = `no new pictures: less than ${PICTURE_FREE_BYTES_MIN / MIB} MiB are free on the disk`
    return concern('picturesDisk', message, { bytes: PICTURE_FREE_BYTES_MIN })
  }
  if (bytes < bytesMax * NEARLY_ALL) return undefined
  const share = `pictures take ${Math.ceil(bytes / MIB)} MiB of the ${Math.floor(bytesMax / MIB)} MiB that all together may`
  return concern('picturesFull', `${share}: remove some that nothing names, or see --media-max`, { bytes, limit: bytesMax })
}
