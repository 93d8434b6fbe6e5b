/** What is known of a picture from its header, and how large it may be. */
import { fail, type Failure } from '../base/failure.ts'

/** The formats that browsers show, each with its media type and the end of its file names. */
export const PICTURE_FORMATS = {
  jpeg: { title: 'JPEG', type: 'image/jpeg', extension: 'jpg' },
  png: { title: 'PNG', type: 'image/png', extension: 'png' },
  webp: { title: 'WebP', type: 'image/webp', extension: 'webp' },
  gif: { title: 'GIF', type: 'image/gif', extension: 'gif' },
  avif: { title: 'AVIF', type: 'image/avif', extension: 'avif' },
} as const

export type PictureFormat = keyof typeof PICTURE_FORMATS

export interface PictureFacts {
  readonly format: PictureFormat
  /** In pixels, as a browser shows it. */
  readonly width: number
  readonly height: number
  /** 1 for a still picture. */
  readonly frames: number
}

export interface Picture extends PictureFacts {
  /** The file without what is not shown. */
  readonly bytes: Buffer
}

const SIDE_MAX = 16_384
/** A camera of 48 megapixels; decoded, 200 MB. */
const PIXELS_MAX = 50_000_000
const FRAMES_MAX = 500
/** Of all frames together: a short film of a small size. */
const FRAME_PIXELS_MAX = 500_000_000

/** Bytes of a colour profile; those of cameras and screens have some kilobytes. */
export const PROFILE_BYTES_MAX = 1024 * 1024

/** invalidInput for a file that is not taken: `reason` is a clause with what is wrong and what is wanted. */
export function refused(reason: string): Failure {
  return fail('invalidInput', `Cannot take the picture: ${reason}`)
}

/** The same for a file whose parts do not fit together, as after a download that was cut off. */
export function damaged(format: PictureFormat, what: string): Failure {
  return refused(`${what}, so this ${PICTURE_FORMATS[format].title} is damaged: save it again with another program`)
}

/** Throws invalidInput for a picture, or a frame of one, that would take too much memory where it is shown. */
export function requireSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw refused(`expected a size of 1 x 1 pixels or more, found ${width} x ${height}`)
  if (width > SIDE_MAX || height > SIDE_MAX) throw refused(`expected sides of at most ${SIDE_MAX} pixels, found ${width} x ${height}`)
  if (width * height > PIXELS_MAX) {
    throw refused(`expected at most ${PIXELS_MAX / 1_000_000} megapixels, found ${width} x ${height}, which is ${Math.ceil((width * height) / 1_000_000)}`)
  }
}

/** Counts the frames of one picture. */
export function frameCount() {
  let [frames, pixels] = [0, 0]
  return {
    /** Throws invalidInput for one too many, and for one that is too large. */
    add(width: number, height: number): void {
      requireSize(width, height)
      frames++
      pixels += width * height
      if (frames > FRAMES_MAX) throw refused(`expected at most ${FRAMES_MAX} frames, found more`)
      if (pixels > FRAME_PIXELS_MAX) throw refused(`expected frames of at most ${FRAME_PIXELS_MAX / 1_000_000} megapixels in all, found more`)
    },
    total: (): number => frames,
  }
}
