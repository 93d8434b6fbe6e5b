/**
 * A picture as it is sent: turned upright, no larger than a screen needs, and encoded by the browser. What the browser cannot
 * read, and what moves, goes as it is: the service says what it takes.
 */

const SIDE_MAX = 2_000
const QUALITY = 0.85
/** What its frames would be lost of. */
const MOVING = /^image\/(?:gif|apng)$/
const COLOURLESS = '#fff'

export interface ShrunkPicture {
  readonly bytes: Blob
  /** What is sent, drawn; undefined where the browser cannot read it. */
  readonly canvas: HTMLCanvasElement | undefined
}

/** Reads a file of the reader. */
export async function shrinkPicture(file: Blob): Promise<ShrunkPicture> {
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => undefined)
  if (bitmap === undefined) return { bytes: file, canvas: undefined }
  const scale = Math.min(1, SIDE_MAX / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  if (MOVING.test(file.type)) return { bytes: file, canvas }
  const encoded = (await encode(canvas, 'image/webp')) ?? (await encode(onWhite(canvas), 'image/jpeg'))
  const isSmaller = encoded !== undefined && (scale < 1 || encoded.size < file.size)
  return { bytes: isSmaller ? encoded : file, canvas }
}

/** Undefined where the browser does not write the type: it then writes PNG. */
async function encode(canvas: HTMLCanvasElement, type: string): Promise<Blob | undefined> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, QUALITY))
  return blob?.type === type ? blob : undefined
}

/** JPEG has no transparency, which would be black. */
function onWhite(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const context = canvas.getContext('2d')
  if (context === null) return canvas
  context.globalCompositeOperation = 'destination-over'
  context.fillStyle = COLOURLESS
  context.fillRect(0, 0, canvas.width, canvas.height)
  return canvas
}
