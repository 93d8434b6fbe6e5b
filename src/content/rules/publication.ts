/**
 * The dates of a publication. `publishedAt` is set when a document is first published. `publishAt` of a draft and
 * `unpublishAt` name times at which schedule.ts changes the status.
 *
 * A new time must be to come, and must fit the status. A time that was stored before is no mistake of this write: it is
 * kept while it still means something, and dropped where the status has overtaken it.
 */
import { isoDate } from '../../base/dates.ts'
import { describe } from '../../base/failure.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import { isScheduled } from '../../models/workflow.ts'
import { problemAt, type Report } from './problems.ts'

export interface Publication {
  readonly model: Model
  /** The document before; undefined for a new one. */
  readonly stored: JsonObject | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Where problems go; without it, times that do not fit are dropped: an earlier version or a file does not mean them. */
  readonly report?: Report
  /** The time of a first publishing: now without it. */
  readonly publishedAt?: string
}

/** The document with the dates of its publication put right. Reports a time that is not to come, or not for the status. */
export function withPublication(next: JsonObject, { model, stored, now, report, publishedAt }: Publication): JsonObject {
  if (!isScheduled(model)) return next
  const { status, publishAt = null, unpublishAt = null } = next
  const date = isoDate(now)
  const isNew = (name: string): boolean => report !== undefined && next[name] !== stored?.[name]
  const wrong = (path: string, code: 'tooEarly' | 'otherStatus', wanted: string, choices?: string): void => {
    const message = `expected ${wanted}, found ${describe(next[path])}`
    report?.(problemAt(path, code, message, choices === undefined ? {} : { choices }))
  }
  const start = (): Json => {
    if (publishAt === null) return null
    if (status !== 'draft') {
      if (isNew('publishAt')) wrong('publishAt', 'otherStatus', `none unless status is draft`, 'draft')
      return null
    }
    if (isPast(publishAt, date)) {
      if (report === undefined) return null
      if (isNew('publishAt')) wrong('publishAt', 'tooEarly', `a time after ${date}`)
    }
    return publishAt
  }
  const end = (): Json => {
    if (unpublishAt === null) return null
    if (status === 'archived') {
      if (isNew('unpublishAt')) wrong('unpublishAt', 'otherStatus', 'none where status is archived', 'active, draft')
      return null
    }
    if (isPast(unpublishAt, date)) {
      if (report === undefined || (status === 'active' && stored?.['status'] !== 'active' && !isNew('unpublishAt'))) return null
      if (isNew('unpublishAt')) wrong('unpublishAt', 'tooEarly', `a time after ${date}`)
    } else if (publishAt !== null && isPast(unpublishAt, String(publishAt)) && status === 'draft') {
      wrong('unpublishAt', 'tooEarly', `a time after publishAt, ${describe(publishAt)}`)
    }
    return unpublishAt
  }
  const published = next['publishedAt'] ?? (status === 'active' ? (publishedAt ?? date) : null)
  return withDates(next, { publishedAt: published, publishAt: start(), unpublishAt: end() })
}

/** The document with these dates; null takes one away. */
export function withDates(document: JsonObject, dates: JsonObject): JsonObject {
  const isSame = Object.entries(dates).every(([name, date]) => date === (document[name] ?? null))
  if (isSame) return document
  return Object.fromEntries(Object.entries({ ...document, ...dates }).filter(([name]) => dates[name] !== null))
}

function isPast(date: Json, now: string): boolean {
  return typeof date === 'string' && date <= now
}
