/** What administrators do with feeds beyond their documents: look at an address, fetch one now, bring a list of another reader. */
import { describe, fail } from '../base/failure.ts'
import { isObject, type Json, type JsonObject } from '../base/json.ts'
import { healthOfFeed } from '../content/feeds/feed-health.ts'
import { requireFeed } from '../content/feeds/feed-document.ts'
import { findFeed, previewOf } from '../content/feeds/feed-preview.ts'
import { OUTLINES_MAX } from '../content/feeds/opml-outlines.ts'
import { importOpml } from '../content/feeds/opml-import.ts'
import { queryCallerOf } from '../content/reads/query-caller.ts'
import { requireAdministrator } from '../content/rules/access.ts'
import { ARRIVALS, feed, type Arrival } from '../models/feed-model.ts'
import { feedHealth, feedPreview, opmlReport } from '../models/responses.ts'
import { referenceLimits } from './data-requests.ts'
import { endpointOn, SHORT_BODY, type NamedSchema } from './endpoint.ts'
import { NO_MAIL } from './invitation-sender.ts'
import type { Service } from './service-parts.ts'

const REFERENCE = { type: ['object', 'null'], description: 'As `{"id": …}`' } as const
const DEFAULTS = {
  topic: REFERENCE,
  country: REFERENCE,
  arrival: { type: 'string', enum: ARRIVALS, description: 'How items arrive; as drafts without it' },
} as const

const PREVIEW_BODY: NamedSchema = {
  kind: 'schema',
  name: 'PreviewFeed',
  schema: {
    type: 'object',
    properties: {
      address: { type: 'string', description: 'Of a feed or of a site; without a scheme, https is meant', examples: ['harbour.example'] },
      source: REFERENCE,
      ...DEFAULTS,
    },
    required: ['address'],
  },
}

const OPML_BODY: NamedSchema = {
  kind: 'schema',
  name: 'ImportFeeds',
  schema: {
    type: 'object',
    properties: {
      opml: { type: 'string', description: 'The file', examples: ['<opml version="2.0"><body><outline text="The Harbour Post" xmlUrl="https://harbour.example/feed.xml"/></body></opml>'] },
      source: { type: 'object', description: 'As `{"id": …}`, of feeds whose site is that of no source', examples: [{ id: '66f000000000000000000401' }] },
      ...DEFAULTS,
      keepsPictures: { type: 'boolean', description: 'As of a `feed`; false without it' },
      dryRun: { type: 'boolean', description: 'Whether the lines are only checked' },
    },
    required: ['opml', 'source'],
  },
}

const endpoint = endpointOn<Service>('Administration')

export const FEED_FETCHES = [
  endpoint({
    route: 'POST /api/v1/admin/feeds/preview',
    id: 'previewFeed',
    access: 'administrator',
    summary: 'See what the feed at an address, or of a site, would bring',
    description:
      'The feeds that the page of a site names come first, then usual addresses of feeds. Nothing is stored. The service connects ' +
      'to addresses of the public internet, and to what `--outbound-allow` names.',
    body: PREVIEW_BODY,
    bodyLimit: SHORT_BODY,
    response: feedPreview,
    errors: ['badRequest', 'invalidInput', 'tooManyRequests'],
    client: 'admin.previewFeed',
  }).handle(async ({ store, feeds: { outbound, reader }, auth: { limits }, now }, exchange, { acting }) => {
    const body = await exchange.readJson()
    const { address } = body
    if (typeof address !== 'string') throw fail('invalidInput', `address: expected a string, found ${describe(address)}`)
    const request = { source: readReference(body, 'source'), ...readDefaults(body) }
    await limits.feedRequest(acting(requireAdministrator), now())
    const found = await findFeed({ client: outbound, reader, now }, address, exchange.signal)
    return previewOf({ store, now }, found, request)
  }),
  endpoint({
    route: 'POST /api/v1/admin/feeds/:feed/fetch',
    id: 'fetchFeed',
    access: 'administrator',
    summary: 'Fetch a feed now; the response follows when its items are stored',
    description: 'Also one that is paused. On a node of a cluster that does not fetch, a feed that is not paused becomes due, and the response tells its health until then.',
    body: 'empty',
    response: feedHealth,
    errors: ['notFound', 'tooManyRequests'],
    client: 'admin.fetchFeed',
  }).handle(async ({ store, pictures, feeds: { work }, auth: { limits }, now }, { params }, { acting }) => {
    const id = params['feed'] ?? ''
    requireFeed(store, id)
    await limits.feedRequest(acting(requireAdministrator), now())
    await work.fetchNow(id)
    const health = healthOfFeed(store, id, { now: now(), lacksAddress: pictures.base.publicUrl() === undefined })
    if (health === undefined) throw fail('notFound', `No feed has the id ${describe(id)} any more`)
    return health
  }),
  endpoint({
    route: 'POST /api/v1/admin/feeds/opml',
    id: 'importFeeds',
    access: 'administrator',
    summary: 'Add the feeds of an OPML file, with a report by line',
    description:
      `At most ${OUTLINES_MAX}. A feed whose address another one has is left alone. A site that is the address of a source makes it ` +
      'its source, and a group with the name of a topic its topic.',
    body: OPML_BODY,
    response: opmlReport,
    errors: ['invalidInput', 'payloadTooLarge', 'tooManyRequests'],
    client: 'admin.importFeeds',
  }).handle(async ({ store, content: { documents } }, exchange, session) => {
    const body = await exchange.readJson()
    const { opml } = body
    if (typeof opml !== 'string') throw fail('invalidInput', `opml: expected a string, found ${describe(opml)}`)
    const source = readReference(body, 'source')
    if (source === null) throw fail('invalidInput', 'source: expected {"id": …}, found none')
    const references = { bytesMax: referenceLimits(exchange).bytesMax }
    const { caller } = session
    return importOpml(
      {
        ...{ store, caller: queryCallerOf(caller, exchange) },
        create: (sent) => documents.create(feed, async () => ({ body: sent, references }), session, { repeat: undefined, mail: NO_MAIL }),
        check: (sent) => documents.check(feed, undefined, async () => ({ body: sent, references, caller }), caller),
      },
      { opml, source, ...readDefaults(body), keepsPictures: readSwitch(body, 'keepsPictures'), isDryRun: readSwitch(body, 'dryRun') },
    )
  }),
]

function readDefaults(body: JsonObject): { readonly topic: JsonObject | null; readonly country: JsonObject | null; readonly arrival: Arrival } {
  const { arrival = 'draft' } = body
  const known = ARRIVALS.find((one) => one === arrival)
  if (known === undefined) throw fail('invalidInput', `arrival: expected one of ${ARRIVALS.join(', ')}, found ${describe(arrival)}`)
  return { topic: readReference(body, 'topic'), country: readReference(body, 'country'), arrival: known }
}

/** False where it is left out. Throws invalidInput for what is no boolean. */
function readSwitch(body: JsonObject, name: string): boolean {
  const { [name]: value = false } = body
  if (typeof value !== 'boolean') throw fail('invalidInput', `${name}: expected true or false, found ${describe(value)}`)
  return value
}

/** Throws invalidInput for what is no reference. */
function readReference(body: JsonObject, name: string): JsonObject | null {
  const value: Json | undefined = body[name] ?? null
  if (value === null) return null
  if (isObject(value) && typeof value['id'] === 'string') return { id: value['id'] }
  throw fail('invalidInput', `${name}: expected {"id": …}, found ${describe(value)}`)
}
