/**
 * A segment of changes, as it is before compression and encryption: a line of JSON with what its key says,
 * `{"chain":"…","first":…,"last":…,"at":…}`, so that one under the key of another is found out; and for each commit a line,
 * `{"seq":…,"at":…,"bytes":…}`, and so many bytes of its changeset.
 */
import { byteSource, type Bytes } from '../base/byte-source.ts'
import { isCount, parseJsonObject } from '../base/json.ts'
import { PENDING_BYTES_MAX, type PendingChange } from '../store/pending/pending-changes.ts'
import { segmentKey, type SegmentId } from './object-keys.ts'
import { damagedArchive } from './tar.ts'

const LINE_BYTES_MAX = 200
/** The end of the year 9999. */
const AT_MAX = 253_402_300_799_999

export async function* writeChanges({ chain, first, last, at }: SegmentId, changes: Iterable<PendingChange>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify({ chain, first, last, at })}\n`)
  for (const { seq, at, changeset } of changes) {
    yield Buffer.from(`${JSON.stringify({ seq, at, bytes: changeset.length })}\n`)
    yield changeset
  }
}

/**
 * The changes of a segment, each number from its first to its last. Throws a PlaceError for what writeChanges() does not write; for
 * a segment of another key, before the first change.
 */
export async function* readChanges(content: Bytes, segment: SegmentId): AsyncGenerator<PendingChange> {
  const source = byteSource(content)
  let reached = segment.first - 1
  try {
    const [wanted, found] = [segmentKey(segment), keyIn(await source.line(LINE_BYTES_MAX))]
    if (found !== wanted) throw damagedArchive(`it has the content of ${found ?? 'no segment of changes'}`)
    for (;;) {
      const line = await source.line(LINE_BYTES_MAX)
      if (line === undefined) {
        if ((await source.read(1)).length > 0) throw damagedArchive('a segment of changes has a line without an end')
        if (reached !== segment.last) throw damagedArchive(`it ends with change ${reached}`)
        return
      }
      const { seq, at, bytes } = headOf(line)
      if (seq !== reached + 1 || seq > segment.last) throw damagedArchive(`it has change ${seq} in the place of change ${reached + 1}`)
      const changeset = await source.read(bytes)
      if (changeset.length < bytes) throw damagedArchive('a segment of changes is cut off')
      reached = seq
      yield { seq, at, changeset }
    }
  } finally {
    await source.close()
  }
}

/** The key that the first line of a segment is for. */
function keyIn(line: string | undefined): string | undefined {
  const { chain, first, last, at } = (line === undefined ? undefined : parseJsonObject(line)) ?? {}
  if (typeof chain !== 'string' || !/^[0-9a-f]{16}$/.test(chain) || !isCount(first) || !isCount(last) || !isCount(at) || at > AT_MAX) return undefined
  return segmentKey({ chain, first, last, at })
}

function headOf(line: string): { readonly seq: number; readonly at: number; readonly bytes: number } {
  const read = parseJsonObject(line)
  const [seq, at, bytes] = ['seq', 'at', 'bytes'].map((name) => read?.[name])
  if (!isCount(seq) || !isCount(at) || !isCount(bytes) || bytes > PENDING_BYTES_MAX) throw damagedArchive('a segment of changes is malformed')
  return { seq, at, bytes }
}
