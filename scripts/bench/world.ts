/** The content of the benchmarks: headlines of realistic sizes, of topics, sources and countries with a Zipf-like share. */
import type { Services } from '../../src/app/services.ts'
import { systemClock } from '../../src/base/clock.ts'
import { isoDate } from '../../src/base/dates.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { sampleContent } from '../../src/content/seeds/sample.ts'
import { countrySeeds, languageSeeds, seedId } from '../../src/content/seeds/seeds.ts'
import { headline } from '../../src/models/headline.ts'
import { source } from '../../src/models/source.ts'
import { topic } from '../../src/models/topic.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { seededRandom } from '../tools/random.ts'

const BATCH = 2_000
const TOPICS = 60
const SOURCES = 500

export interface World {
  readonly count: number
  readonly topics: readonly JsonObject[]
  readonly sources: readonly JsonObject[]
  readonly countries: readonly JsonObject[]
  readonly ids: readonly string[]
  readonly template: (i: number) => JsonObject
}

/** What N headlines are made of. Deterministic but for the dates: the same N gives the same documents. */
export function worldContent(count: number) {
  const [countries, languages, now] = [countrySeeds(), languageSeeds(), systemClock()]
  const sample = sampleContent({ now, countries, languages })
  const { below } = seededRandom(count)
  const random = (): number => below(2 ** 32) / 2 ** 32
  const zipf = (n: number): number => Math.min(n - 1, Math.floor(Math.exp(random() * Math.log(n + 1)) - 1))
  const copies = (items: readonly JsonObject[], n: number, kind: string): JsonObject[] =>
    Array.from({ length: n }, (_, i) => {
      const item = items[i % items.length] as JsonObject
      return { ...item, id: seedId(kind, `bench ${i}`), name: `${String(item['name'])} ${i}`, status: 'active' }
    })
  const [topics, sources] = [copies(sample.topics, TOPICS, 'topic'), copies(sample.sources, SOURCES, 'source')]
  const words = sample.headlines.flatMap((item) => String(item['title']).split(' ')).filter((word) => word.length > 2)
  const word = (): string => words[zipf(words.length)] ?? 'news'
  const template = (i: number): JsonObject => {
    const base = sample.headlines[i % sample.headlines.length] as JsonObject
    const updatedAt = isoDate(now - i * 1000 - Math.floor(random() * 3600) * 1000)
    return {
      ...base,
      title: Array.from({ length: 6 + Math.floor(random() * 6) }, word).join(' '),
      excerpt: Array.from({ length: 20 + Math.floor(random() * 60) }, word).join(' '),
      source: sources[zipf(SOURCES)] as JsonObject,
      topic: topics[zipf(TOPICS)] as JsonObject,
      eventCountry: countries[zipf(countries.length)] as JsonObject,
      updatedAt,
      status: random() < 0.95 ? 'active' : random() < 0.5 ? 'draft' : 'archived',
      rank: Math.floor(random() * 1e6),
    }
  }
  return { topics, sources, countries, template }
}

export async function fillWorld({ store, newId }: Pick<Services, 'store' | 'newId'>, count: number): Promise<World> {
  const content = worldContent(count)
  const { topics, sources, template } = content
  const documents = (items: readonly JsonObject[]) => items.map((value) => ({ id: String(value['id']), value }))
  await store.as(SYSTEM).insertMissing(topic, documents(topics))
  await store.as(SYSTEM).insertMissing(source, documents(sources))
  const ids: string[] = []
  for (let done = 0; done < count; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - done) }, (_, i) => ({
      ...template(done + i),
      id: newId(),
    }))
    ids.push(...batch.map(({ id }) => id))
    await store.as(SYSTEM).insertMissing(headline, documents(batch))
  }
  return { ...content, count, ids }
}

/** A headline as a client sends it: the documents in it are references. */
export function newHeadline({ template, sources, topics, countries }: World): JsonObject {
  const reference = (items: readonly JsonObject[]): JsonObject => ({ id: String(items[1]?.['id']) })
  const { title = '', excerpt = '', url = '', imageUrl = '' } = template(0)
  const references = { source: reference(sources), topic: reference(topics), eventCountry: reference(countries) }
  return { title, excerpt, url, imageUrl, status: 'active', ...references }
}
