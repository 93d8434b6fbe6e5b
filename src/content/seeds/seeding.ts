/** Puts seeds and sample content into the store: only what is missing, by id, never overwriting. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import { country } from '../../models/country.ts'
import { headline } from '../../models/headline.ts'
import { language } from '../../models/language.ts'
import { remoteConfig } from '../../models/remote-config.ts'
import type { Model } from '../../models/schema.ts'
import { source } from '../../models/source.ts'
import { topic } from '../../models/topic.ts'
import { OPERATOR, SYSTEM, type Actor } from '../../store/actor.ts'
import { picturePath, type Pictures } from '../kept-pictures.ts'
import type { SamplePictures } from './sample.ts'
import { countrySeeds, languageSeeds, remoteConfigSeed, seedId } from './seeds.ts'
import type { Document } from '../../store/documents/document-tables.ts'
import type { ReadStore } from '../../store/read-store.ts'
import type { Writable } from '../../store/writes/writer.ts'

/** What a service cannot be without: countries, languages and the remote configuration. Run at every start. */
export async function seedBasics(
  store: Writable,
  { flagBaseUrl }: { readonly flagBaseUrl: string },
): Promise<void> {
  const writer = store.as(SYSTEM)
  await Promise.all([
    writer.insertMissing(country, documents(countrySeeds({ flagBaseUrl }))),
    writer.insertMissing(language, documents(languageSeeds())),
    writer.insertMissing(remoteConfig, documents([remoteConfigSeed()])),
  ])
}

export interface SeededSample {
  readonly topics: number
  readonly sources: number
  readonly headlines: number
}

/** Loads the sample content and gives the numbers of documents that were new. */
export async function seedSample(store: Writable, { flagBaseUrl, now, actor = OPERATOR, pictures }: SampleOptions): Promise<SeededSample> {
  // Large, and of no use to a service that runs.
  const { sampleContent } = await import('./sample.ts')
  const drawn = pictures && (await drawPictures(pictures, actor))
  const content = sampleContent({ now, countries: countrySeeds({ flagBaseUrl }), languages: languageSeeds(), pictures: drawn })
  const add = (model: Model, items: readonly JsonObject[]): Promise<number> =>
    store.as(actor).insertMissing(model, documents(items))
  const [topics, sources, headlines] = await Promise.all([
    add(topic, content.topics),
    add(source, content.sources),
    add(headline, content.headlines),
  ])
  return { topics, sources, headlines }
}

export interface SampleOptions {
  readonly flagBaseUrl: string
  /** Milliseconds since the epoch; the newest headline is about as old. */
  readonly now: number
  /** In whose name; the operator's without one. */
  readonly actor?: Actor
  /** What keeps pictures, and the address of the site; without it, the sample has none. */
  readonly pictures?: { readonly keeping: Pick<Pictures, 'add'>; readonly base: string }
}

/** Draws the pictures of the sample, and gives their addresses. Those that the site has already are the same. */
async function drawPictures({ keeping, base }: NonNullable<SampleOptions['pictures']>, actor: Actor): Promise<SamplePictures> {
  const { drawMark, drawScene, MARKS, SCENES } = await import('./drawn-pictures.ts')
  const addressesOf = async (count: number, draw: (nth: number) => Buffer): Promise<readonly string[]> => {
    const addresses: string[] = []
    // One after the other: each takes the event loop for some milliseconds.
    for (let nth = 0; nth < count; nth++) addresses.push(base + picturePath((await keeping.add(draw(nth), actor)).picture))
    return addresses
  }
  return { scenes: await addressesOf(SCENES, drawScene), marks: await addressesOf(MARKS, drawMark) }
}

/** The stored record of a language, which the settings of a new user embed; its seed where an administrator removed it. */
export function languageRecord(store: Pick<ReadStore, 'documents'>, code = 'en'): JsonObject {
  const id = seedId('language', code)
  const text = store.documents.get(language, id)
  if (text !== undefined) return parseJson(text) as JsonObject
  const seed = languageSeeds().find((one) => one['id'] === id)
  return seed ?? languageRecord(store)
}

function documents(values: readonly JsonObject[]): readonly Document[] {
  return values.map((value) => ({ id: String(value['id']), value }))
}
