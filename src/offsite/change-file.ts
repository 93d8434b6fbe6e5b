/**
 * A segment of changes, as it is before compression and encryption: for each commit a line of JSON, `{"seq":…,"at":…,"bytes":…}`, and
 * so many bytes of its changeset.
 */
import { byteSource, type Bytes } from '../base/byte-source.ts'
import { isObject, parseJson, type JsonObject } from '../base/json.ts'
import { PENDING_BYTES_MAX, type PendingChange } from '../store/pending/pending-changes.ts'
import { damagedArchive } from './tar.ts'

const LINE_BYTES_MAX = 200

export async function* writeChanges(changes: Iterable<PendingChange>): AsyncGenerator<Uint8Array> {
  for (const { seq, at, changeset } of changes) {
    yield Buffer.from(`${JSON.stringify({ seq, at, bytes: changeset.length })}\n`)
    yield changeset
  }
}

/** Throws a PlaceError for what writeChanges() does not write, and where a number does not follow the one before. */
export async function* readChanges(content: Bytes): AsyncGenerator<PendingChange> {
  const source = byteSource(content)
  let previous: number | undefined
  try {
    for (;;) {
      const line = await source.line(LINE_BYTES_MAX)
      if (line === undefined) {
        if ((await source.read(1)).length > 0) throw damagedArchive('a segment of changes has a line without an end')
        return
      }
      const { seq, at, bytes } = headOf(line)
      if (previous !== undefined && seq !== previous + 1) throw damagedArchive(`change ${seq} follows change ${previous}`)
      const changeset = await source.read(bytes)
      if (changeset.length < bytes) throw damagedArchive('a segment of changes is cut off')
      previous = seq
      yield { seq, at, changeset }
    }
  } finally {
    await source.close()
  }
}

function headOf(line: string): { readonly seq: number; readonly at: number; readonly bytes: number } {
  const read = parsed(line)
  const [seq, at, bytes] = ['seq', 'at', 'bytes'].map((name) => read?.[name])
  const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  if (!isCount(seq) || !isCount(at) || !isCount(bytes) || bytes > PENDING_BYTES_MAX) throw damagedArchive('a segment of changes is malformed')
  return { seq, at, bytes }
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line)
    return isObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
