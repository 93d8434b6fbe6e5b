/**
 * Reads the file of a picture by its bytes, whatever its name or type is said to be, and takes out of it what is not shown:
 * Exif with places and serial numbers, XMP, comments, and all that follows the picture, where another file could hide.
 *
 * No image is decoded: a header tells the size, and a decoder is the largest target that an upload can have. Only the colour
 * profile of a PNG is unpacked, by zlib and up to PROFILE_BYTES_MAX, to tell whether it is one. The result is the same for a
 * picture that was cleaned before, so that its hash names it wherever it goes.
 */
import { cleanAvif, isAvif } from './avif.ts'
import { cleanGif } from './gif.ts'
import { cleanJpeg } from './jpeg.ts'
import { keptBytes } from './kept-bytes.ts'
import { PICTURE_FORMATS, refused, type Picture, type PictureFormat } from './picture-format.ts'
import { cleanPng } from './png.ts'
import { cleanWebp } from './webp.ts'

export const PICTURE_BYTES_MAX = 10 * 1024 * 1024

/** Longer than the beginnings by which formats are told apart. */
const BEGINNING_BYTES = 512

/** The picture in a buffer, which is changed. Throws invalidInput for anything else, with what it is and what is wanted. */
export function readPicture(bytes: Buffer): Picture {
  if (bytes.length > PICTURE_BYTES_MAX) throw refused(`expected at most ${PICTURE_BYTES_MAX} bytes, found ${bytes.length}`)
  switch (formatOf(bytes)) {
    case 'jpeg':
      return cleanJpeg(keptBytes(bytes))
    case 'png':
      return cleanPng(keptBytes(bytes))
    case 'webp':
      return cleanWebp(keptBytes(bytes))
    case 'gif':
      return cleanGif(keptBytes(bytes))
    case 'avif':
      return cleanAvif(bytes)
    case undefined:
      throw refused(`expected ${Object.values(PICTURE_FORMATS).map(({ title }) => title).join(', ')}, found ${otherKind(bytes)}`)
  }
}

function formatOf(bytes: Buffer): PictureFormat | undefined {
  const begins = (text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text
  if (begins('\xff\xd8\xff')) return 'jpeg'
  if (begins('\x89PNG\r\n\x1a\n')) return 'png'
  if (begins('RIFF') && begins('WEBP', 8)) return 'webp'
  if (begins('GIF87a') || begins('GIF89a')) return 'gif'
  return isAvif(bytes) ? 'avif' : undefined
}

/** What people send most among other files. */
function otherKind(bytes: Buffer): string {
  if (bytes.length === 0) return 'nothing'
  const text = bytes.toString('latin1', 0, BEGINNING_BYTES)
  if (/^(?:\xef\xbb\xbf)?\s*<(?:svg|\?xml|!DOCTYPE svg)/i.test(text)) return 'SVG, which can hold scripts: save it as PNG or WebP'
  if (/^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html)/i.test(text)) return 'HTML'
  if (/^(?:\xef\xbb\xbf)?\s*[{[]/.test(text)) return 'JSON: send the bytes of the picture'
  if (text.startsWith('%PDF')) return 'PDF'
  if (/^....ftyp(?:heic|heix|mif1|msf1)/s.test(text)) return 'HEIC, which few browsers show: save it as JPEG'
  if (text.startsWith('BM')) return 'BMP: save it as PNG'
  if (/^(?:II\*\0|MM\0\*)/.test(text)) return 'TIFF: save it as PNG or JPEG'
  if (text.startsWith('----')) return 'a form: send the bytes of the picture as the body'
  return 'another kind of file'
}
