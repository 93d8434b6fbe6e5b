/**
 * The page that an address leads to, in a form in which addresses of one page are equal: `http` or `https`, with or without a
 * slash at the end, whatever fragment, and whatever parameters that only tell where a reader comes from.
 */
import { hash } from 'node:crypto'

/** Parameters that only tell where a reader comes from. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid)$/i
/** 132 bits in base64url. */
const KEY_CHARS = 22

/** Slashes at the end. It begins at no slash behind another one, so that the time is linear in the number of slashes. */
export const LAST_SLASHES = /(?<!\/)\/+$/

/** The page as `HOST/PATH?QUERY`; undefined for a text that is no address. */
export function pageOf(address: string): string | undefined {
  const url = URL.parse(address)
  return url === null ? undefined : `${url.host}${url.pathname.replace(LAST_SLASHES, '')}${withoutTracking(url.search)}`
}

/** A hash of the page: an index of it is small, and tells no address. Undefined for a text that is no address of the web. */
export function pageKey(address: string): string | undefined {
  const page = /^https?:/i.test(address) ? pageOf(address) : undefined
  return page === undefined ? undefined : hash('sha256', page, 'base64url').slice(0, KEY_CHARS)
}

/** The other parameters as they are written. */
export function withoutTracking(search: string): string {
  const kept = search.slice(1).split('&').filter((one) => one !== '' && !TRACKING.test(one.split('=')[0] ?? ''))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}
