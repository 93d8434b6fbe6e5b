/** Feeds beside their documents, which the data endpoint has: how they are doing, their items, and their passwords. */
import { describe, fail } from '../base/failure.ts'
import { isObject, type Json } from '../base/json.ts'
import { writeOpml } from '../content/feeds/opml.ts'
import { healthOfFeeds } from '../content/feeds/feed-health.ts'
import { requireFeed } from '../content/feeds/feed-document.ts'
import { itemsOfFeed, originsOf, previewRules } from '../content/feeds/feed-items-view.ts'
import { sameStories as sameStoriesOf } from '../content/feeds/same-stories.ts'
import { documentsByTitle } from '../content/reads/documents-by-title.ts'
import { queryCallerOf } from '../content/reads/query-caller.ts'
import { requireAdministrator } from '../content/rules/access.ts'
import { validateDocument } from '../content/rules/validate.ts'
import type { BodyLimit } from '../http/exchange.ts'
import { feed, feedRules, type FeedRule } from '../models/feed-model.ts'
import { feedHealths, feedItems, headlineOrigins, rulePreview, sameStories } from '../models/responses.ts'
import { endpointOn, SHORT_BODY, type NamedSchema } from './endpoint.ts'
import { IDS_LIMIT, idsBody, readIds } from './ids-body.ts'
import type { Service } from './service-parts.ts'

const PASSWORD_CHARS_MAX = 1_000
/** Of lists of rules. */
const LISTS_LIMIT: BodyLimit = { bytesMax: 64 * 1024, isShort: true }
const OPML_TYPE = 'text/x-opml'

const RULES_BODY: NamedSchema = {
  kind: 'schema',
  name: 'PreviewFeedRules',
  schema: {
    type: 'object',
    properties: {
      feed: { type: ['string', 'null'], description: 'The feed whose items the rules are tried on; without it, those of all feeds', examples: ['66f000000000000000000701'] },
      rules: { type: 'array', items: { type: 'object' }, description: 'As `rules` of a `feed`', examples: [[{ filter: '{"categories":"Ferries"}', topic: null, country: null, arrival: null, drop: true }]] },
    },
    required: ['rules'],
  },
}

const ORIGINS_BODY = idsBody('OriginsOfHeadlines', { examples: ['66f000000000000000000501'] })

const PASSWORD_BODY: NamedSchema = {
  kind: 'schema',
  name: 'FeedPassword',
  schema: {
    type: 'object',
    properties: { password: { type: ['string', 'null'], minLength: 1, maxLength: PASSWORD_CHARS_MAX, description: 'Null removes it', examples: ['correct horse battery staple'] } },
    required: ['password'],
  },
}

const endpoint = endpointOn<Service>('Administration')
const EDITORS = 'publishers and administrators'

export const FEEDS = [
  endpoint({
    route: 'GET /api/v1/feeds',
    id: 'feeds',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'See how all feeds are doing',
    description: 'Feeds are documents of the model `feed`, which administrators write; pause one with `paused`. At most 5,000.',
    response: feedHealths,
    errors: ['tooManyRequests'],
    client: 'admin.feeds',
  }).handle(async ({ store, pictures, now }, exchange, { caller }) => {
    const context = { now: now(), lacksAddress: pictures.base.publicUrl() === undefined }
    return { items: [...(await healthOfFeeds(store, queryCallerOf(caller, exchange), context))] }
  }),
  endpoint({
    route: 'GET /api/v1/feeds/opml',
    id: 'feedsAsOpml',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'Download all feeds as OPML, which readers of feeds import',
    response: {
      kind: 'raw',
      type: OPML_TYPE,
      schema: { type: 'string', description: 'OPML 2.0', examples: ['<opml version="2.0"><head><title>Feeds</title></head><body></body></opml>'] },
      named: true,
    },
    errors: ['tooManyRequests'],
    client: 'admin.feedsAsOpml',
  }).handle(async ({ store }, exchange, { caller }) => {
    const body = writeOpml(await documentsByTitle(store, feed, queryCallerOf(caller, exchange)))
    return { kind: 'raw', status: 200, contentType: `${OPML_TYPE}; charset=utf-8`, body, headers: { 'Content-Disposition': 'attachment; filename="feeds.opml"' } }
  }),
  endpoint({
    route: 'GET /api/v1/feeds/:feed/items',
    id: 'feedItems',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'See the newest items of a feed, at most 100, and what became of each',
    response: feedItems,
    errors: ['notFound'],
    client: 'admin.feedItems',
  }).handle(({ store }, { params }) => itemsOfFeed(store, params['feed'] ?? '')),
  endpoint({
    route: 'POST /api/v1/feeds/rules',
    id: 'previewFeedRules',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'Try rules on the newest hundred items, without effect on any',
    body: RULES_BODY,
    bodyLimit: LISTS_LIMIT,
    response: rulePreview,
    errors: ['badRequest', 'invalidInput', 'notFound'],
    client: 'admin.previewFeedRules',
  }).handle(async ({ store }, exchange) => {
    const { feed = null, rules } = await exchange.readJson()
    if (feed !== null && typeof feed !== 'string') throw fail('invalidInput', `feed: expected the id of a feed, found ${describe(feed)}`)
    return previewRules(store, readRules(rules), feed ?? undefined)
  }),
  endpoint({
    route: 'POST /api/v1/feeds/origins',
    id: 'headlineOrigins',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'See which feeds and items headlines are from, of up to 200 headlines',
    body: ORIGINS_BODY,
    bodyLimit: IDS_LIMIT,
    response: headlineOrigins,
    errors: ['invalidInput'],
    client: 'admin.headlineOrigins',
  }).handle(async ({ store }, exchange) => {
    const { ids } = await exchange.readJson()
    return originsOf(store, readIds(ids))
  }),
  endpoint({
    route: 'GET /api/v1/feeds/stories/:headline',
    id: 'sameStories',
    access: 'editor',
    whoMay: EDITORS,
    summary: 'Find headlines of other feeds that tell the story of a headline',
    description:
      'They have the same title but for case, punctuation and spaces, were created on the same day (UTC), and have the same topic. ' +
      'To merge one, delete it with `replaceBy`, or without where it is incomplete.',
    response: sameStories,
    errors: ['notFound', 'tooManyRequests'],
    client: 'admin.sameStories',
  }).handle(({ store }, exchange, { caller }) => sameStoriesOf(store, exchange.params['headline'] ?? '', queryCallerOf(caller, exchange))),
  endpoint({
    route: 'PUT /api/v1/admin/feeds/:feed/password',
    id: 'setFeedPassword',
    access: 'administrator',
    summary: 'Set the password of a feed with basic authentication, or remove it',
    description:
      'It is stored encrypted, and no response, export, version, audit record or log has it. It is sent to the origin of the ' +
      'address that the feed has now: set it again after a move to another one. `username` of the feed is the user.',
    body: PASSWORD_BODY,
    bodyLimit: SHORT_BODY,
    errors: ['invalidInput', 'notFound'],
    client: 'admin.setFeedPassword',
  }).handle(async ({ store, feeds: { passwords } }, exchange, { acting }) => {
    const id = exchange.params['feed'] ?? ''
    const feed = requireFeed(store, id)
    const { password } = await exchange.readJson()
    if (password !== null && !isPassword(password)) {
      // The message does not show it.
      throw fail('invalidInput', `password: expected 1 to ${PASSWORD_CHARS_MAX} characters without control characters, or null`)
    }
    if (!(await passwords.set(feed, password, acting(requireAdministrator)))) throw fail('notFound', `No feed has the id ${describe(id)}`)
  }),
]

function isPassword(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= PASSWORD_CHARS_MAX && !/\p{Cc}/u.test(value) && value.isWellFormed()
}

/** Checks rules as those of a document. Copies count by their ids. Throws invalidInput. */
function readRules(rules: Json | undefined): readonly FeedRule[] {
  if (!Array.isArray(rules)) throw fail('invalidInput', `rules: expected an array, found ${describe(rules)}`)
  // What a rule sets is not tried: a reference needs no look at its document.
  const plain = (rules as readonly Json[]).map((rule) => (isObject(rule) ? { ...rule, topic: null, country: null } : rule))
  const generated = { id: feedRules.singleton ?? '', createdAt: '', updatedAt: '' }
  return validateDocument(feedRules, { rules: plain }, { generated })['rules'] as unknown as readonly FeedRule[]
}
