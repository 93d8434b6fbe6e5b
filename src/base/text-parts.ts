/** A text in parts, some of which are UTF-8 already: it is never put together, and so never copied. */
export type TextPart = string | Uint8Array | SingleUse

/**
 * UTF-8 that is sent once and never read again. Its memory is released then: memory outside of V8's heap that waits for
 * the garbage collector makes it run far more often.
 */
export interface SingleUse {
  /** Has its ArrayBuffer for itself. */
  readonly once: Uint8Array<ArrayBuffer>
}

/** The bytes of all parts as UTF-8. */
export function bytesOf(parts: readonly TextPart[]): number {
  let bytes = 0
  for (const part of parts) bytes += typeof part === 'string' ? Buffer.byteLength(part) : content(part).length
  return bytes
}

/** The text or the bytes of a part. */
export function content<Text extends string | Uint8Array>(part: Text | SingleUse): Text | Uint8Array {
  return typeof part === 'object' && 'once' in part ? part.once : part
}

/** Releases what was sent. */
export function release(parts: readonly TextPart[]): void {
  for (const part of parts) if (typeof part === 'object' && 'once' in part) part.once.buffer.transfer(0)
}
