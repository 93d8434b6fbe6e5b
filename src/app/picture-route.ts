/**
 * `GET /media/HASH.webp`: a picture of our own, for everybody. Its name says which bytes it has, so that browsers and proxies
 * keep it for a year without a question. Only a name that is in the table of pictures is served, and none of it but the checked
 * hash and extension becomes a path.
 *
 * A file is opened for each piece of it: a client that reads slowly holds no descriptor, however many such clients there are.
 */
import { describe, fail } from '../base/failure.ts'
import type { Log } from '../base/log.ts'
import { readPart, type FilePart, type FileReader, type OpenFile } from '../base/regular-file.ts'
import { createRunningLimit } from '../base/running-limit.ts'
import { errorCode } from '../base/system-error.ts'
import { wantedRange } from '../http/byte-range.ts'
import { keptTags } from '../http/entity-tag.ts'
import { notModified, type Exchange, type HttpResponse } from '../http/exchange.ts'
import type { Route } from '../http/router.ts'
import { PICTURE_FORMATS } from '../media/picture-format.ts'
import { parseFileName, type PictureFiles } from '../store/media/picture-files.ts'
import type { PictureFile } from '../store/media/picture-table.ts'
import type { ReadStore } from '../store/read-store.ts'
import { FOR_EVER } from './page-routes.ts'

/** Files that are open at the same time, in each thread. */
const READING_MAX = 16
/** Up to that length, a picture is sent in one piece. */
const ONE_PIECE_BYTES_MAX = 256 * 1024

/** A picture that is opened by itself is nothing but a picture, and no page has it in a frame. */
const HEADERS = {
  'Cache-Control': FOR_EVER,
  'Accept-Ranges': 'bytes',
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  // For pages of other origins, which show the content.
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

export interface PictureRouteOptions {
  readonly store: Pick<ReadStore, 'pictures'>
  readonly files: Pick<PictureFiles, 'pathOf'>
  /** Gets a file that this node lacks from another one; false where none has it. Undefined where the service runs alone. */
  readonly fetchMissing?: ((picture: PictureFile) => Promise<boolean>) | undefined
  readonly log: Log
}

export function pictureRoute({ store, files, fetchMissing, log }: PictureRouteOptions): Route {
  const inTurn = createRunningLimit(READING_MAX)
  const read = (picture: PictureFile, part: FilePart): Promise<number> => inTurn(() => readPart(files.pathOf(picture), part))
  /** The file as one that is opened for each piece. */
  const fileOf = (picture: PictureFile, start: number, bytes: number): OpenFile => {
    const handle: FileReader = {
      read: async (buffer, at, length, from) => ({ bytesRead: await read(picture, { buffer, at, length, from }) }),
      close: async () => {},
    }
    return { handle, start, bytes }
  }
  /** The beginning of a part, and all of it where it is short. Rejects with notFound where there is no file. */
  const beginning = async (picture: PictureFile, start: number, length: number): Promise<Buffer> => {
    const buffer = Buffer.allocUnsafe(Math.min(length, ONE_PIECE_BYTES_MAX))
    const readAll = async (): Promise<Buffer> => {
      const bytesRead = await read(picture, { buffer, at: 0, length: buffer.length, from: start })
      if (bytesRead < buffer.length) throw new Error(`Cannot send the picture ${picture.hash}: expected ${picture.bytes} bytes, found ${start + bytesRead}`)
      return buffer
    }
    try {
      return await readAll()
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      if ((await fetchMissing?.(picture)) === true) return readAll()
      log.error('picture.missing', { hash: picture.hash })
      throw fail('notFound', `The file of the picture ${describe(picture.hash)} is missing`)
    }
  }
  const handler = async ({ path, params, headers, method }: Exchange): Promise<HttpResponse> => {
    const name = parseFileName(params['name'] ?? '')
    const picture = name && store.pictures.pictureFile(name.hash)
    if (name === undefined || picture?.format !== name.format) throw fail('notFound', `Cannot ${method} ${describe(path)}: there is no such picture`)
    const tag = `"${picture.hash}"`
    const contentType = PICTURE_FORMATS[picture.format].type
    const facts = { ...HEADERS, ETag: tag }
    if (keptTags(headers['if-none-match'])(tag) !== undefined) return notModified(facts)
    // Of a HEAD, a range means nothing (RFC 9110 section 14.2).
    const range = method === 'GET' ? wantedRange(headers, picture.bytes, tag) : 'all'
    if (range === 'none') {
      return { kind: 'raw', status: 416, contentType, body: '', headers: { 'Content-Range': `bytes */${picture.bytes}`, 'Accept-Ranges': 'bytes' } }
    }
    const { start, end } = range === 'all' ? { start: 0, end: picture.bytes } : range
    const status = range === 'all' ? 200 : 206
    const more = range === 'all' ? facts : { ...facts, 'Content-Range': `bytes ${start}-${end - 1}/${picture.bytes}` }
    const body = await beginning(picture, start, end - start)
    if (body.length === end - start) return { kind: 'raw', status, contentType, body, headers: more }
    return { kind: 'file', status, contentType, file: fileOf(picture, start, end - start), headers: more }
  }
  return { method: 'GET', path: '/media/:name', handler }
}
