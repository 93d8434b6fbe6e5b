/** The formats of publications, and a page in one of them as it is sent and kept. */
import { ownBytes, type Effort } from '../../http/coded-envelope.ts'
import type { ResponseHeaders } from '../../http/exchange.ts'
import type { KeptBody } from '../../http/kept-forms.ts'
import type { ResultForm } from '../../content/reads/reads.ts'
import { writeAtom } from '../../publications/atom-writer.ts'
import { writeItems, writeJsonFeed } from '../../publications/json-writers.ts'
import { PAGE_STYLE_SOURCE } from '../../publications/page-style.ts'
import { writePage } from '../../publications/page-writer.ts'
import { FEEDS, type Paper } from '../../publications/paper.ts'
import { writeRss } from '../../publications/rss-writer.ts'
import { PICTURE_HEADERS } from '../page-routes.ts'

export interface Format {
  /** Its name beside the page, which has none. */
  readonly file: string
  readonly type: string
  /** `root` leads from the page to those of all publications. */
  readonly write: (paper: Paper, root: string) => string
  readonly headers: ResponseHeaders
  /** Whether a reader may choose how many stories there are. */
  readonly hasLimit: boolean
}

/**
 * As strict as the dashboard, without scripts and requests; a form leads to the page itself. It is the same for pages without
 * pictures: a 304 must have the policy of the page that a browser has, which only the page tells.
 */
const PAGE_POLICY = [
  ...["default-src 'none'", `style-src ${PAGE_STYLE_SOURCE}`, "img-src 'self' https:", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ')

/** For search engines. */
export const NOT_INDEXED: ResponseHeaders = { 'X-Robots-Tag': 'noindex, nofollow' }

/** Pages of all sites may read what everybody may read; browsers send no cookies with that. */
export const OPEN_HEADERS: ResponseHeaders = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin', 'Referrer-Policy': 'no-referrer' }

const { 'Cross-Origin-Opener-Policy': _opener, ...OF_PAGES } = PICTURE_HEADERS
/**
 * A page has no script, cookie or sign-in that a window which opened it could reach, so it does not cut that window off. With both
 * policies, browsers isolate the page in a process of its own, and Chromium paints its stories a quarter of a second later.
 * https://html.spec.whatwg.org/multipage/document-sequences.html#cross-origin-isolation-mode
 */
export const PAGE_HEADERS: ResponseHeaders = { ...OF_PAGES, 'Content-Security-Policy': PAGE_POLICY, 'Access-Control-Allow-Origin': '*' }

export const FORMATS: readonly Format[] = [
  { file: '', type: 'text/html; charset=utf-8', write: (paper, root) => writePage(paper, { root }), headers: PAGE_HEADERS, hasLimit: false },
  { file: FEEDS.atom.file, type: `${FEEDS.atom.type}; charset=utf-8`, write: writeAtom, headers: OPEN_HEADERS, hasLimit: false },
  { file: FEEDS.rss.file, type: `${FEEDS.rss.type}; charset=utf-8`, write: writeRss, headers: OPEN_HEADERS, hasLimit: false },
  { file: FEEDS.json.file, type: `${FEEDS.json.type}; charset=utf-8`, write: writeJsonFeed, headers: OPEN_HEADERS, hasLimit: false },
  { file: 'items.json', type: 'application/json; charset=utf-8', write: writeItems, headers: OPEN_HEADERS, hasLimit: true },
]

/** A page in one format. */
export interface Rendered {
  readonly text: string
  readonly type: string
  /** When anything of it changed last, in the form of HTTP. */
  readonly lastModified: string
}

export function render({ type, write }: Format, paper: Paper, root: string): Rendered {
  return { text: write(paper, root), type, lastModified: new Date(paper.updatedAt).toUTCString() }
}

/** Its version is its text, so that all threads and nodes give it the same tag. */
export const FORM: ResultForm<Rendered> = {
  bytesOf: ({ text }) => Buffer.byteLength(text),
  contentOf: ({ text, lastModified }) => `${lastModified} ${text}`,
}

export function keptBody({ text, type, lastModified }: Rendered, effort: Effort, onGrowth: (bytes: number) => void): KeptBody {
  const bytes = Buffer.from(text)
  return { plain: { bytes: effort === 'kept' ? ownBytes([bytes]) : bytes }, coded: {}, onGrowth, type, lastModified, effort }
}
