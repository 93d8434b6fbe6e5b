/** A text in parts, some of which are UTF-8 already: it is never put together, and so never copied. */
export type TextPart = string | Uint8Array

/** The bytes of all parts as UTF-8. */
export function bytesOf(parts: readonly TextPart[]): number {
  return parts.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.length), 0)
}
