/** What the service is going to do by itself, in the order of the times: drafts to publish, and what is published to archive. */
import type { RequestOptions } from '../../../client/client.ts'
import { isScheduled } from '../../../models/workflow.ts'
import type { Model } from '../../../models/schema.ts'
import type { User } from '../../../models/user.ts'
import { documentsOf, type StoredDocument } from '../../any-documents.ts'
import { contentModels } from '../../permissions.ts'
import { problemText } from '../../problem-text.ts'
import type { ScreenContext } from '../../screen.ts'
import { now } from '../../timing.ts'

const PAGE_ROWS = 100
/** What has not happened so long after its time has failed. */
const OVERDUE_MS = 5_000
/** Failures whose reason is asked for. */
const REASONS_MAX = 20

export type DueTime = 'publishAt' | 'unpublishAt'

export interface Upcoming {
  readonly key: string
  readonly model: Model
  readonly document: StoredDocument
  readonly what: DueTime
  readonly at: string
  readonly isOverdue: boolean
  /** Why it did not happen at its time, where that is known. */
  readonly reason?: string | undefined
}

export interface UpcomingPage {
  readonly items: readonly Upcoming[]
  readonly hasMore: boolean
}

export function scheduledModels(user: User): readonly Model[] {
  return contentModels(user).filter(isScheduled)
}

/** All up to a time behind which there may be more; at least `count`, where there are so many. `before` leaves out what is later. */
export async function readUpcoming(
  { client, user }: Pick<ScreenContext, 'client' | 'user'>,
  count: number,
  options: RequestOptions,
  before?: Date,
): Promise<UpcomingPage> {
  const parts = scheduledModels(user).flatMap((model) => [
    readDue(client, { model, status: 'draft', what: 'publishAt', count, before }, options),
    readDue(client, { model, status: 'active', what: 'unpublishAt', count, before }, options),
  ])
  const read = await Promise.all(parts)
  const ends = read.flatMap(({ end }) => end ?? []).sort()
  const all = read.flatMap(({ items }) => items).sort((a, b) => a.at.localeCompare(b.at) || a.key.localeCompare(b.key))
  const items = all.filter(({ at }) => ends[0] === undefined || at <= ends[0])
  return { items: await withReasons(client, items, options), hasMore: ends.length > 0 }
}

interface DueQuery {
  readonly model: Model
  readonly status: 'draft' | 'active'
  readonly what: DueTime
  readonly count: number
  readonly before: Date | undefined
}

/** `end` is the last time that was read, where there are later ones. */
async function readDue(client: ScreenContext['client'], { model, status, what, count, before }: DueQuery, options: RequestOptions) {
  const found: StoredDocument[] = []
  const end = before?.toISOString() ?? ''
  let cursor: string | undefined
  do {
    const query = { filter: { status, [what]: { $gt: '', ...(before && { $lt: end }) } }, sort: `${what}:asc`, limit: Math.min(PAGE_ROWS, count), cursor }
    const page = await documentsOf(client, model).list(query, options)
    found.push(...page.items)
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined && found.length < count)
  const times: readonly DueTime[] = status === 'draft' ? ['publishAt', 'unpublishAt'] : ['unpublishAt']
  const all = found.flatMap((document) => times.flatMap((time) => upcoming(model, document, time) ?? []))
  const items = before === undefined ? all : all.filter(({ at }) => Date.parse(at) < before.getTime())
  return { items, end: cursor === undefined ? undefined : String(found.at(-1)?.[what]) }
}

function upcoming(model: Model, document: StoredDocument, what: DueTime): Upcoming | undefined {
  const at = document[what]
  if (typeof at !== 'string') return undefined
  // What is not published yet is archived later.
  const isFirst = what === 'publishAt' || document['status'] === 'active'
  return { key: `${document.id} ${what}`, model, document, what, at, isOverdue: isFirst && Date.parse(at) < now() - OVERDUE_MS }
}

/** A document that cannot be published says why when it is checked as if it were. */
async function withReasons(client: ScreenContext['client'], items: readonly Upcoming[], options: RequestOptions): Promise<readonly Upcoming[]> {
  const failed = items.filter(({ isOverdue, what }) => isOverdue && what === 'publishAt').slice(0, REASONS_MAX)
  const reasons = new Map(await Promise.all(failed.map(async ({ key, model, document }) => [key, await reasonOf(client, model, document, options)] as const)))
  return items.map((one) => (reasons.has(one.key) ? { ...one, reason: reasons.get(one.key) } : one))
}

async function reasonOf(client: ScreenContext['client'], model: Model, document: StoredDocument, options: RequestOptions): Promise<string | undefined> {
  const body = { ...document, status: 'active', publishAt: null }
  // It may be deleted meanwhile; the others are shown in any case.
  const { problems } = await documentsOf(client, model).check(body, { ...options, id: document.id }).catch(() => ({ problems: [] }))
  return problems[0] && problemText({ ...problems[0], params: problems[0].params ?? {} })
}

export interface Day {
  /** Its first moment in the zone of the reader; undefined for what is overdue. */
  readonly date: Date | undefined
  readonly items: readonly Upcoming[]
}

/** What is overdue first, then day by day in the zone of the reader. */
export function byDay(items: readonly Upcoming[]): readonly Day[] {
  const overdue = items.filter(({ isOverdue }) => isOverdue)
  const days = Map.groupBy(items.filter(({ isOverdue }) => !isOverdue), ({ at }) => startOfDay(new Date(at)).getTime())
  const dated = [...days].map(([time, ofDay]): Day => ({ date: new Date(time), items: ofDay }))
  return overdue.length === 0 ? dated : [{ date: undefined, items: overdue }, ...dated]
}

export function startOfDay(date: Date, daysLater = 0): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater)
}
