/**
 * The body of a response that is a file, sent piece by piece from one buffer.
 *
 * The next piece is read when the last one was written to the socket, so a download takes the same memory whatever its
 * size and however slow its client. A client that reads nothing at all is cut off by the server's time-out for idle
 * sockets. The header has the length: a file that turns out shorter is an error, and never a shorter body.
 */
import type { ServerResponse } from 'node:http'
import type { OpenFile } from '../base/regular-file.ts'

/** Of each download. */
const PIECE_BYTES = 128 * 1024

export interface SentFile {
  /** How many were written to the socket. */
  readonly bytes: number
  /** Why the file could not be read to its end; undefined where it was, or where the client left. */
  readonly failure: unknown
}

/** Sends the bytes of the file, without ending the response. It never rejects, and returns early where the client left. */
export async function sendFile(response: ServerResponse, { handle, start = 0, bytes }: OpenFile): Promise<SentFile> {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, bytes))
  let sent = 0
  try {
    while (sent < bytes && !isGone(response)) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, bytes - sent), start + sent)
      if (bytesRead === 0) throw new Error(`Cannot send the file: expected ${bytes} bytes, found ${sent}`)
      if (!(await written(response, buffer.subarray(0, bytesRead)))) break
      sent += bytesRead
    }
    return { bytes: sent, failure: undefined }
  } catch (failure) {
    return { bytes: sent, failure }
  }
}

/** Whether the piece was written to the socket; the buffer may be used again then. */
function written(response: ServerResponse, piece: Buffer): Promise<boolean> {
  if (isGone(response)) return Promise.resolve(false)
  return new Promise((resolve) => {
    const onClose = (): void => resolve(false)
    response.once('close', onClose)
    response.write(piece, (error) => {
      response.off('close', onClose)
      resolve(error === undefined || error === null)
    })
  })
}

function isGone(response: ServerResponse): boolean {
  return response.destroyed || response.req.socket.destroyed
}
