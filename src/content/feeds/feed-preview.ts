/** What an address would bring, before it is a feed: the feed of a site, and its newest items as headlines. Writes nothing. */
import { fail } from '../../base/failure.ts'
import type { JsonObject } from '../../base/json.ts'
import { ProblemFailure } from '../../base/problem.ts'
import { pageKey } from '../../base/page-address.ts'
import type { Feed } from '../../feeds/feed.ts'
import { noteOf } from '../../feeds/fetching/fetch-problem.ts'
import { USUAL_PATHS, type FoundFeed } from '../../feeds/reading/find-feeds.ts'
import type { Arrival, FeedDocument } from '../../models/feed-model.ts'
import { headline } from '../../models/headline.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { FeedPreview } from '../../models/responses.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { sameAddress } from '../reads/same-address.ts'
import { TEXT_FORMS } from '../rules/text-forms.ts'
import { fetchAndRead, type ReadOptions, type ReadOutcome } from './fetched-feed.ts'
import { sharedRules, shortened } from './item-job.ts'
import { headlineMaker } from './item-headline.ts'
import { shownReasons } from './item-reasons.ts'

const ITEMS_SHOWN = 10
const CANDIDATES_MAX = 20
/** Of all requests for one preview. */
const PREVIEW_MS = 40_000

export interface PreviewParts extends Omit<ReadOptions, 'signal'> {
  readonly store: Pick<ReadStore, 'documents'>
}

/** What a feed would be added with. */
export interface PreviewRequest {
  readonly source: JsonObject | null
  readonly topic: JsonObject | null
  readonly country: JsonObject | null
  readonly arrival: Arrival
}

/** The feed at an address, or of a site. */
export interface FoundAt {
  readonly address: string
  readonly feed: Feed
  /** All that the page of a site names. */
  readonly named: readonly FoundFeed[]
}

/**
 * Finds the feed at an address, of a feed or of a site; without a scheme, https is meant. Throws invalidInput for what is no
 * address, and badRequest where no feed is found there, which says why.
 */
export async function findFeed({ client, reader, now }: Omit<PreviewParts, 'store'>, given: string, signal: AbortSignal): Promise<FoundAt> {
  const address = readFeedAddress(given)
  const options = { client, reader, now, signal: AbortSignal.any([signal, AbortSignal.timeout(PREVIEW_MS)]) }
  const first = await fetchAndRead({ address }, options)
  const { found, named } = first.feed === undefined ? await feedOfSite(address, first, (one) => fetchAndRead({ address: one }, options)) : { found: { ...first, at: address }, named: [] }
  if (found?.feed === undefined) {
    const { outcome } = first
    const isFailure = outcome.kind === 'failed' || outcome.kind === 'gone'
    const { code, params, message } = isFailure ? noteOf(outcome) : { code: 'notAFeed', params: {}, message: 'There is no feed' }
    throw new ProblemFailure({ path: '', code: 'noFeed', params: { name: code, ...params }, message: `Cannot find a feed at this address: ${message}` })
  }
  const { outcome, at, feed } = found
  return { address: outcome.kind === 'fetched' ? (outcome.permanentAddress ?? at) : at, feed, named }
}

/** The newest items as headlines. */
export function previewOf({ store, now }: Pick<PreviewParts, 'store' | 'now'>, { address, feed, named }: FoundAt, request: PreviewRequest): FeedPreview {
  return {
    address,
    ...{ format: feed.format, title: feed.title ?? null, description: feed.description ?? null, siteUrl: feed.link ?? null },
    ...{ language: feed.language ?? null, imageUrl: feed.picture ?? null, total: feed.items.length + feed.leftOut, problems: [...feed.problems] },
    feeds: named.slice(0, CANDIDATES_MAX).map(({ address: of, title = null }) => ({ address: of, title })),
    items: itemsOf(store, feed, request, now()),
  }
}

type Found = ReadOutcome & { readonly at: string }

/** The feeds that the page names come first, then usual paths of the site; the first that can be read is it. */
async function feedOfSite(address: string, { named }: ReadOutcome, read: (address: string) => Promise<ReadOutcome>): Promise<{ found: Found | undefined; named: readonly FoundFeed[] }> {
  const candidates = named.length > 0 ? named.map((one) => one.address) : USUAL_PATHS.map((path) => new URL(path, address).href)
  for (const at of candidates.slice(0, CANDIDATES_MAX)) {
    const outcome = await read(at)
    if (outcome.feed !== undefined) return { found: { ...outcome, at }, named }
    // A host that refuses or is not there refuses the rest as well.
    const { outcome: tried } = outcome
    if (tried.kind === 'failed' && tried.reason !== 'not-a-feed' && tried.status === undefined && named.length === 0) break
  }
  return { found: undefined, named }
}

function itemsOf({ documents }: PreviewParts['store'], parsed: Feed, request: PreviewRequest, now: number): FeedPreview['items'] {
  const document = { ...request, rules: [], language: null } as unknown as FeedDocument
  const make = headlineMaker({ feed: document, rules: sharedRules({ textOf: documents.get }), textOf: documents.get, now })
  return parsed.items.slice(0, ITEMS_SHOWN).map((item, n) => {
    const one = shortened(item)
    const made = make(one, `preview-${n}`)
    const [known] = one.link === undefined || pageKey(one.link) === undefined ? [] : sameAddress(documents, { model: headline, url: one.link, except: undefined }, placesOf(headline, true))
    return {
      ...{ title: one.title ?? '', excerpt: one.excerpt ?? '', url: one.link ?? '', imageUrl: one.picture ?? '', publishedAt: one.published ?? null },
      status: made.kind === 'headline' ? (made.document['status'] as 'active' | 'draft') : null,
      missing: shownReasons(made.kind === 'headline' ? made.missing : [made.reason]),
      known: known === undefined ? null : String(known['id']),
    }
  })
}

/** Without a scheme, https is meant. Throws invalidInput. */
export function readFeedAddress(given: string): string {
  const address = /^[a-z][a-z0-9+.-]*:/i.test(given.trim()) && !/^[^/]*:\d+(?:\/|$)/.test(given.trim()) ? given.trim() : `https://${given.trim()}`
  if (TEXT_FORMS.httpUrl.isOf(address) && URL.canParse(address)) return address
  throw fail('invalidInput', `address: expected ${TEXT_FORMS.httpUrl.wanted.replace(', or an empty text', '')}`)
}
