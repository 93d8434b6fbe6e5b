/** A sealer that encrypts nothing, for tests of the store that look into entries. */
import { RecordUnreadable, type LogRecord, type Sealer } from '../../../src/store/cluster/commit-log.ts'

export function createPlainSealer(): Sealer {
  return {
    seal: ({ changeset, ...head }: LogRecord) => Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), changeset]),
    open(body) {
      const bytes = Buffer.from(body)
      const end = bytes.indexOf('\n')
      if (end === -1) throw new RecordUnreadable('damaged', 'Cannot open the entry: expected a line of JSON')
      const head = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<LogRecord, 'changeset'>
      return { ...head, changeset: bytes.subarray(end + 1) }
    },
  }
}
