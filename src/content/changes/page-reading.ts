/**
 * Reads one page of the change log in steps, so that it can pause between two documents.
 *
 * A document may change while the page is read: it is shown as it is when it is looked at, and comes again with its later
 * change on a page behind this one.
 */
import { fail } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { CallerClass } from '../../models/caller.ts'
import { twinName } from '../../models/incomplete.ts'
import type { Model } from '../../models/schema.ts'
import type { Filter } from '../../query/ast.ts'
import { filterTest } from '../../query/match.ts'
import { StepsExceeded, type Steps } from '../../query/steps.ts'
import type { Sight } from './change-rights.ts'
import type { ChangePage as ChangePart, ChangeRecord, ChangeSight } from '../../store/history/change-log.ts'
import type { TurnWork } from '../../store/query/threads/turn-lane.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** Records that are read from the log at once: about a millisecond. */
const PART_RECORDS_MAX = 100
/** A page ends behind the document that passes it. */
const PAGE_CHARS_MAX = 1024 * 1024
/** Of matching the documents of one page, which ends before the one that passes it. */
const PAGE_STEPS_MAX = 1_000_000

/** In steps of 10 ns: what reading takes beside matching. */
const PART_STEPS = 10_000
const RECORD_STEPS = 900
const ROW_STEPS = 30
const DOCUMENT_STEPS = 500
const CHARS_PER_STEP_READ = 4
const CHARS_PER_STEP_PARSED = 2
/** Of a record with its document. */
const RECORD_STEPS_EXPECTED = 3_000

/** A query in the eyes of a caller. */
export interface ChangeView {
  /** The same for all views that see the same. */
  readonly key: string
  readonly rights: string
  readonly models: readonly Model[]
  readonly callerId: string
  readonly callerClass: CallerClass
  readonly isEditor: boolean
  readonly sights: ReadonlyMap<string, { readonly model: Model; readonly sight: Sight; readonly filter: Filter | undefined }>
}

export interface ChangeItem {
  readonly record: ChangeRecord
  /** The JSON text of the document; undefined where it was deleted, or is not shown. */
  readonly document: string | undefined
}

export interface ChangePage {
  readonly items: readonly ChangeItem[]
  /** The seq up to which the caller has every change then. */
  readonly next: number
  readonly hasMore: boolean
  /** What reading it took (query/steps.ts). */
  readonly steps: number
}

export interface PageBounds {
  readonly limit: number
  readonly charsMax?: number
}

export type PageReading = TurnWork<ChangePage>
type ChangeStore = Pick<ReadStore, 'documents' | 'history'>
type DocumentTest = (document: JsonObject) => boolean

/** The page behind a seq. `advance` throws badRequest where the filter takes too many steps for a document. */
export function startPage(store: ChangeStore, view: ChangeView, after: number, { limit, charsMax = PAGE_CHARS_MAX }: PageBounds): PageReading {
  const matching: Steps = { taken: 0, max: PAGE_STEPS_MAX }
  const testOf = testsOf(view, matching)
  const sight = sightOf(view)
  const items: ChangeItem[] = []
  let part: ChangePart = { records: [], upTo: after, looked: 0 }
  let isLastPart = false
  let [seq, at, read, chars, readingSteps] = [after, 0, 0, 0, 0]
  // What is committed while the page is read is no reason to hurry: followers are woken for it, and others ask again.
  const { newest } = store.history.changeRange()
  const spent = (): number => readingSteps + matching.taken
  const isFull = (): boolean => chars > charsMax || read === limit
  const end = (): ChangePage => ({ items, next: seq, hasMore: seq < newest, steps: spent() })

  function readPart(): void {
    const wanted = Math.min(PART_RECORDS_MAX, limit - read)
    part = store.history.changesBehind(seq, sight, wanted)
    at = 0
    isLastPart = part.records.length < wanted
    readingSteps += PART_STEPS + part.records.length * RECORD_STEPS + part.looked * ROW_STEPS
    if (part.records.length === 0) seq = part.upTo
  }
  /** Whether the steps of the page lasted for the document. Throws badRequest where the first one takes more. */
  function lookAtNext(record: ChangeRecord): boolean {
    try {
      const { item, looked } = lookAt(record)
      chars += looked
      if (item !== undefined) items.push(item)
    } catch (error) {
      if (!(error instanceof StepsExceeded)) throw error
      if (read > 0) return false
      throw fail('badRequest', `Cannot follow this filter: expected one of at most ${PAGE_STEPS_MAX} steps for a document, found more`)
    }
    read++
    seq = ++at === part.records.length ? part.upTo : record.seq
    return true
  }
  function lookAt(record: ChangeRecord): Look {
    const seen = view.sights.get(record.model)
    if (seen === undefined) throw new Error(`The change log gave a change of ${record.model}, which was not asked for`)
    const { model, sight } = seen
    if (sight === 'own' && record.id !== view.callerId) throw new Error(`The change log gave a change of ${record.model} of another user`)
    const text = store.documents.get(model, record.id) ?? textOfTwin(model, record.id)
    const looked = text?.length ?? 0
    readingSteps += DOCUMENT_STEPS + looked / CHARS_PER_STEP_READ
    const gone = { item: { record, document: undefined }, looked }
    const isWanted = testOf(record.model)
    if (text !== undefined && sight !== 'active' && isWanted === undefined) return { item: { record, document: text }, looked }
    readingSteps += looked / CHARS_PER_STEP_PARSED
    const document = text === undefined ? undefined : (parseJson(text) as JsonObject)
    // The status of the text itself, which may be newer than the record.
    const isVisible = document !== undefined && (sight !== 'active' || document['status'] === 'active')
    if (!isVisible) return sight !== 'active' || record.wasActive ? gone : { looked }
    if (isWanted === undefined || isWanted(document)) return { item: { record, document: text }, looked }
    // What was just made cannot have matched before.
    return record.isFirst ? { looked } : gone
  }

  /** A draft that became complete is deleted in one table and made in another: where both are asked for, it is there all the time. */
  function textOfTwin(model: Model, id: string): string | undefined {
    const twin = view.sights.get(twinName(model) ?? '')
    return twin === undefined ? undefined : store.documents.get(twin.model, id)
  }

  return {
    stepsExpected: Math.min(limit, newest - after) * RECORD_STEPS_EXPECTED,
    spent,
    held: () => chars + view.key.length,
    advance(mayGoOn) {
      do {
        const record = part.records[at]
        if (isFull() || (record === undefined && isLastPart)) return end()
        if (record === undefined) readPart()
        else if (!lookAtNext(record)) return end()
      } while (mayGoOn())
      return undefined
    },
  }
}

/** What of the log is read for a view. */
function sightOf({ sights, callerId }: ChangeView): ChangeSight {
  const modelsOf = (isOwn: boolean) => [...sights.values()].filter(({ sight }) => (sight === 'own') === isOwn).map(({ model }) => model)
  return { models: modelsOf(false), own: { models: modelsOf(true), id: callerId } }
}

/** How many characters were looked at, and what the caller gets, if anything. */
interface Look {
  readonly item?: ChangeItem
  readonly looked: number
}

/**
 * The tests by the names of models; of one without, every document is wanted. Made for each page, when the first document
 * comes: a pattern remembers up to 4 MiB from text to text, which a thousand streams must not keep.
 */
function testsOf({ sights }: ChangeView, steps: Steps): (model: string) => DocumentTest | undefined {
  const known = new Map<string, DocumentTest>()
  return (model) => {
    const filter = sights.get(model)?.filter
    if (filter === undefined) return undefined
    const test = known.get(model) ?? filterTest(filter, steps)
    known.set(model, test)
    return test
  }
}
