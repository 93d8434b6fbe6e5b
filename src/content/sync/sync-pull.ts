/**
 * Pages of documents for RxDB's clients, behind a checkpoint: the first copy of a model, then its changes.
 *
 * A client pulls again and again until a page has fewer documents than it asked for. It then takes itself to be in step,
 * and keeps no checkpoint of a page without documents. So a page is short only where there is nothing more: one that
 * would pass what fits into a response is a failure, and what many rows of the log cost counts as requests.
 */
import type { Clock } from '../../base/clock.ts'
import { fail } from '../../base/failure.ts'
import { nextTurn } from '../../base/pause.ts'
import type { Caller } from '../../models/caller.ts'
import type { Model } from '../../models/schema.ts'
import { eq, matchAll } from '../../query/ast.ts'
import { createFairSlots } from '../../store/query/threads/fair-slots.ts'
import { requestCounter, type ChangePages } from '../changes/change-pages.ts'
import type { ChangeView } from '../changes/page-reading.ts'
import { sightOf } from '../changes/change-rights.ts'
import type { ListSettings } from '../reads/list-query.ts'
import { queryCallerOf, type Connection } from '../reads/query-caller.ts'
import { checkpointAt, ownCheckpoint, placeOf, type SyncCheckpoint, type SyncPlace } from './sync-checkpoint.ts'
import { liveText, tombstoneText } from './sync-documents.ts'
import { queryOf } from './sync-models.ts'
import type { ReadStore } from '../../store/read-store.ts'

export const PULL_DOCUMENTS_MAX = 5_000
const PULL_CHARS_MAX = 16 * 1024 * 1024
/** Pulls that are read at the same time, each of which may hold as much; one of them is for dashboard roles alone. */
const SLOTS = { slots: 3, reserved: 1, perCaller: { guest: 1, user: 1, dashboard: 2 } }
/** Documents that are copied in one turn of the event loop. */
const COPIED_AT_ONCE = 100
/** In steps of 10 ns: to find and to copy a document. */
const COPY_STEPS = 500
const CHARS_PER_STEP_COPIED = 4

export interface PullRequest {
  readonly model: Model
  readonly caller: Caller
  readonly checkpoint: SyncCheckpoint
  readonly limit: number
}

/** A connection whose requests cost as much as they make to do. */
export interface PullConnection extends Connection {
  /** Counts further work as so many requests; may throw tooManyRequests. */
  countMore(requests: number): void
}

type SyncStore = Pick<ReadStore, 'documents' | 'history'>

export interface SyncReadsOptions {
  readonly store: SyncStore
  readonly changes: ChangePages
  readonly settings: ListSettings
  readonly now: Clock
}

export type SyncReads = ReturnType<typeof createSyncReads>

export function createSyncReads({ store, changes, settings, now }: SyncReadsOptions) {
  const slots = createFairSlots(SLOTS, now)
  return {
    /** The JSON text of `{documents, checkpoint}` in UTF-8. Throws what a list of the model throws for this caller. */
    async pull(request: PullRequest, connection: PullConnection): Promise<Uint8Array> {
      const { model, caller } = request
      if (sightOf(model, caller, settings) === 'own') return pullOwn(model, store.documents.get(model, caller.id), request)
      const view = changes.view(queryOf(model), caller)
      const release = await slots.take(queryCallerOf(caller, connection), 0)
      try {
        return await read(request, view, connection)
      } finally {
        release()
      }
    },
  }

  async function read(request: PullRequest, view: ChangeView, connection: PullConnection): Promise<Uint8Array> {
    const { model, caller, checkpoint } = request
    const reading = { model, caller, view, page: createPage(request), connection, countSteps: requestCounter(connection.countMore) }
    let next: SyncPlace | undefined = placeOf(checkpoint, store.history.changeRange(), view.rights)
    let place = next
    while (next !== undefined && !reading.page.isFull()) {
      place = next
      next = place.kind === 'copy' ? await copyMore(place, reading) : await readLog(place, reading)
    }
    return reading.page.bytes(checkpointAt(next ?? place, store.history.changeRange().history, view.rights))
  }

  async function copyMore({ seq, after }: SyncPlace & { readonly kind: 'copy' }, reading: Reading): Promise<SyncPlace> {
    const { model, caller, page, connection, countSteps } = reading
    const query = {
      filter: sightOf(model, caller, settings) === 'active' ? eq(['status'], 'active') : matchAll,
      ...{ sort: [], limit: Math.min(page.room(), COPIED_AT_ONCE), after: after === '' ? undefined : { keys: [], id: after } },
    }
    const { items, next } = await store.documents.find(model, query, queryCallerOf(caller, connection))
    for (const text of items) page.add(liveText(text))
    countSteps(items.reduce((sum, { length }) => sum + COPY_STEPS + length / CHARS_PER_STEP_COPIED, 0))
    await nextTurn()
    return next === undefined ? { kind: 'follow', seq } : { kind: 'copy', seq, after: next.id }
  }

  /** Returns the place behind what was read; undefined where there is nothing more. */
  async function readLog(place: SyncPlace & { readonly kind: 'sweep' | 'follow' }, reading: Reading): Promise<SyncPlace | undefined> {
    const { model, caller, view, page, connection, countSteps } = reading
    const { items, next: seq, hasMore, steps } = await changes.read(view, place.seq, page.room(), queryCallerOf(caller, connection))
    for (const { record, document } of items) {
      if (document === undefined) page.add(tombstoneText(model, record.id))
      else if (place.kind === 'follow') page.add(liveText(document))
    }
    countSteps(steps)
    if (!hasMore && place.kind === 'sweep') return { kind: 'copy', seq, after: '' }
    if (!hasMore && !page.isFull()) return undefined
    await nextTurn()
    return { kind: place.kind, seq }
  }
}

interface Reading {
  readonly model: Model
  readonly caller: Caller
  readonly view: ChangeView
  readonly page: Page
  readonly connection: PullConnection
  readonly countSteps: (steps: number) => void
}

function pullOwn(model: Model, text: string | undefined, { caller, checkpoint, limit }: PullRequest): Uint8Array {
  const page = createPage({ limit })
  const next = ownCheckpoint(text)
  if (next.id !== checkpoint.id) page.add(text === undefined ? tombstoneText(model, caller.id) : liveText(text))
  return page.bytes(next)
}

type Page = ReturnType<typeof createPage>

function createPage({ limit }: { readonly limit: number }) {
  const parts: Buffer[] = []
  let chars = 0
  return {
    room: () => limit - parts.length,
    isFull: () => parts.length >= limit,
    /** Throws badRequest where the response would be too long. */
    add(text: string): void {
      chars += text.length
      if (chars > PULL_CHARS_MAX) {
        const found = `expected at most ${PULL_CHARS_MAX} characters, found more`
        throw fail('badRequest', `Cannot give ${limit} documents at once: ${found}: set a smaller batchSize for the pull`)
      }
      parts.push(Buffer.from(parts.length === 0 ? text : `,${text}`))
    },
    bytes: (checkpoint: SyncCheckpoint): Uint8Array =>
      Buffer.concat([Buffer.from('{"documents":['), ...parts, Buffer.from(`],"checkpoint":${JSON.stringify(checkpoint)}}`)]),
  }
}
