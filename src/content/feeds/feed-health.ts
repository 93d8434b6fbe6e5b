/** How feeds are doing: what publishers and administrators see beside the documents. */
import { isoDate } from '../../base/dates.ts'
import { DAY_MS, HOUR_MS } from '../../base/duration.ts'
import { isNumber, type Json, type JsonObject } from '../../base/json.ts'
import type { FetchProblem, ReadNote } from '../../base/feed-note.ts'
import { readNote } from '../../feeds/reading/feed-problems.ts'
import { feed, type FeedDocument } from '../../models/feed-model.ts'
import type { FeedHealth } from '../../models/responses.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { documentsByTitle } from '../reads/documents-by-title.ts'
import { storedFeed } from './feed-document.ts'

type HealthStore = Pick<ReadStore, 'documents' | 'feeds'>

export interface HealthContext {
  /** In milliseconds since the epoch. */
  readonly now: number
  /** Whether the service does not know the address of the site, without which no picture is kept. A command cannot tell. */
  readonly lacksAddress: boolean
}

/** The health of all feeds, by their titles. Rejects as a list does where many queries wait. */
export async function healthOfFeeds(store: HealthStore, caller: QueryCaller, context: HealthContext): Promise<readonly FeedHealth[]> {
  const documents = await documentsByTitle(store, feed, caller)
  const [states, secrets] = [store.feeds.feedStates(), store.feeds.feedsWithSecret()]
  return documents.map((document) => {
    const hasPassword = secrets.has(document.id)
    return healthOf(store, { document, state: states.get(document.id)?.state, nextAt: states.get(document.id)?.nextAt, hasPassword, ...context })
  })
}

/** That of one feed; undefined where there is none. */
export function healthOfFeed(store: HealthStore, id: string, context: HealthContext): FeedHealth | undefined {
  const document = storedFeed(store, id)
  if (document === undefined) return undefined
  const known = store.feeds.feedState(id)
  const hasPassword = store.feeds.feedSecret(id) !== undefined
  return healthOf(store, { document, state: known?.state, nextAt: known?.nextAt, hasPassword, ...context })
}

/** What fetching has noted for people; see feed-fetches.ts. */
interface Told {
  readonly problem?: FetchProblem
  readonly notes?: readonly ReadNote[]
}

interface Known extends HealthContext {
  readonly document: FeedDocument
  /** As fetching has left it; undefined before the first fetch. */
  readonly state: JsonObject | undefined
  readonly nextAt: number | undefined
  readonly hasPassword: boolean
}

function healthOf({ feeds }: Pick<HealthStore, 'feeds'>, { document, state, nextAt, hasPassword, now, lacksAddress }: Known): FeedHealth {
  const { id, title, address, paused } = document
  const dateOf = (value: Json | undefined): string | null => (isNumber(value) ? isoDate(Number(value)) : null)
  const { problem, notes: told = [] } = (state ?? {}) as unknown as Told
  const notes = [...told, ...(document.keepsPictures ? pictureNotes(feeds.pictureProblems(id).size, lacksAddress) : [])]
  const hasEnded = state !== undefined && nextAt === undefined
  const status = paused ? 'paused' : hasEnded ? 'ended' : problem !== undefined ? 'failing' : state === undefined ? 'new' : 'working'
  return {
    ...{ id, title, address, status, hasPassword },
    sentence: problem === undefined ? notes.map(({ message }) => message).join(' ') || null : failing(problem.message, state, now),
    problem: problem ?? null,
    notes,
    failingSince: dateOf(state?.['failingSinceMs']),
    fetchedAt: dateOf(state?.['lastFetchMs']),
    succeededAt: dateOf(state?.['lastSuccessMs']),
    nextAt: paused || nextAt === undefined ? null : isoDate(nextAt),
    failures: isNumber(state?.['failures']) ? Number(state['failures']) : 0,
    itemsOfDay: feeds.createdSince(id, now - DAY_MS),
    movedTo: typeof state?.['movedTo'] === 'string' ? state['movedTo'] : null,
    suggestedAddress: typeof state?.['suggestedAddress'] === 'string' ? state['suggestedAddress'] : null,
  }
}

/** Why pictures are not kept. Items have the reasons of each. */
function pictureNotes(failing: number, lacksAddress: boolean): readonly ReadNote[] {
  const count = String(failing)
  if (lacksAddress) return [readNote('noAddress', 'Its pictures are not kept, as the address of the site is not known: set --public-url.')]
  return failing === 0 ? [] : [readNote('pictures', `${count} of its newest pictures could not be fetched: the items say why.`, { count })]
}

/** `For 3 days: The server responded with 404, … The site names https://… as its feed: use that address` */
function failing(problem: string, state: JsonObject | undefined, now: number): string {
  const since = isNumber(state?.['failingSinceMs']) ? now - Number(state['failingSinceMs']) : 0
  const [days, hours] = [Math.floor(since / DAY_MS), Math.floor(since / HOUR_MS)]
  const time = days >= 2 ? `For ${days} days: ` : hours >= 2 ? `For ${hours} hours: ` : ''
  const suggested = state?.['suggestedAddress']
  const remedy = typeof suggested === 'string' ? `. The site names ${suggested} as its feed: use that address` : ''
  return `${time}${problem}${remedy}`
}
