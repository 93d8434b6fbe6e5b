/**
 * The address of the site, below which its pictures are. Without the setting, it is the one that the request was sent to: the
 * client gets its own words back, and no one else does.
 */
import type { Exchange } from '../http/exchange.ts'

export interface SiteBase {
  /** The setting in use: a URL that ends in a slash. */
  readonly publicUrl: () => string | undefined
  /** Whether clients reach this process over TLS. */
  readonly isTls: boolean
}

const HOST = /^(?:[a-z\d.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i

/** A URL that ends in a slash. */
export function siteBaseOf({ headers, isFromProxy }: Pick<Exchange, 'headers' | 'isFromProxy'>, { publicUrl, isTls }: SiteBase): string {
  const url = publicUrl()
  if (url !== undefined) return url
  const { host = '', origin } = headers
  const own = origin === undefined ? null : URL.parse(origin)
  // A page of this site says by its origin how its reader reached it, whatever is in between.
  if (own !== null && own.host === host.toLowerCase() && /^https?:$/.test(own.protocol)) return `${own.origin}/`
  return `${schemeOf({ headers, isFromProxy }, isTls)}://${HOST.test(host) ? host.toLowerCase() : 'localhost'}/`
}

/** `https` where the client speaks TLS, to this process or to a trusted proxy before it. */
export function schemeOf({ headers, isFromProxy }: Pick<Exchange, 'headers' | 'isFromProxy'>, isTls: boolean): 'http' | 'https' {
  return isTls || (isFromProxy && headers['x-forwarded-proto'] === 'https') ? 'https' : 'http'
}
