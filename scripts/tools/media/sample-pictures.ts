/** A small picture of each format, with notes on camera and place where the format has room for them. */
import samples from '../../../test/cases/pictures.json' with { type: 'json' }

export type SampleName = keyof typeof samples

/** In the comments, Exif and XMP of the samples, and nowhere in their pixels. */
export const PRIVATE_NOTE = 'SECRET'

/** All of them are 24 pixels wide and 16 high; one is noted as turned. */
export const SAMPLE_NAMES = Object.keys(samples) as SampleName[]

/** A fresh buffer with the file. */
export function samplePicture(name: SampleName): Buffer {
  return Buffer.from(samples[name], 'base64')
}
