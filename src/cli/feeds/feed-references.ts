/** What the command line names of a feed: documents by their name, code or id; and the source of the site of a feed. */
import { Failure, fail } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { FoundAt } from '../../content/feeds/feed-preview.ts'
import { sameAddress } from '../../content/reads/same-address.ts'
import { prepareRow } from '../../content/transfer/import-rows.ts'
import { withReferencesById } from '../../content/transfer/named-references.ts'
import { country } from '../../models/country.ts'
import { feed } from '../../models/feed-model.ts'
import { language } from '../../models/language.ts'
import type { Model } from '../../models/schema.ts'
import { source } from '../../models/source.ts'
import { topic } from '../../models/topic.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { singleLine } from '../print-table.ts'

export type ReferenceName = 'source' | 'topic' | 'country' | 'language'
export type References = { readonly [name in ReferenceName]?: JsonObject | undefined }

const MODELS: { readonly [name in ReferenceName]: Model } = { source, topic, country, language }

type Documents = Pick<ReadStore['documents'], 'get' | 'lookUp'>

/** References by id. Throws invalidInput for a name that no document has, or several. */
export function referencesOf({ get, lookUp }: Documents, given: { readonly [name in ReferenceName]?: string | undefined }): References {
  const named = (Object.keys(MODELS) as ReferenceName[]).flatMap((name) => {
    const [model, text] = [MODELS[name], given[name]]
    if (text === undefined) return []
    if (get(model, text) !== undefined) return [[name, { id: text }] as const]
    const isCode = model.distinct !== undefined && /^[a-z]{2}$/i.test(text)
    return [[name, { [isCode ? String(model.distinct) : 'name']: text }] as const]
  })
  return withReferencesById(feed, Object.fromEntries(named), lookUp) as References
}

/** The language that a feed says it is in: that of `is-IS` has the code `is`. Undefined where the site does not have it. */
export function languageOf(documents: Documents, { feed: { language: tag } }: FoundAt): JsonObject | undefined {
  const code = /^[a-z]{2}(?=-|$)/i.exec(tag ?? '')?.[0]
  try {
    return code === undefined ? undefined : referencesOf(documents, { language: code }).language
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** The source whose address is the site of the feed. Throws notFound. */
export function sourceOfSite(documents: Documents, found: FoundAt): JsonObject {
  const url = siteOf(found)
  const [known] = sameAddress(documents, { model: source, url, except: undefined }, [source])
  if (known !== undefined) return { id: String(known['id']) }
  throw fail('notFound', `No source has the address ${singleLine(url)}: name one with --source, or make one with --new-source`)
}

/** The members of a new source, of what the feed says of itself. Throws invalidInput where it says too little. */
export function newSource(found: FoundAt, { country: headquarters, language: written }: References): JsonObject {
  if (written === undefined) throw fail('invalidInput', 'The feed does not say its language: name that of the new source with --language')
  if (headquarters === undefined) throw fail('invalidInput', 'A new source needs a country: name it with --country')
  const url = siteOf(found)
  const { title, description, picture } = found.feed
  const texts = { name: title ?? new URL(url).hostname, description: description ?? '', url, logoUrl: picture ?? '' }
  return { ...texts, sourceType: 'other', language: written, headquarters, status: 'active', type: 'source' }
}

/** What is stored of a body, by the rules of an import. Throws invalidInput. */
export function preparedDocument(model: Model, body: JsonObject, context: Pick<Parameters<typeof prepareRow>[1], 'textOf' | 'lookUp' | 'newId' | 'date'>) {
  const { id, doc } = prepareRow(body, { ...context, model, keep: false, incomplete: false, asDrafts: false, readEmail: String })
  return { id, value: parseJson(doc) as JsonObject, text: doc }
}

function siteOf({ feed: { link }, address }: FoundAt): string {
  return link ?? new URL(address).origin
}
