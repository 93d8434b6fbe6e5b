/**
 * The headline that an item becomes. What a feed says is checked by the rules of the model like the body of a request, so
 * nothing of it reaches a reader that an editor could not have written.
 *
 * An item that lacks something, or has something that the model does not allow, becomes a draft without it: an editor adds it.
 */
import { isoDate } from '../../base/dates.ts'
import { describe, Failure } from '../../base/failure.ts'
import { parseJson, type Json, type JsonObject } from '../../base/json.ts'
import type { Problem } from '../../base/problem.ts'
import type { FeedItem } from '../../feeds/feed.ts'
import { country } from '../../models/country.ts'
import type { FeedDocument, FeedRule } from '../../models/feed-model.ts'
import { headline } from '../../models/headline.ts'
import { missingMembers } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import { source } from '../../models/source.ts'
import { topic } from '../../models/topic.ts'
import { withPublication } from '../rules/publication.ts'
import { referenceKey } from '../rules/references.ts'
import { withHandIn } from '../rules/review.ts'
import type { TextOf } from '../rules/text-forms.ts'
import { validateDocument } from '../rules/validate.ts'
import type { ItemReason, Lack } from './item-reasons.ts'
import { itemRules } from './item-rules.ts'

/** Of a title, in UTF-16 units: the parser keeps long ones, and no reader wants them. */
const TITLE_CHARS_MAX = 500

export interface HeadlineContext {
  readonly feed: FeedDocument
  /** Those for all feeds. */
  readonly rules: readonly FeedRule[]
  /** Gives the JSON text of a stored document: copies are made from the present version, which is read once. */
  readonly textOf: TextOf
  /** In milliseconds since the epoch. */
  readonly now: number
}

export type MadeHeadline =
  | {
      readonly kind: 'headline'
      readonly document: JsonObject
      /** What keeps it a draft. */
      readonly missing: readonly ItemReason[]
    }
  | { readonly kind: 'dropped' | 'rejected'; readonly reason: ItemReason }

/** What the members of a headline are called where the feed does not give them. */
const LACKS: Readonly<Record<string, Lack>> = { title: 'title', url: 'link', imageUrl: 'picture', topic: 'topic', eventCountry: 'country', source: 'source' }

/** Gives the function from an item and the id for its headline to that headline. It throws nothing that an item could cause. */
export function headlineMaker({ feed, rules, textOf, now }: HeadlineContext) {
  const judge = itemRules([...feed.rules, ...rules])
  /** By the keys of their references: most items of a feed have the same source, topic and country. */
  const records = new Map<string, JsonObject>()
  /** A reference to a stored document, of which feed or rule hold a copy; the copy where it is not stored any more. */
  const referenceTo = (model: Model, copy: { readonly id: string } | null): JsonObject | undefined => {
    if (copy === null) return undefined
    const reference = { id: copy.id }
    const key = referenceKey(model, reference) ?? ''
    if (records.has(key)) return reference
    const text = textOf(model, copy.id)
    if (text === undefined) return copy as unknown as JsonObject
    records.set(key, parseJson(text) as JsonObject)
    return reference
  }
  const publisher = referenceTo(source, feed.source)
  const { logoUrl: logo = '' } = records.get(referenceKey(source, publisher ?? {}) ?? '') ?? publisher ?? {}
  return (item: FeedItem, id: string): MadeHeadline => {
    const judgement = judge(item, feed.language?.code)
    if (judgement.drops) return { kind: 'dropped', reason: { code: 'rule', name: '' } }
    const arrival = judgement.arrival ?? feed.arrival
    const members: Record<string, Json | undefined> = {
      ...textsOf(item),
      imageUrl: item.picture ?? (logo || undefined),
      source: publisher,
      eventCountry: referenceTo(country, judgement.country ?? feed.country),
      topic: referenceTo(topic, judgement.topic ?? feed.topic),
    }
    const time = isoDate(now)
    const generated = { id, createdAt: time, updatedAt: time }
    const faults: Problem[] = []
    const checked = (): JsonObject => {
      const given = Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined)
      const body = { ...Object.fromEntries(given), status: 'draft' }
      return validateDocument(headline, body, { generated, textOf, records, incomplete: true, report: (problem) => void faults.push(problem) })
    }
    try {
      const first = checked()
      for (const { path } of faults) members[path.split(/[.[]/)[0] ?? ''] = undefined
      const reasons = faults.splice(0).map(({ path, message }) => invalid(`${path}: ${message}`))
      const draft = reasons.length === 0 ? first : checked()
      const missing = [...missingMembers(headline, draft).map((name) => lacking(name)), ...reasons]
      const isWhole = missing.length === 0
      if (faults[0] !== undefined) return { kind: 'rejected', reason: invalid(faults[0].message) }
      // A draft that lacks nothing is what any other status asks for.
      const document = isWhole && arrival === 'published' ? { ...draft, status: 'active' } : draft
      const handedIn = isWhole && arrival === 'review' ? { ...document, handedInAt: time } : document
      const parts = { model: headline, stored: undefined, now, report: ignored }
      const published = withPublication(handedIn, { ...parts, ...(item.published === undefined ? {} : { publishedAt: item.published }) })
      return { kind: 'headline', document: withHandIn(published, parts), missing }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { kind: 'rejected', reason: invalid(error.message) }
    }
  }
}

/**
 * What a change of the item brings to its headline: the members that the item has, where the model allows them. `kept` is the
 * picture in whose place the headline may have one of ours.
 */
export function changedTexts(item: FeedItem, stored: JsonObject, kept: string | undefined): JsonObject {
  const { title, excerpt } = textsOf(item)
  const wanted = { title, excerpt: excerpt || undefined, imageUrl: item.picture === kept ? undefined : item.picture }
  const given = Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(given.filter(([name, value]) => stored[name] !== value && isAllowed(stored, { [name]: value })))
}

function isAllowed(stored: JsonObject, change: JsonObject): boolean {
  let isValid = true
  const generated = { id: String(stored['id']), createdAt: String(stored['createdAt']), updatedAt: String(stored['updatedAt']) }
  const report = ({ path }: Problem): void => void (isValid &&= !Object.hasOwn(change, path) && path !== '')
  try {
    validateDocument(headline, { ...stored, ...change }, { generated, stored, incomplete: true, report })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return false
  }
  return isValid
}

/** The texts of an item that a headline has; those that no document may have are left out of them. */
function textsOf({ title, excerpt = '', link }: FeedItem): { readonly title: string | undefined; readonly excerpt: string; readonly url: string | undefined } {
  const shown = plain(title ?? '').slice(0, TITLE_CHARS_MAX).toWellFormed()
  return { title: shown === '' ? undefined : shown, excerpt: plain(excerpt), url: link }
}

/** Without control characters, which the store does not take, and halves of surrogate pairs. */
function plain(text: string): string {
  return text.toWellFormed().replaceAll(/\p{Cc}+/gu, ' ').trim()
}

function lacking(member: string): ItemReason {
  const name = LACKS[member]
  return name === undefined ? invalid(`It lacks ${describe(member)}`) : { code: 'lacks', name }
}

function invalid(name: string): ItemReason {
  return { code: 'invalid', name }
}

/** Times of a headline that is made now have no problem that is its feed's. */
function ignored(): void {}
