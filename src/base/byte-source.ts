/** Reads a stream of chunks by numbers of bytes, however the chunks are cut. Holds one chunk and what is asked for. */

export type Bytes = AsyncIterable<Uint8Array>

export type ByteSource = ReturnType<typeof byteSource>

export function byteSource(chunks: Bytes) {
  const iterator = chunks[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  let hasEnded = false

  const pull = async (): Promise<boolean> => {
    if (hasEnded) return false
    const { value, done } = await iterator.next()
    if (done === true) return !(hasEnded = true)
    held = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    return true
  }
  return {
    /** The next bytes: as many as asked for, fewer at the end of the stream only. */
    async read(count: number): Promise<Buffer> {
      const parts: Buffer[] = []
      let missing = count
      while (missing > 0 && (held.length > 0 || (await pull()))) {
        const part = held.subarray(0, missing)
        held = held.subarray(part.length)
        missing -= part.length
        parts.push(part)
      }
      const [only] = parts
      return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
    },
    /** The bytes up to a line feed, without it; undefined where none comes within `bytesMax`: then nothing was read. */
    async line(bytesMax: number): Promise<string | undefined> {
      const parts: Buffer[] = []
      let length = 0
      while (length <= bytesMax && (held.length > 0 || (await pull()))) {
        const end = held.indexOf(0x0a)
        const part = end === -1 ? held : held.subarray(0, end)
        held = end === -1 ? Buffer.alloc(0) : held.subarray(end + 1)
        parts.push(part)
        length += part.length
        if (end !== -1) return length > bytesMax ? undefined : Buffer.concat(parts).toString('latin1')
      }
      held = Buffer.concat([...parts, held])
      return undefined
    },
    /** Ends the stream: what is not read is not wanted. */
    async close(): Promise<void> {
      hasEnded = true
      await iterator.return?.()
    },
  }
}

/** A stream of these bytes alone. */
export async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}

/** The stream cut into pieces of one size; the last may be shorter. An empty stream has none. */
export async function* pieces(chunks: Bytes, size: number): AsyncGenerator<Buffer> {
  const source = byteSource(chunks)
  try {
    for (;;) {
      const piece = await source.read(size)
      if (piece.length > 0) yield piece
      if (piece.length < size) return
    }
  } finally {
    await source.close()
  }
}
