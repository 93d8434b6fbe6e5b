/** Addresses of a feed: absolute, and of the web. `javascript:`, `data:` and all other schemes are none. */

/** As long as the address of a headline. */
const ADDRESS_CHARS_MAX = 8_000
/** Control characters and line ends, which browsers take out of addresses, too. */
const IGNORED = /[\u0000-\u001f\u007f]/g

/**
 * `base` is what a relative address is relative to. Undefined for an address that is empty, of another scheme, longer
 * than 8,000 characters, or none. `feed:` is read as the address within. User and password are taken out: no headline may
 * have them.
 */
export function webAddress(text: string | undefined, base: string): string | undefined {
  if (text === undefined || text.length > 2 * ADDRESS_CHARS_MAX) return undefined
  let written = text.replace(IGNORED, '').trim()
  if (written === '') return undefined
  if (/^feed:/i.test(written)) written = written.slice(5).replace(/^\/\/(?=[^/])/, 'http://')
  if (/^www\.[\w-]+\./i.test(written)) written = `http://${written}`
  const url = URL.parse(written, base)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return undefined
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  return url.href.length > ADDRESS_CHARS_MAX ? undefined : url.href
}
