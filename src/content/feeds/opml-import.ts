/** Adds the feeds of an OPML file, with a report by line: each is written like the document of a request. */
import { Failure } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { ProblemFailure, type Problem } from '../../base/problem.ts'
import { feed, type Arrival } from '../../models/feed-model.ts'
import type { OpmlReport } from '../../models/responses.ts'
import type { Model } from '../../models/schema.ts'
import { source } from '../../models/source.ts'
import { topic } from '../../models/topic.ts'
import { matchAll } from '../../query/ast.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { sameAddress, titleOf } from '../reads/same-address.ts'
import { readOpml, type FeedOutline } from './opml-outlines.ts'

/** Topics whose names are compared with groups. */
const TOPICS_MAX = 1_000

export interface OpmlImport {
  readonly opml: string
  /** References for feeds that say nothing else by their site or their group. */
  readonly source: JsonObject
  readonly topic: JsonObject | null
  readonly country: JsonObject | null
  readonly arrival: Arrival
  readonly keepsPictures: boolean
  readonly isDryRun: boolean
}

interface ImportParts {
  readonly store: Pick<ReadStore, 'documents'>
  /** Creates a feed as the caller of the request. Throws the failures of a request. */
  readonly create: (body: JsonObject) => Promise<unknown>
  /** Finds what creating it would reject. */
  readonly check: (body: JsonObject) => Promise<readonly Problem[]>
  readonly caller: QueryCaller
}

/** Throws invalidInput for what is no OPML, and what no line could be written after, as where the caller lost the role. */
export async function importOpml({ store, create, check, caller }: ImportParts, request: OpmlImport): Promise<OpmlReport> {
  const { outlines, leftOut } = readOpml(request.opml)
  const topics = await topicsByName(store, caller)
  const seen = new Set<string>()
  const rows: OpmlReport['rows'][number][] = []
  for (const outline of outlines) {
    const { line, address, title } = outline
    const row = (outcome: 'added' | 'known' | 'rejected', message: string | null, more: { readonly known?: string; readonly problem?: Problem } = {}): void =>
      void rows.push({ line, address, title, outcome, message, known: more.known ?? null, problem: more.problem ?? null })
    const [known] = addressed(store, feed, address)
    if (known !== undefined || seen.has(address)) {
      if (known === undefined) row('known', 'The file has it above')
      else row('known', `It is the feed ${titleOf(known)}`, { known: titleOf(known) })
      continue
    }
    seen.add(address)
    try {
      const body = bodyOf(store, outline, request, topics)
      const [problem] = request.isDryRun ? await check(body) : []
      if (!request.isDryRun) await create(body)
      if (problem === undefined) row('added', null)
      else row('rejected', problem.message, { problem })
    } catch (error) {
      if (!(error instanceof Failure) || ![400, 409].includes(error.status)) throw error
      row('rejected', error.message, error instanceof ProblemFailure ? { problem: error.problem } : {})
    }
  }
  const count = (wanted: string): number => rows.filter(({ outcome }) => outcome === wanted).length
  return { added: count('added'), known: count('known'), rejected: count('rejected'), leftOut, rows }
}

/** A feed of a site that is a source is that of the source; a group with the name of a topic is the topic. */
function bodyOf(store: ImportParts['store'], outline: FeedOutline, request: OpmlImport, topics: ReadonlyMap<string, string>): JsonObject {
  const { address, title, siteUrl, group } = outline
  const [known] = siteUrl === '' ? [] : addressed(store, source, siteUrl)
  const ofGroup = topics.get(group.toLowerCase())
  return {
    ...{ address, title: title === '' ? address : title, siteUrl, arrival: request.arrival, paused: false, keepsPictures: request.keepsPictures },
    source: known === undefined ? request.source : { id: String(known['id']) },
    topic: ofGroup === undefined ? request.topic : { id: ofGroup },
    ...{ country: request.country, language: null, rules: [], retentionDays: null, retentionItems: null, username: '' },
  }
}

function addressed({ documents }: ImportParts['store'], model: Model, url: string): readonly JsonObject[] {
  return sameAddress(documents, { model, url, except: undefined }, [model])
}

async function topicsByName({ documents }: ImportParts['store'], caller: QueryCaller): Promise<ReadonlyMap<string, string>> {
  const query = { filter: matchAll, sort: [], limit: TOPICS_MAX, after: undefined }
  const { items } = await documents.find(topic, query, caller)
  return new Map(items.map((text) => parseJson(text) as JsonObject).map(({ name, id }) => [String(name).toLowerCase(), String(id)]))
}
