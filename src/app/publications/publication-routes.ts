/**
 * Publications at `/p/NAME/`, and at `/p/NAME/SECRET/` those that are not for all: a page, feeds and items, for readers without an
 * account. Every thread serves them.
 */
import { fail } from '../../base/failure.ts'
import type { Config } from '../../config/settings.ts'
import { createPublicationReads, noPublication } from '../../content/publications/publication-reads.ts'
import { createPageCache, type PageCache } from '../../content/reads/page-cache.ts'
import { createReads } from '../../content/reads/reads.ts'
import { entityTag } from '../../http/entity-tag.ts'
import type { Exchange, Handler, HttpResponse } from '../../http/exchange.ts'
import type { KeptBody } from '../../http/kept-forms.ts'
import type { Route } from '../../http/router.ts'
import { SECURITY_HEADERS } from '../page-routes.ts'
import { forPeople } from './failures-for-readers.ts'
import { FORM, FORMATS, keptBody, type Rendered } from './publication-formats.ts'
import { listHandler, paperHandler, type PublicationParts, type Serving } from './publication-handlers.ts'

/** The list of all public publications, which readers of feeds import. */
const LIST_FILE = 'sources.opml'
/** All software should take so many (RFC 9110 section 4.1). */
const QUERY_CHARS_MAX = 8_000
/** What has no place in a query (RFC 3986 section 3.4). */
const NO_QUERY_CHARACTER = /[^\w.~!$&'()*+,;=:@/?%-]/g

/** The routes of all publications, and the pages that are remembered. */
export function publicationRoutes(parts: PublicationParts): { readonly routes: readonly Route[]; readonly pages: Pick<PageCache<KeptBody>, 'counts'> } {
  const { settings, run, store, now, cacheBytes } = parts
  const pages = createPageCache<KeptBody>({ bytesMax: cacheBytes, now })
  const reads = createReads<KeptBody, Rendered>({ store, pages, nameOf: entityTag, form: FORM, keep: (data, grow) => keptBody(data, 'kept', grow), ...run })
  const serving: Serving = { ...parts, papers: createPublicationReads(store), reads }
  return {
    pages,
    routes: [
      { method: 'GET', path: '/robots.txt', handler: robotsHandler(settings) },
      { method: 'GET', path: `/p/${LIST_FILE}`, handler: listHandler(serving) },
      { method: 'GET', path: '/p/', handler: forPeople(nowhere, parts.log) },
      { method: 'GET', path: '/p/:name', handler: (exchange) => withSlash(exchange, 'name') },
      { method: 'GET', path: '/p/:name/:secret', handler: (exchange) => withSlash(exchange, 'secret') },
      ...FORMATS.flatMap((format): Route[] => [
        { method: 'GET', path: `/p/:name/${format.file}`, handler: paperHandler(serving, format, false) },
        { method: 'GET', path: `/p/:name/:secret/${format.file}`, handler: paperHandler(serving, format, true) },
      ]),
    ],
  }
}

function nowhere(): never {
  throw noPublication()
}

/** Only publications are for search engines, where they are at all. */
function robotsHandler({ publicationsIndexed }: Pick<Config, 'publicationsIndexed'>): Handler {
  const body = `User-agent: *\n${publicationsIndexed ? 'Allow: /p/\n' : ''}Disallow: /\n`
  const response: HttpResponse = { kind: 'raw', status: 200, contentType: 'text/plain; charset=utf-8', body, headers: { 'Cache-Control': 'no-cache', ...SECURITY_HEADERS } }
  return () => response
}

/**
 * Whether there is such a publication or not: relative, so that it also leads there below a path of a proxy, with what the reader
 * chose. Throws badRequest for a query that is too long to be repeated.
 */
function withSlash({ params, target }: Exchange, last: 'name' | 'secret'): HttpResponse {
  const headers = { Location: `${encodeURIComponent(params[last] ?? '')}/${queryIn(target)}`, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
  return { kind: 'raw', status: 308, contentType: 'text/plain; charset=utf-8', body: 'Its address ends in a slash\n', headers }
}

/** The query of a target with its question mark, as a URL may have it; empty where there is none. */
function queryIn(target: string): string {
  const at = target.indexOf('?')
  const query = at === -1 ? '' : target.slice(at).replaceAll(NO_QUERY_CHARACTER, encodeURIComponent)
  if (query.length <= QUERY_CHARS_MAX) return query
  throw fail('badRequest', `Cannot redirect to the address with a slash: expected a query of at most ${QUERY_CHARS_MAX} characters, found ${query.length}`)
}
