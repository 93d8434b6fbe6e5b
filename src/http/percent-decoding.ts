/** Percent-decoding as UTF-8 (RFC 3986 section 2.1), for parts of the path and of the query string. */

/**
 * Decodes one part of a request target. Undefined where an escape is broken (`%zz`, `%4`) or the bytes are not UTF-8.
 * The target is ASCII: node's parser refuses a request that sends other bytes unescaped.
 */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
