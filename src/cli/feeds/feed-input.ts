/** The file that a command of feeds reads, or stdin. */
import type { Readable } from 'node:stream'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import { FEED_FILE_BYTES_MAX } from '../../content/feeds/feed-file.ts'
import type { Operand, Terminal } from '../command.ts'

export const FEED_FILE_OPERAND: readonly Operand[] = [{ name: 'FILE', meaning: 'the file; - reads stdin' }]

/** The bytes; a sentence that says why there are none. */
export async function readFeedInput(file: string, { stdin }: Pick<Terminal, 'stdin'>): Promise<Uint8Array | string> {
  try {
    return file === '-' ? await readAll(stdin) : readRegularFile(file, FEED_FILE_BYTES_MAX)
  } catch (error) {
    return `Cannot read ${JSON.stringify(file)}: ${systemReason(error)}`
  }
}

/** Ends where a pipe has more than a feed may have, also one without an end. */
async function readAll(stdin: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as Uint8Array)
    bytes += part.length
    if (bytes > FEED_FILE_BYTES_MAX) throw new Error(`expected at most ${FEED_FILE_BYTES_MAX} bytes`)
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}
