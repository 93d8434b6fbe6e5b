/**
 * The relaxed form of headers and body (RFC 6376 sections 3.4.2 and 3.4.4): what a DKIM signature is made over, so that
 * a server on the way may fold a line anew or change spaces without breaking it.
 */

/** A header field with its name, folds and all, without the CRLF at its end: `Subject: Hello` gives `subject:Hello`. */
export function relaxedHeader(field: string): string {
  const colon = field.indexOf(':')
  const value = field
    .slice(colon + 1)
    .replace(/\r\n(?=[ \t])/g, '')
    .replace(/[ \t]+/g, ' ')
  return `${field.slice(0, colon).trimEnd().toLowerCase()}:${value.trim()}`
}

/** The body after the empty line. An empty one stays empty; any other ends with one CRLF. */
export function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
  const last = lines.findLastIndex((line) => line !== '')
  return lines
    .slice(0, last + 1)
    .map((line) => `${line}\r\n`)
    .join('')
}

/**
 * The fields that the names of `h=` stand for, in their relaxed form, each ended by CRLF (section 5.4.2): a name that
 * is there twice takes the last field of that name and then the one above it. One that finds none adds nothing, and
 * thereby says that there is none.
 */
export function relaxedFields(fields: readonly string[], names: readonly string[]): string {
  const left = fields.map(relaxedHeader)
  return names
    .map((name) => {
      const at = left.findLastIndex((field) => field.startsWith(`${name.toLowerCase()}:`))
      return at === -1 ? '' : `${left.splice(at, 1)[0] ?? ''}\r\n`
    })
    .join('')
}
