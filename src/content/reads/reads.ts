/**
 * Results of reads, computed or remembered, and never stale.
 *
 * A remembered result is valid while no model that it rests on has another version; one document, while it has not changed itself. The version is read before the result
 * is computed and again afterwards: only where it is the same does the result have that version, whichever thread and
 * snapshot computed it, and only then is it remembered, and found again by its version. Endpoints check the rights of the
 * caller before they read here.
 */
import { withValue, type Awaitable } from '../../base/awaitable.ts'
import { bytesOf, type TextPart } from '../../base/text-parts.ts'
import type { Page, PageCache, PageFacts } from './page-cache.ts'
import { mayBeKept } from './read-dependencies.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** JSON text, as a whole or in parts. */
type Data = string | readonly TextPart[]

/** How results are kept and named. */
export interface ResultForm<Result> {
  readonly bytesOf: (result: Result) => number
  /** The text that names a version by its content; undefined where that would cost too much. */
  readonly contentOf: (result: Result) => string | undefined
}

/** That of JSON text. */
export const DATA_FORM: ResultForm<Data> = {
  bytesOf: (data) => (typeof data === 'string' ? Buffer.byteLength(data) : bytesOf(data)),
  contentOf: (data) => (typeof data === 'string' ? data : undefined),
}

/** The data with the name of its version, or nothing where the client has it. */
export type ReadResult<Kept, Result = Data> =
  | { readonly kind: 'text'; readonly data: Result; readonly version: string }
  | { readonly kind: 'kept'; readonly kept: Kept; readonly version: string }
  /** Under the name by which the client knows the version. */
  | { readonly kind: 'known'; readonly version: string }

export interface ReadRequest<Result = Data> extends PageFacts {
  /** The request, by which the page is found the next time; undefined where its text does not say all. */
  readonly text: string | undefined
  /** The name by which the client knows a version; undefined where it does not have it. */
  readonly knownAs: (version: string) => string | undefined
  /** The client names any version (`*`): only the result tells whether there is one. */
  readonly isAnyKnown?: boolean
  /** What names a version: the versions of the `models`, or the `content`, the text of a document. */
  readonly namedBy: 'models' | 'content'
  readonly compute: () => Awaitable<Result>
}

export interface ReadsOptions<Kept, Result = Data> {
  readonly store: Pick<ReadStore, 'versions'>
  readonly pages: PageCache<Kept>
  /** Names a version by a text that says all of it. */
  readonly nameOf: (text: string) => string
  /** Gives data the form in which it is kept, which calls `grow` with the bytes that are added to it later. */
  readonly keep: (data: Result, grow: (bytes: number) => void) => Kept
  readonly form: ResultForm<Result>
  /**
   * Fresh for each start of the program. The name of a version has it: a restored database has versions again that others had, and another
   * program or other settings may give another result.
   */
  readonly instance: string
  /**
   * In place of the run, on a node of a cluster: the same on all nodes whose versions mean the same documents and whose
   * settings give the same results.
   */
  readonly versionsOf?: string | undefined
  /** The number of the thread, where several serve. */
  readonly thread?: number
}

export type Reads<Kept, Result = Data> = ReturnType<typeof createReads<Kept, Result>>

export function createReads<Kept, Result>(options: ReadsOptions<Kept, Result>) {
  const { store, pages, nameOf, keep, form, instance, versionsOf = instance, thread = 0 } = options
  let unversioned = 0
  const versionsFor = ({ rests, document }: Pick<PageFacts, 'rests' | 'document'>): string =>
    document === undefined ? store.versions.of(rests) : store.versions.ofDocument(rests, document)
  const isCurrent = (page: Page<Kept>): boolean => {
    const revision = store.versions.revision()
    if (page.revision === revision) return true
    if (page.restVersions !== versionsFor(page)) return false
    page.revision = revision
    return true
  }
  const fromPage = (page: Page<Kept>, knownAs: ReadRequest['knownAs']): ReadResult<Kept, Result> | undefined => {
    const { kept, version } = page
    const known = knownAs(version)
    if (known === undefined && kept === undefined) return undefined
    pages.used(page)
    return known !== undefined || kept === undefined ? { kind: 'known', version: known ?? version } : { kind: 'kept', kept, version }
  }

  return {
    /** The current page that a request of this text asks for; undefined where none is remembered. */
    remembered(text: string): Page<Kept> | undefined {
      const page = pages.byText(text)
      return page !== undefined && isCurrent(page) ? page : undefined
    },
    /** The result that such a page gives; undefined where only its version is known, and the client does not have it. */
    fromPage,
    /** The result of a read, remembered or computed. Throws what computing it throws. */
    read(request: ReadRequest<Result>): Awaitable<ReadResult<Kept, Result>> {
      const { text, knownAs, isAnyKnown, namedBy, compute, ...facts } = request
      const page = pages.byKey(facts.key, text)
      const remembered = page !== undefined && isCurrent(page) ? fromPage(page, knownAs) : undefined
      if (remembered !== undefined) return remembered
      // Ahead of the versions: beside a thread that writes, each look may see a later commit. A page with the revision behind its
      // versions would be taken for current; with one before them, they are looked at again.
      const revision = store.versions.revision()
      const restVersions = versionsFor(facts)
      const isAdmitted = pages.missed(facts.key) && mayBeKept(facts.model)
      const nameByModels = (): string => nameOf(`${versionsOf} ${restVersions} ${facts.key}`)
      const byModels = namedBy === 'models' ? nameByModels() : undefined
      const knownByModels = byModels === undefined || isAnyKnown === true ? undefined : knownAs(byModels)
      if (byModels !== undefined && knownByModels !== undefined) {
        if (isAdmitted) pages.keep({ ...facts, restVersions, revision, version: byModels }, undefined, text)
        return { kind: 'known', version: knownByModels }
      }
      return withValue(compute(), (data): ReadResult<Kept, Result> => {
        const isUnchanged = restVersions === versionsFor(facts)
        // Its version is unknown: its name is that of no other result, before or after.
        if (!isUnchanged && byModels !== undefined) {
          return { kind: 'text', data, version: nameOf(`${instance} between versions ${thread} ${++unversioned}`) }
        }
        const content = byModels === undefined ? form.contentOf(data) : undefined
        const version = byModels ?? (content === undefined ? nameByModels() : nameOf(content))
        const known = knownAs(version)
        const result = { bytes: form.bytesOf(data), keep: (grow: (bytes: number) => void) => keep(data, grow) }
        const kept = isAdmitted && isUnchanged ? pages.keep({ ...facts, restVersions, revision, version }, result, text).kept : undefined
        if (known !== undefined) return { kind: 'known', version: known }
        return kept === undefined ? { kind: 'text', data, version } : { kind: 'kept', kept, version }
      })
    },
  }
}
