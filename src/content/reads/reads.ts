/**
 * Results of reads, computed or remembered, and never stale.
 *
 * A remembered result is valid while no model that it rests on has another version. The version is read before the result
 * is computed and again afterwards: only where it is the same does the result have that version, whichever thread and
 * snapshot computed it, and only then is it remembered, and found again by its tag. Endpoints check the rights of the
 * caller before they read here.
 */
import { withValue, type Awaitable } from '../../base/awaitable.ts'
import type { DataText } from '../../http/request/exchange.ts'
import { entityTag } from '../../http/request/entity-tag.ts'
import { envelopeStart } from '../../http/coding/coded-envelope.ts'
import type { KeptStart } from '../../http/coding/envelope-coder.ts'
import type { Page, PageCache, PageFacts } from './page-cache.ts'
import { mayBeKept } from './read-dependencies.ts'
import type { ReadStore } from '../../store/read-store.ts'

/** The data, or nothing where the client has it. */
export type ReadResult =
  | { readonly kind: 'text'; readonly data: DataText; readonly tag: string }
  | { readonly kind: 'kept'; readonly start: KeptStart; readonly tag: string }
  /** The tag is the client's. */
  | { readonly kind: 'known'; readonly tag: string }

export interface ReadRequest extends PageFacts {
  /** The request, by which the page is found the next time; undefined where its text does not say all. */
  readonly text: string | undefined
  /** The client's tag where it has the version of that tag. */
  readonly knownTag: (tag: string) => string | undefined
  /** The client names any version (`*`): only the result tells whether there is one. */
  readonly isAnyKnown?: boolean
  /** What the tag is made of: `version` the models and their versions, `content` the text of a document. */
  readonly taggedBy: 'version' | 'content'
  readonly compute: () => Awaitable<DataText>
}

export interface ReadsOptions {
  readonly store: Pick<ReadStore, 'versions'>
  readonly pages: PageCache
  /**
   * Fresh for each start of the program. A tag has it: a restored database has versions again that others had, and another
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

export type Reads = ReturnType<typeof createReads>

export function createReads({ store, pages, instance, versionsOf = instance, thread = 0 }: ReadsOptions) {
  let unversioned = 0
  const isCurrent = (page: Page): boolean => {
    const revision = store.versions.revision()
    if (page.revision === revision) return true
    if (page.version !== store.versions.of(page.rests)) return false
    page.revision = revision
    return true
  }
  const fromPage = (page: Page, knownTag: ReadRequest['knownTag']): ReadResult | undefined => {
    const known = knownTag(page.tag)
    if (known === undefined && page.start === undefined) return undefined
    pages.used(page)
    return known !== undefined || page.start === undefined
      ? { kind: 'known', tag: known ?? page.tag }
      : { kind: 'kept', start: page.start, tag: page.tag }
  }

  return {
    /** The current page that a request of this text asks for; undefined where none is remembered. */
    remembered(text: string): Page | undefined {
      const page = pages.byText(text)
      return page !== undefined && isCurrent(page) ? page : undefined
    },
    /** The result that such a page gives; undefined where only its tag is known, and the client does not have it. */
    fromPage,
    /** The result of a read, remembered or computed. Throws what computing it throws. */
    read(request: ReadRequest): Awaitable<ReadResult> {
      const { text, knownTag, isAnyKnown, taggedBy, compute, ...facts } = request
      const page = pages.byKey(facts.key, text)
      const remembered = page !== undefined && isCurrent(page) ? fromPage(page, knownTag) : undefined
      if (remembered !== undefined) return remembered
      // Ahead of the version: beside a thread that writes, each look may see a later commit. A page with the revision behind its
      // version would be taken for current; with one before it, its version is looked at again.
      const revision = store.versions.revision()
      const version = store.versions.of(facts.rests)
      const isAdmitted = pages.missed(facts.key) && mayBeKept(facts.model)
      const tagOf = (data: DataText): string =>
        taggedBy === 'content' && typeof data === 'string' ? entityTag(data) : entityTag(`${versionsOf} ${version} ${facts.key}`)
      const versionTag = taggedBy === 'version' ? tagOf('') : undefined
      const knownVersion = versionTag === undefined || isAnyKnown === true ? undefined : knownTag(versionTag)
      if (versionTag !== undefined && knownVersion !== undefined) {
        if (isAdmitted) pages.keep({ ...facts, version, revision, tag: versionTag }, undefined, text)
        return { kind: 'known', tag: knownVersion }
      }
      return withValue(compute(), (data): ReadResult => {
        const isUnchanged = version === store.versions.of(facts.rests)
        // Its version is unknown: its tag is that of no other result, before or after.
        if (!isUnchanged && taggedBy === 'version') {
          return { kind: 'text', data, tag: entityTag(`${instance} between versions ${thread} ${++unversioned}`) }
        }
        const tag = versionTag ?? tagOf(data)
        const known = knownTag(tag)
        const kept =
          isAdmitted && isUnchanged
            ? pages.keep({ ...facts, version, revision, tag }, envelopeStart(data), text)
            : undefined
        if (known !== undefined) return { kind: 'known', tag: known }
        return kept?.start === undefined ? { kind: 'text', data, tag } : { kind: 'kept', start: kept.start, tag }
      })
    },
  }
}
