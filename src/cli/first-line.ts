/** A secret that a command reads from standard input, so that no list of processes has it. */
import type { Readable } from 'node:stream'
import { UsageError } from './command.ts'

const LINE_CHARS_MAX = 4_096

/** The first line; spaces may belong to a passphrase, and stay. Throws UsageError for an empty one, or one of more than 4,096 characters. */
export async function firstLineOf(stdin: Readable, wanted: string): Promise<string> {
  let read = ''
  for await (const chunk of stdin) {
    read += String(chunk)
    if (read.includes('\n') || read.length > LINE_CHARS_MAX) break
  }
  const line = read.split(/\r?\n/, 1)[0] ?? ''
  if (line === '' || line.length > LINE_CHARS_MAX) throw new UsageError(`Expected ${wanted} on standard input, found ${line === '' ? 'nothing' : 'a longer text'}`)
  return line
}
