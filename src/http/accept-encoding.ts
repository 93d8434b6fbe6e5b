/**
 * The header Accept-Encoding (RFC 9110 section 12.5.3): which codings of a body the client reads, in its preference.
 *
 * No text is an error here: elements that are no coding are ignored, and a client that refuses every available coding
 * gets the body unencoded, which the RFC allows.
 */

import { setNewest } from '../base/bounded-map.ts'

/** Browsers and apps send the same few headers, of some thirty characters. */
const HEADER_CHARS_MAX = 1_024
const HEADERS_KEPT_MAX = 200
const KEPT_CHARS_MAX = 200

/** All codings of the program, the better one first: Brotli (RFC 7932), for files, and gzip (RFC 1952). */
export const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** `codings [ OWS ";" OWS "q=" qvalue ]`, where codings is a token, `identity` or `*`. */
const ELEMENT = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i

/** The available coding to send; undefined for the body unencoded. */
export function chooseCoding(header: string | undefined, available: readonly Coding[]): Coding | undefined {
  // Without the header any coding may be sent, but every client reads a body that has none.
  if (header === undefined || header.length > HEADER_CHARS_MAX) return undefined
  const qualities = new Map<string, number>()
  for (const element of header.split(',')) {
    const [, name, weight = '1'] = ELEMENT.exec(element.trim()) ?? []
    if (name === undefined) continue
    const coding = name.toLowerCase()
    qualities.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight)) // RFC 9110 section 8.4.1.3
  }
  const rest = qualities.get('*') ?? 0
  let [best, bestQuality] = [undefined as Coding | undefined, qualities.get('identity') ?? 0]
  for (const coding of CODINGS) {
    const quality = qualities.get(coding) ?? rest
    if (!available.includes(coding) || quality === 0) continue
    // Of two with the same weight, the smaller body is sent.
    if (quality > bestQuality || (quality === bestQuality && best === undefined))
      [best, bestQuality] = [coding, quality]
  }
  return best
}

/** Returns chooseCoding() for these codings, which remembers what the latest headers mean. */
export function codingChoice(available: readonly Coding[]): (header: string | undefined) => Coding | undefined {
  const known = new Map<string, Coding | 'none'>()
  return (header) => {
    if (header === undefined) return undefined
    let coding = known.get(header)
    if (coding === undefined) {
      coding = chooseCoding(header, available) ?? 'none'
      if (header.length <= KEPT_CHARS_MAX) setNewest(known, header, coding, HEADERS_KEPT_MAX)
    }
    return coding === 'none' ? undefined : coding
  }
}
