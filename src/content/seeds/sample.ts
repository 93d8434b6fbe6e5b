/**
 * The sample content that a new operator can load: topics, sources and some hundred headlines of invented events.
 *
 * Ids come from the slugs in data/sample.json, so that loading a second time, even weeks later, adds nothing. Dates
 * come from the clock, as a feed of last year's news shows nothing; each item has a fixed age, from a hash of its slug.
 */
import { createHash } from 'node:crypto'
import sample from '../../../data/sample.json' with { type: 'json' }
import { isoDate } from '../../base/dates.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/duration.ts'
import { fail } from '../../base/failure.ts'
import { type JsonObject } from '../../base/json.ts'
import { seedId } from './seeds.ts'

const HEADLINE_AGE_MAX_MS = 42 * DAY_MS
/** Above 1 the recent days hold more headlines than the early ones. */
const HEADLINE_AGE_POWER = 1.3
const ARCHIVED_AGE_MIN_MS = 21 * DAY_MS
const EDIT_DELAY_MAX_MS = 6 * HOUR_MS
/** Topics and sources are older than every headline, and so is the last change of each. */
const RECORD_AGE_MIN_MS = 120 * DAY_MS
const RECORD_AGE_MAX_MS = 300 * DAY_MS
const RECORD_EDIT_AGE_MIN_MS = 50 * DAY_MS
/** When an editor changed many headlines at once: they share one `updatedAt`, as imports and bulk edits do. */
const BULK_EDIT_AGE_MS = 3 * DAY_MS
const BULK_EDIT_SHARE = 0.07
const EDIT_SHARE = 0.2

export interface SampleInput {
  /** Milliseconds since the epoch; the youngest headline is a little older than this. */
  readonly now: number
  /** The country and language records to embed, as they are stored. */
  readonly countries: readonly JsonObject[]
  readonly languages: readonly JsonObject[]
  /** Addresses of pictures that the site has; without them, the sample names some that lead nowhere. */
  readonly pictures?: SamplePictures | undefined
}

export interface SamplePictures {
  /** For headlines. */
  readonly scenes: readonly string[]
  /** For topics and sources. */
  readonly marks: readonly string[]
}

export interface SampleContent {
  readonly topics: JsonObject[]
  readonly sources: JsonObject[]
  readonly headlines: JsonObject[]
}

/** Builds the whole sample. Fails with notFound when a country or language it needs has been removed. */
export function sampleContent({ now, countries, languages, pictures }: SampleInput): SampleContent {
  const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS
  const countryOf = finder('country', 'isoCode', countries)
  const languageOf = finder('language', 'code', languages)

  const topics = new Map<string, JsonObject>()
  for (const { slug, name, description, status } of sample.topics as readonly TopicEntry[]) {
    topics.set(slug, {
      id: seedId('topic', slug),
      name,
      description,
      iconUrl: oneOf(pictures?.marks, slug) ?? `https://images.example/topics/${slug}.png`,
      ...recordDates(`topic:${slug}`, minute),
      status: status ?? 'active',
      type: 'topic',
    })
  }

  const sources = new Map<string, JsonObject>()
  for (const { slug, name, description, status, ...entry } of sample.sources as readonly SourceEntry[]) {
    sources.set(slug, {
      id: seedId('source', slug),
      name,
      description,
      url: `https://${slug}.example`,
      logoUrl: oneOf(pictures?.marks, slug) ?? `https://images.example/sources/${slug}.png`,
      sourceType: entry.sourceType,
      language: languageOf(entry.language),
      headquarters: countryOf(entry.country),
      ...recordDates(`source:${slug}`, minute),
      status: status ?? 'active',
      type: 'source',
    })
  }

  const headlines = (sample.headlines as readonly HeadlineEntry[]).map(
    ({ slug, title, excerpt, source, country, topic, status }) => ({
      id: seedId('headline', slug),
      title,
      excerpt,
      url: `https://${source}.example/articles/${slug}`,
      imageUrl: oneOf(pictures?.scenes, slug) ?? `https://images.example/${slug}.jpg`,
      source: entryOf(sources, source),
      eventCountry: countryOf(country),
      topic: entryOf(topics, topic),
      ...headlineDates(slug, minute, status),
      status: status ?? 'active',
      type: 'headline',
      ...publishedAt(status, headlineDates(slug, minute, status)),
    }),
  )
  return { topics: [...topics.values()], sources: [...sources.values()], headlines }
}

interface TopicEntry {
  readonly slug: string
  readonly name: string
  readonly description: string
  /** Absent means active. */
  readonly status?: string
}

interface SourceEntry extends TopicEntry {
  readonly sourceType: string
  /** ISO 639-1. */
  readonly language: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
}

interface HeadlineEntry {
  readonly slug: string
  readonly source: string
  readonly topic: string
  /** ISO 3166-1 alpha-2: where it happened. */
  readonly country: string
  readonly status?: string
  readonly title: string
  readonly excerpt: string
}

interface Dates {
  readonly createdAt: string
  readonly updatedAt: string
}

function publishedAt(status: string | undefined, { createdAt }: Dates): JsonObject {
  return status === 'draft' ? {} : { publishedAt: createdAt }
}

function headlineDates(slug: string, now: number, status: string | undefined): Dates {
  const ageMinMs = status === 'archived' ? ARCHIVED_AGE_MIN_MS : 0
  const age = ageMinMs + fraction(`age:${slug}`) ** HEADLINE_AGE_POWER * (HEADLINE_AGE_MAX_MS - ageMinMs)
  const kind = fraction(`edit:${slug}`)
  if (kind < BULK_EDIT_SHARE && age > BULK_EDIT_AGE_MS) return dates(now, age, BULK_EDIT_AGE_MS)
  if (kind > EDIT_SHARE) return dates(now, age, age)
  return dates(now, age, Math.max(0, age - fraction(`delay:${slug}`) * EDIT_DELAY_MAX_MS))
}

function recordDates(key: string, now: number): Dates {
  const age = RECORD_AGE_MIN_MS + fraction(`age:${key}`) * (RECORD_AGE_MAX_MS - RECORD_AGE_MIN_MS)
  if (fraction(`edit:${key}`) > EDIT_SHARE) return dates(now, age, age)
  return dates(now, age, RECORD_EDIT_AGE_MIN_MS + fraction(`delay:${key}`) * (age - RECORD_EDIT_AGE_MIN_MS))
}

function dates(now: number, createdAgeMs: number, updatedAgeMs: number): Dates {
  return { createdAt: isoDate(now - wholeMinutes(createdAgeMs)), updatedAt: isoDate(now - wholeMinutes(updatedAgeMs)) }
}

function wholeMinutes(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS
}

/** A number in [0, 1) that looks random and is the same for the same text on every machine. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}

/** Always the same of a list for the same text. */
function oneOf(list: readonly string[] | undefined, text: string): string | undefined {
  return list?.[Math.floor(fraction(`picture:${text}`) * list.length)]
}

/** Looks records up by their code; where an operator has two of one code, the first one counts. */
function finder(model: string, member: string, records: readonly JsonObject[]): (code: string) => JsonObject {
  const byCode = new Map<unknown, JsonObject>()
  for (const record of records) {
    const code = Object.hasOwn(record, member) ? record[member] : undefined
    if (!byCode.has(code)) byCode.set(code, record)
  }
  return (code) => {
    const record = byCode.get(code)
    if (record === undefined) {
      throw fail('notFound', `Cannot build the sample content: wanted a ${model} with ${member} "${code}", found none`)
    }
    return record
  }
}

function entryOf(entries: ReadonlyMap<string, JsonObject>, slug: string): JsonObject {
  const entry = entries.get(slug)
  if (entry === undefined) throw new Error(`data/sample.json refers to "${slug}" and does not define it`)
  return entry
}
