/** Publications as their readers read them: found by the name and the secret of their address, with the stories of a page. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { withRecovery, withValue, type Awaitable } from '../../base/awaitable.ts'
import { isoDate } from '../../base/dates.ts'
import { fail, Failure } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { headline } from '../../models/headline.ts'
import { publication, type PublicationDocument } from '../../models/publication-model.ts'
import { FEEDS, pictureHash, type Paper, type Story } from '../../publications/paper.ts'
import type { Found, QueryCaller } from '../../store/query/find-query.ts'
import type { ReadStore } from '../../store/read-store.ts'
import { writeOpml } from '../feeds/opml.ts'
import { documentsByTitle } from '../reads/documents-by-title.ts'
import { parsePublicationFilter } from '../rules/publication-rules.ts'
import { nextCursor, publicationQuery, shownMembers, type PageRequest } from './publication-query.ts'
import { storyOf } from './stories.ts'

const HASH_BYTES = 32
/** Of a list without publications. */
const NEVER = isoDate(0)
/** Compared where there is no secret, so that its lack takes the same time. No text has this hash that could be found. */
const NO_HASH = new Uint8Array(HASH_BYTES)
const NO_PUBLICATION: PublicationDocument = {
  ...{ id: '0'.repeat(24), name: 'nowhere-news', title: 'Nowhere News', description: 'What happens nowhere.', language: 'en' },
  ...{ filter: '{"topic.name":"Nowhere"}', sort: 'publishedAt:desc', pageSize: 30, members: ['excerpt', 'imageUrl', 'source', 'topic'] },
  ...{ visibility: 'secret', isPaused: true, contact: 'news@nowhere.example', rights: '© Nowhere News', createdAt: NEVER, updatedAt: NEVER },
}
/** Read where there is no publication, for the same reason: it has the members of one, and is never shown. */
const NO_TEXT = JSON.stringify(NO_PUBLICATION)

export interface PaperRequest extends PageRequest {
  /** The address of the site; empty where the service does not know it. */
  readonly site: string
  /** The address of the page; empty where the service does not know it. */
  readonly base: string
  readonly hub: string | undefined
}

export type PublicationReads = ReturnType<typeof createPublicationReads>

export function hashOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** One failure for every reason, so that it tells nothing of what there is. */
export function noPublication(): Failure {
  return fail('notFound', 'There is no publication at this address')
}

export function createPublicationReads(store: Pick<ReadStore, 'documents' | 'publications' | 'pictures'>) {
  return {
    /**
     * The publication of an address; `secret` is undefined where the address has none. Throws notFound where there is none, it
     * is paused, or the secret is wrong: the same work is done for all of these, so that the time tells none from the others.
     */
    atAddress(name: string, secret: string | undefined): PublicationDocument {
      const found = store.publications.publicationNamed(name)
      const isRight = timingSafeEqual(hashOfSecret(secret ?? ''), found?.secretHash ?? NO_HASH)
      const document = parseJson(found?.text ?? NO_TEXT) as unknown as PublicationDocument
      const isAddressed = document.visibility === 'secret' ? isRight : secret === undefined
      if (document.isPaused || !isAddressed) throw noPublication()
      return document
    },
    /** Throws badRequest for a cursor, a search or a limit that cannot be read, and networkError where the query fails. */
    paper: (document: PublicationDocument, request: PaperRequest, caller: QueryCaller) => readPaper(store, document, request, caller, withoutReasons),
    /**
     * All public publications as OPML, which readers of feeds import, and when one of them was changed last. `addressOf` gives the
     * address of one by its name.
     */
    list(addressOf: (name: string) => string, title: string, caller: QueryCaller): Awaitable<{ readonly text: string; readonly updatedAt: string }> {
      return withValue(documentsByTitle(store, publication, caller), (all) => {
        const open = all.filter(({ visibility, isPaused }) => visibility === 'public' && !isPaused)
        const listed = open.map((one) => ({ title: one.title, address: `${addressOf(one.name)}${FEEDS.atom.file}`, siteUrl: addressOf(one.name), topic: null }))
        const updatedAt = open.reduce((latest, one) => (one.updatedAt > latest ? one.updatedAt : latest), NEVER)
        return { text: writeOpml(listed, title), updatedAt }
      })
    },
  }
}

/** A filter that is too slow, or that no program reads any more, is nothing that its readers could mend, or should learn of. */
function withoutReasons<T>(work: () => Awaitable<T>): Awaitable<T> {
  return withRecovery(work, (error) => {
    if (!(error instanceof Failure) || error.code !== 'badRequest') throw error
    throw fail('networkError', 'The publication cannot be read now: try again later', { cause: error.message })
  })
}

/** Throws what the query throws, as `judge` changes it, and badRequest for a cursor or a limit that cannot be read. */
export function readPaper(
  store: Pick<ReadStore, 'documents' | 'pictures'>,
  document: Omit<PublicationDocument, 'createdAt' | 'name'>,
  { site, base, hub, ...request }: PaperRequest,
  caller: QueryCaller,
  judge: <T>(work: () => Awaitable<T>) => Awaitable<T> = (work) => work(),
): Awaitable<Paper> {
  const shown = shownMembers(document)
  return withValue(judge(() => parsePublicationFilter(document.filter)), (own) => {
    const query = publicationQuery(document, own, request)
    return withValue(judge(() => store.documents.find(headline, query, caller)), paperOf)
  })

  function paperOf(found: Found): Paper {
    const { id, title, description, language, contact, rights, sort, updatedAt } = document
    const stories = withAlts(store, found.items.map((text) => storyOf(parseJson(text) as JsonObject, { shown, site })))
    const [sortedBy] = (['publishedAt', 'updatedAt'] as const).filter((name) => sort.startsWith(name))
    return {
      ...{ id, title, description, language, contact, rights, stories, base, hub, sortedBy },
      choice: request.choice,
      cursor: request.cursor,
      next: nextCursor(document, found),
      updatedAt: [updatedAt, ...stories.map((story) => story.updatedAt)].toSorted().at(-1) ?? updatedAt,
    }
  }
}

/** With what is known of the pictures that the service keeps. */
function withAlts({ pictures }: Pick<ReadStore, 'pictures'>, stories: readonly Story[]): readonly Story[] {
  const hashes = stories.map(({ imageUrl }) => (imageUrl === undefined ? undefined : pictureHash(imageUrl)))
  const kept = hashes.filter((hash) => hash !== undefined)
  if (kept.length === 0) return stories
  const alts = pictures.pictureAlts(kept)
  return stories.map((story, i) => {
    const imageAlt = alts.get(hashes[i] ?? '')
    return imageAlt === undefined ? story : { ...story, imageAlt }
  })
}
