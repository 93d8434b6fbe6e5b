/**
 * The query string, form-decoded: application/x-www-form-urlencoded as the WHATWG URL Standard parses it, except that a
 * broken escape is an error and not a replacement character, since a filter must never silently be another.
 *
 * Only the parameters that a handler reads are checked. Unknown ones are ignored.
 */
import { setNewest } from '../base/bounded-map.ts'
import { fail } from '../base/failure.ts'

const PARAMETERS_MAX = 100

export interface Query {
  /**
   * The decoded value; undefined where the parameter is absent, `''` for `name=` and for `name` alone.
   * Throws badRequest, naming the parameter, when it is given more than once or cannot be decoded.
   */
  get(name: string): string | undefined
}

/** Short query strings that come again, with every request of a model. Those with a filter come as often as their pages. */
const known = new Map<string, Query>()
const KNOWN_MAX = 500
const KNOWN_CHARS_MAX = 60
const NO_PARAMETERS: Query = { get: () => undefined }

/** Takes the text after the `?`. Throws badRequest past PARAMETERS_MAX parameters. */
export function parseQuery(text: string): Query {
  if (text === '') return NO_PARAMETERS
  const found = known.get(text)
  if (found !== undefined) return found
  if (text.length > KNOWN_CHARS_MAX) return readQuery(text)
  // The text may be a slice that keeps a URL of 64 KiB in memory.
  const copy = Buffer.from(text).toString()
  const query = readQuery(copy)
  setNewest(known, copy, query, KNOWN_MAX)
  return query
}

function readQuery(text: string): Query {
  const values = new Map<string, string[]>()
  for (const pair of splitPairs(text)) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeForm(equals === -1 ? pair : pair.slice(0, equals))
    if (name === undefined) continue // No parameter of the API has a broken escape in its name.
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    const before = values.get(name)
    if (before === undefined) values.set(name, [value])
    else before.push(value)
  }
  return { get: (name) => single(name, values.get(name)) }
}

function splitPairs(text: string): readonly string[] {
  const pairs = text.split('&', PARAMETERS_MAX + 1)
  if (pairs.length > PARAMETERS_MAX) {
    throw fail('badRequest', `Cannot read the query string: expected at most ${PARAMETERS_MAX} parameters, found more`)
  }
  return pairs
}

function single(name: string, values: readonly string[] = []): string | undefined {
  const [value, second] = values
  if (value === undefined) return undefined
  if (second !== undefined) {
    throw fail('badRequest', `Cannot read query parameter "${name}": expected it once, found it ${values.length} times`)
  }
  const decoded = decodeForm(value)
  if (decoded === undefined) {
    const wanted = 'expected percent-escapes of UTF-8, found a broken one'
    throw fail('badRequest', `Cannot read query parameter "${name}": ${wanted}`)
  }
  return decoded
}

function decodeForm(text: string): string | undefined {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

/**
 * Decodes one part of a request target as UTF-8 (RFC 3986 section 2.1). Undefined where an escape is broken (`%zz`, `%4`) or the bytes are not UTF-8.
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
