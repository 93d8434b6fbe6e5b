/**
 * The header Accept-Encoding (RFC 9110 section 12.5.3): which codings of a body the client can read, and which rather.
 *
 * Nothing that a client writes here is an error: what is no coding is passed over, and a client that refuses all that
 * there is gets the body as it is, which the RFC allows.
 */

/** A bound for what strangers send; browsers send some thirty characters. */
const HEADER_CHARS_MAX = 1_024

/** Both codings that we make, the better one first. */
const CODINGS = ['br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** `codings [ OWS ";" OWS "q=" qvalue ]`, where codings is a token, `identity` or `*`. */
const ELEMENT = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i

/** The coding to send of those that there are; undefined for the body as it is. */
export function chooseCoding(header: string | undefined, available: readonly Coding[]): Coding | undefined {
  // Without the header any coding may be sent, but the one that everybody reads is none.
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
    // Of what is wanted alike, the smaller body goes out.
    if (quality > bestQuality || (quality === bestQuality && best === undefined))
      [best, bestQuality] = [coding, quality]
  }
  return best
}
