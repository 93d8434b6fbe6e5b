/**
 * Requests for publications.
 *
 * What is remembered is found by the whole address, so a remembered page of a secret address needs its secret. It is valid until a
 * headline, a publication or what a picture shows changes: an unpublished headline is gone with the next request. Nothing depends on a header of
 * the request but on the host, and on that only where it is one of --allowed-hosts: no request can put something into a cache
 * that other readers would get.
 */
import type { Limits } from '../../auth/limits.ts'
import { withValue, type Awaitable } from '../../base/awaitable.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Config } from '../../config/settings.ts'
import { addressOfPublication } from '../../content/publications/publication-addresses.ts'
import { readChoice, shownMembers } from '../../content/publications/publication-query.ts'
import type { PublicationReads } from '../../content/publications/publication-reads.ts'
import { queryCallerOf } from '../../content/reads/query-caller.ts'
import type { ReadRequest, ReadResult, Reads, ReadsOptions } from '../../content/reads/reads.ts'
import { schemeOf } from '../../endpoints/site-base.ts'
import { limitKey } from '../../http/client-address.ts'
import type { Exchange, Handler, HttpResponse } from '../../http/exchange.ts'
import { hostName } from '../../http/foreign-pages.ts'
import type { KeptBody } from '../../http/kept-forms.ts'
import { keptTags } from '../../http/entity-tag.ts'
import type { Content, Facts, Represent } from '../../http/representation.ts'
import { headline } from '../../models/headline.ts'
import { publication } from '../../models/publication-model.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { forPeople, forPrograms } from './failures-for-readers.ts'
import { keptBody, NOT_INDEXED, OPEN_HEADERS, render, type Format, type Rendered } from './publication-formats.ts'

/** Of the memory for remembered reads, what the pages of publications have. */
export const PUBLICATION_CACHE_SHARE = 1 / 4
/** A secret may be changed at any time: no cache keeps what it gave, and the reader's own asks each time. */
const OF_SECRET = 'private, no-cache'
const OPML_TYPE = 'text/x-opml; charset=utf-8'

export interface PublicationParts {
  readonly store: Pick<ReadStore, 'documents' | 'publications' | 'pictures' | 'versions'>
  readonly represent: Represent
  readonly limits: Pick<Limits, 'publicationRequest'>
  readonly settings: Pick<Config, 'publicationSeconds' | 'publicationsIndexed' | 'websubHub' | 'allowedHosts' | 'appName'>
  /** The setting in use, which may change. */
  readonly publicUrl: () => string | undefined
  /** Whether clients speak TLS to this service. */
  readonly isEncrypted: boolean
  /** Bytes of memory for remembered pages. */
  readonly cacheBytes: number
  /** What names versions that no content does; see content/reads/reads.ts. */
  readonly run: Pick<ReadsOptions<KeptBody>, 'instance' | 'versionsOf' | 'thread'>
  readonly now: Clock
  readonly log: Pick<Log, 'warn'>
}

export interface Serving extends PublicationParts {
  readonly papers: PublicationReads
  readonly reads: Reads<KeptBody, Rendered>
}

/** Serves a page or a feed, or 304 to a client that has it. */
export function paperHandler(serving: Serving, format: Format, isSecret: boolean): Handler {
  const { settings } = serving
  const facts = {
    caching: isSecret ? OF_SECRET : cachingOf(settings),
    headers: isSecret || !settings.publicationsIndexed ? { ...format.headers, ...NOT_INDEXED } : format.headers,
  }
  const serve = readHandler(serving, facts, (exchange, site) => ({ ...readingOf(serving, format, exchange, site), model: headline, rests: [headline, publication] }))
  return format.file === '' ? forPeople(serve, serving.log) : forPrograms(serve)
}

type Reading = Pick<ReadRequest<Rendered>, 'key' | 'model' | 'rests' | 'compute'>

/** Serves what a request reads, remembered or made. */
function readHandler(serving: Serving, facts: Omit<Facts, 'tag'>, readingOf: (exchange: Exchange, site: string) => Reading): Handler {
  const { reads, represent } = serving
  const respond = (exchange: Exchange, result: ReadResult<KeptBody, Rendered>): Awaitable<HttpResponse> =>
    represent(exchange, contentOf(result), { ...facts, tag: result.version })
  return (exchange) => {
    count(serving, exchange)
    const site = siteOf(exchange, serving)
    const text = `${site} ${exchange.target}`
    const noneMatch = exchange.headers['if-none-match']
    const knownAs = keptTags(noneMatch)
    const page = reads.remembered(text)
    const remembered = page && reads.fromPage(page, knownAs)
    if (remembered !== undefined) return respond(exchange, remembered)
    const wanted = { text, knownAs, isAnyKnown: noneMatch?.trim() === '*', namedBy: 'content', weight: 0 } as const
    return withValue(reads.read({ ...readingOf(exchange, site), ...wanted }), (result) => respond(exchange, result))
  }
}

/** What a request asks for: the key of all requests that ask for the same, and how it is made. Throws notFound. */
function readingOf({ papers, settings }: Serving, format: Format, exchange: Exchange, site: string) {
  const { params: { name = '', secret }, query } = exchange
  const document = papers.atAddress(name, secret)
  const chosen = { topic: query.get('topic'), source: query.get('source'), search: query.get('search') }
  const choice = readChoice(chosen, shownMembers(document))
  const cursor = query.get('cursor') || undefined
  const limit = format.hasLimit ? query.get('limit') : undefined
  const base = site === '' ? '' : addressOfPublication(site, name, secret)
  // A hub reads the feed that it is told of, and gives it to others.
  const hub = secret === undefined && base !== '' ? settings.websubHub : undefined
  return {
    key: JSON.stringify([format.file, site, document.id, secret ?? null, ...[choice.topic, choice.source, choice.search, cursor, limit].map((one) => one ?? null)]),
    compute: (): Awaitable<Rendered> =>
      withValue(papers.paper(document, { choice, cursor, limit, site, base, hub }, queryCallerOf(visitorOf(exchange), exchange)), (paper) =>
        render(format, paper, secret === undefined ? '../' : '../../'),
      ),
  }
}

/** Serves the list of all public publications. */
export function listHandler(serving: Serving): Handler {
  const { papers, settings } = serving
  const facts = { caching: cachingOf(settings), headers: settings.publicationsIndexed ? OPEN_HEADERS : { ...OPEN_HEADERS, ...NOT_INDEXED } }
  const serve = readHandler(serving, facts, (exchange, site) => ({
    ...{ key: JSON.stringify(['list', site]), model: publication, rests: [publication] },
    // An address in OPML is absolute where the service knows its own.
    compute: () =>
      withValue(
        papers.list((name) => (site === '' ? `${name}/` : addressOfPublication(site, name)), settings.appName, queryCallerOf(visitorOf(exchange), exchange)),
        ({ text, updatedAt }) => ({ text, type: OPML_TYPE, lastModified: new Date(updatedAt).toUTCString() }),
      ),
  }))
  return forPrograms(serve)
}

function count({ limits, now }: Serving, { clientAddress }: Exchange): void {
  limits.publicationRequest(limitKey(clientAddress), now())
}

/** Its queries wait behind those of everybody who is signed in, in a line for each network. */
function visitorOf({ clientAddress }: Exchange): Parameters<typeof queryCallerOf>[0] {
  return { id: limitKey(clientAddress), appRole: 'guestUser', dashboardRole: 'none' }
}

function contentOf(result: ReadResult<KeptBody, Rendered>): Content {
  if (result.kind === 'known') return result
  return { kind: 'body', kept: result.kind === 'kept' ? result.kept : keptBody(result.data, 'once', ignored) }
}

/**
 * The URL of the site: that of the settings, or the one of the request where the server has checked its host. Empty where neither
 * is known: links are relative then.
 */
function siteOf(exchange: Exchange, { publicUrl, settings, isEncrypted }: Serving): string {
  const url = publicUrl()
  if (url !== undefined) return url
  const { host } = exchange.headers
  if (settings.allowedHosts.length === 0 || host === undefined || hostName(host) === undefined) return ''
  return `${schemeOf(exchange, isEncrypted)}://${host.toLowerCase()}/`
}

function cachingOf({ publicationSeconds }: Pick<Config, 'publicationSeconds'>): string {
  return `public, max-age=${publicationSeconds}`
}

function ignored(): void {}
