/**
 * The changes of documents: in pages that a client asks for, and as a stream of server-sent events.
 *
 * Both only read, and every thread serves them. Browsers cannot send a token with an EventSource: a ticket stands in the
 * URL in its place, once and for a minute, since URLs end up in histories and in the logs of proxies.
 */
import { BYTES_PER_REQUEST } from '../auth/limits.ts'
import type { Session } from '../auth/sessions.ts'
import { describe, fail, type Failure } from '../base/failure.ts'
import { ResyncFailure } from '../base/resync.ts'
import { readChangeCursor, writeChangeCursor } from '../content/changes/change-cursor.ts'
import { itemText, requestCounter, type ChangePages, type ChangeQuery } from '../content/changes/change-pages.ts'
import type { ChangePage, ChangeView } from '../content/changes/page-reading.ts'
import { CHANGE_MODELS, changeModelsOf } from '../content/changes/change-rights.ts'
import type { Reader } from '../content/changes/following.ts'
import type { Backlog, EditedDocument } from '../content/changes/open-streams.ts'
import { CHANGE_EVENTS } from '../content/changes/page-memo.ts'
import { maySeeDrafts, requireEditor, requireRole } from '../content/rules/access.ts'
import { queryCallerOf } from '../content/reads/query-caller.ts'
import { EVENT_STREAM_HEADERS, EVENT_STREAM_TYPE } from '../http/event-stream.ts'
import { ok, type Exchange, type HttpResponse } from '../http/exchange.ts'
import type { Caller } from '../models/caller.ts'
import { placesOf } from '../models/incomplete.ts'
import { changeTicket } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import { endpointOn } from './endpoint.ts'
import type { ReadService, Service } from './service-parts.ts'
import { includesDrafts } from './data-requests.ts'
import { paramsOfUrl } from './list-params.ts'
import { CHANGE_STREAMS, streamOwner } from './stream-slots.ts'

type StreamSession = Pick<Session, 'caller' | 'current'>

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1_000
/** Shorter than the 60 s after which most proxies give up on a response. */
const WAIT_SECONDS_MAX = 55
/** A filter of a stream, or of a request that waits, is matched with each change for as long as it is open. */
const STREAM_FILTER_CHARS_MAX = 8 * 1024

/** More are in no browser at once. */
const EDITED_MAX = 8
const EDITED = /^([a-z_]+):([\w-]{1,100})$/

const reading = endpointOn<ReadService>('Data')

/** Those that only read: every thread serves its own. */
export const CHANGE_READS = [
  reading({
    route: 'GET /api/v1/changes',
    id: 'changes',
    access: 'limitedUser',
    whoMay: 'signed-in users, for the models that they may list, and for their own settings and preferences',
    summary: 'Read the documents that were created, changed or deleted since',
    description:
      'Each changed document once, as it is now, in the order of its last change. `deleted` says that it was deleted, or ' +
      'that the caller or the filter no longer shows it. Send `next` as `since` of the next request. The response is 410 ' +
      'with `resync` if the log does not reach back so far or belongs to another history, or if the rights of the caller ' +
      'have changed. Then take its `next`, read the lists, and go on from there. A page that takes long to read counts as ' +
      'several requests.',
    parameters: ['since', 'models', 'filter', 'incomplete', 'changesLimit', 'wait'],
    response: { kind: 'text', schema: 'ChangePage' },
    errors: ['badRequest', 'methodNotAllowed', 'resyncRequired'],
  }).handle((service, exchange, session) => readChanges(service, exchange, session)),
  reading({
    route: 'GET /api/v1/changes/stream',
    id: 'changeStream',
    access: 'limitedUser',
    whoMay: 'signed-in users, for the models that they may list, and for their own settings and preferences',
    summary: 'Follow changes as server-sent events',
    description:
      'The data of an event is an item of `GET /api/v1/changes`, and its `id` is the place behind it. With that `id` in ' +
      '`Last-Event-ID` or `since` the stream goes on from there; without either it begins now. An event `resync` has `next`: ' +
      'some changes cannot be sent, so read the lists again. A comment comes every 15 seconds. A user may have 8 streams, ' +
      'and a client address half of all, waiting requests included. The service ends a stream that leaves more than 1 MiB ' +
      'unread. With `ticket`, no token is needed. `editing` tells others who edits a document, for as long as the stream ' +
      'is open. Events `presence` tell it: `items` has the ids of the other users by `model` and `id`.',
    parameters: ['since', 'models', 'filter', 'incomplete', 'editing', 'ticket'],
    response: {
      kind: 'raw',
      type: 'text/event-stream',
      schema: { type: 'string', examples: ['id: 1234.r.5f3a0c\ndata: {"seq":1234,"model":"topic","id":"1","deleted":true}\n\n'] },
    },
    errors: ['badRequest', 'methodNotAllowed'],
    forVisitors: {
      applies: (_, { query }) => query.get('ticket') !== undefined,
      async serve(service, exchange) {
        const ticket = exchange.query.get('ticket') ?? ''
        const session = await service.changes.tickets.sessionOf(ticket)
        if (session === undefined) throw cannotUse()
        exchange.addLogFields({ user: session.caller.id })
        // Last: a request that is refused for another reason, such as too many streams, leaves the ticket for the next one.
        return openStream(service, exchange, session, async () => {
          if (!(await service.changes.tickets.redeem(ticket))) throw cannotUse()
        })
      },
    },
  }).handle((service, exchange, session) => openStream(service, exchange, session)),
]

const SIGN_IN = { headers: { 'WWW-Authenticate': 'Bearer' } }
const cannotUse = (): Failure =>
  fail('unauthorized', 'Cannot use the ticket: expected one of the last minute that was not used yet', SIGN_IN)

export const CHANGE_TICKETS = [
  endpointOn<Service>('Data')({
    route: 'POST /api/v1/changes/ticket',
    id: 'changeTicket',
    access: 'limitedUser',
    summary: 'Get a ticket that opens one stream within 60 seconds, in place of a token that a browser cannot send there',
    response: changeTicket,
    status: 201,
  }).handle(({ auth: { issueTicket }, now }, _exchange, session) => issueTicket(session, now())),
]

async function readChanges(service: ReadService, exchange: Exchange, session: Session): Promise<HttpResponse> {
  const { changes: { pages, streams, slots }, now } = service
  const query = readQuery(exchange, session.caller)
  const turns = queryCallerOf(session.caller, exchange)
  const view = await pages.viewInTurns(query, session.caller, turns)
  const limit = readWhole(exchange, 'limit', LIMIT_DEFAULT, { min: 1, max: LIMIT_MAX })
  const wait = readWhole(exchange, 'wait', 0, { min: 0, max: WAIT_SECONDS_MAX })
  if (wait > 0) requireShortFilter(query)
  const { newest, history } = pages.range()
  const since = exchange.query.get('since') ?? '0'
  const seq = placeOf(pages, 'since', since, view)
  if (seq === undefined) throw new ResyncFailure(writeChangeCursor(newest, view.rights, history))
  const respond = ({ items, next, hasMore }: ChangePage, seen: ChangeView): HttpResponse => {
    const cursor = writeChangeCursor(next, seen.rights, pages.range().history)
    return ok(`{"items":[${items.map((item) => itemText(item, seen)).join()}],"next":"${cursor}","hasMore":${hasMore}}`)
  }
  const page = await pages.read(view, seq, limit, turns)
  stepsOf(exchange)(page.steps)
  // Both may have waited: nothing follows a sign-out or a change of roles.
  const rights = pages.rights(session.current(now()))
  if (rights !== view.rights) throw new ResyncFailure(writeChangeCursor(newest, rights, history))
  if (page.items.length > 0 || page.hasMore || wait === 0) return respond(page, view)
  const owner = streamOwner(exchange, session.caller.id)
  slots.require(owner, CHANGE_STREAMS)
  const free = slots.take(owner, CHANGE_STREAMS)
  if (free === undefined) return respond(page, view)
  try {
    const following = { query, view, seq: page.next, reader: () => session.current(now()) }
    const signal = AbortSignal.any([exchange.signal, AbortSignal.timeout(wait * 1000)])
    return respond(await streams.wait(following, limit, signal), view)
  } finally {
    free()
  }
}

/** `admit` is called when nothing else is in the way of the stream. */
async function openStream(
  service: ReadService,
  exchange: Exchange,
  session: StreamSession,
  admit: () => Promise<void> = async () => {},
): Promise<HttpResponse> {
  const { changes: { pages, streams, slots }, now } = service
  const { caller, current } = session
  const query = readQuery(exchange, caller)
  requireShortFilter(query)
  const editing = readEditing(exchange.query.get('editing'), caller)
  const reader: Reader = () => current(now())
  const view = await pages.viewInTurns(query, caller, queryCallerOf(caller, exchange))
  const { newest } = pages.range()
  const lastEventId = exchange.headers['last-event-id']?.toString()
  const [name, from] = lastEventId === undefined ? ['since', exchange.query.get('since') ?? 'now'] : ['Last-Event-ID', lastEventId]
  const seq = placeOf(pages, name, from, view)
  if (exchange.method === 'HEAD') return { kind: 'raw', status: 200, contentType: EVENT_STREAM_TYPE, body: '' }
  const owner = streamOwner(exchange, caller.id)
  slots.require(owner, CHANGE_STREAMS)
  await admit()
  const backlog = seq === undefined || seq === newest ? undefined : backlogOf(exchange, newest)
  return {
    kind: 'stream',
    status: 200,
    contentType: EVENT_STREAM_TYPE,
    headers: EVENT_STREAM_HEADERS,
    open(sink) {
      const free = slots.take(owner, CHANGE_STREAMS)
      if (free === undefined) {
        sink.end()
        return () => {}
      }
      const following = { query, view, seq: seq ?? newest, reader }
      const stop = streams.follow(following, { format: CHANGE_EVENTS, mustStartOver: seq === undefined, sink, backlog, editing })
      return () => {
        stop()
        free()
      }
    },
  }
}

/** Apart from openStream: a closure there would keep the request for as long as the stream is open. */
function backlogOf(exchange: Exchange, upTo: number): Backlog {
  return { upTo, weigh: stepsOf(exchange) }
}

/** Returns a function that counts steps as further requests of the caller; it throws tooManyRequests. */
function stepsOf(exchange: Exchange): (steps: number) => void {
  return requestCounter((requests) => exchange.weigh(requests * BYTES_PER_REQUEST))
}

function requireShortFilter({ filterText }: ChangeQuery): void {
  if (filterText.length <= STREAM_FILTER_CHARS_MAX) return
  throw fail('badRequest', `Cannot follow this filter: expected at most ${STREAM_FILTER_CHARS_MAX} characters`)
}

/** Where the reader goes on; undefined where it has to start over. Throws badRequest for a text that is no cursor. */
function placeOf(pages: ChangePages, name: string, text: string, { rights }: ChangeView): number | undefined {
  const { newest, wholeBehind, history } = pages.range()
  if (text === 'now') return newest
  const { seq, of } = readChangeCursor(name, text)
  if (seq < wholeBehind) return undefined
  // Another node of a cluster may be ahead of this one.
  if (of === undefined) return seq <= newest ? seq : undefined
  return of.history === history && of.rights === rights ? seq : undefined
}

function readQuery(exchange: Exchange, caller: Caller): ChangeQuery {
  const { query } = exchange
  const filterText = query.get('filter') ?? ''
  const models = readModels(query.get('models'), caller)
  const includes = includesDrafts(exchange)
  if (includes) requireEditor(caller)
  // Of models that are named, a caller who may not see them is refused.
  const isTold = (model: Model): boolean => includes && (query.get('models') !== undefined || maySeeDrafts(model, caller))
  return { models: models.flatMap((model) => placesOf(model, isTold(model))), filter: paramsOfUrl(exchange).filter, filterText }
}

/** In the order of the registry: the same for all texts that mean the same. */
function readModels(text: string | undefined, caller: Caller): readonly Model[] {
  if (text === undefined) return changeModelsOf(caller)
  const names = CHANGE_MODELS.map(({ name }) => name)
  const given = text.split(',')
  const unknown = given.find((name) => !names.includes(name))
  if (unknown === undefined) return CHANGE_MODELS.filter(({ name }) => given.includes(name))
  const wanted = `some of ${names.join(', ')}, separated by commas`
  throw fail('badRequest', `Cannot read parameter "models": expected ${wanted}, found ${describe(unknown)}`)
}

/** Throws badRequest for what is no such list, and forbidden for a caller who may not write one of the models. */
function readEditing(text: string | undefined, caller: Caller): readonly EditedDocument[] {
  if (text === undefined) return []
  requireEditor(caller)
  const given = text.split(',')
  return given.map((one) => {
    const [, name, id = ''] = EDITED.exec(one) ?? []
    const model = CHANGE_MODELS.find((known) => known.name === name)
    if (model === undefined || given.length > EDITED_MAX) {
      const wanted = `at most ${EDITED_MAX} documents such as headline:66f000000000000000000501, separated by commas`
      throw fail('badRequest', `Cannot read parameter "editing": expected ${wanted}, found ${describe(text)}`)
    }
    requireRole(model, 'replace', caller)
    return { model: model.name, id }
  })
}

function readWhole({ query }: Exchange, name: string, initial: number, { min, max }: { readonly min: number; readonly max: number }): number {
  const text = query.get(name)
  if (text === undefined) return initial
  if (/^\d{1,9}$/.test(text) && Number(text) >= min) return Math.min(Number(text), max)
  throw fail('badRequest', `Cannot read ${name} ${describe(text)}: expected a whole number, ${min} or more`)
}
