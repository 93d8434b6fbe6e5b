/**
 * The query of a page of a publication. Its filter is that of its administrators alone and may name any member. What readers
 * choose narrows it by members that they see: so no number of requests tells them anything of the others.
 */
import type { Json } from '../../base/json.ts'
import { fail, Failure } from '../../base/failure.ts'
import { headline } from '../../models/headline.ts'
import type { PublicationDocument, ShownMember } from '../../models/publication-model.ts'
import { searchedPaths } from '../../models/text-paths.ts'
import type { Choice } from '../../publications/paper.ts'
import { and, eq, hasWords, matchNone, type Filter } from '../../query/ast.ts'
import { readCursor, writeCursor } from '../../query/cursor.ts'
import { parseSort, type Position, type Sort } from '../../query/order.ts'
import { SEARCH_CHARS_MAX, soughtWords } from '../../query/words.ts'
import type { FindQuery, Found } from '../../store/query/find-query.ts'
import { readLimit } from '../reads/list-query.ts'
import { UnreadableLink } from './unreadable-link.ts'

/** What the request of a reader says. */
export interface PageRequest {
  readonly choice: Choice
  readonly cursor: string | undefined
  /** How many stories at most, where that is fewer than the publication has on a page. */
  readonly limit: Json | undefined
}

/** The members that readers of a publication see. */
export function shownMembers({ members }: Pick<PublicationDocument, 'members'>): ReadonlySet<ShownMember> {
  return new Set(members)
}

/** A choice by what readers see; by anything else it is none. */
export function readChoice({ topic, source, search }: Choice, shown: ReadonlySet<ShownMember>): Choice {
  const words = search?.trim() ?? ''
  return {
    topic: shown.has('topic') && topic !== '' ? topic : undefined,
    source: shown.has('source') && source !== '' ? source : undefined,
    search: words === '' ? undefined : words,
  }
}

/** `own` is the filter of the publication. Throws badRequest for a choice, a cursor or a limit that cannot be read. */
export function publicationQuery(publication: Pick<PublicationDocument, 'sort' | 'pageSize' | 'members'>, own: Filter, request: PageRequest): FindQuery {
  const { choice, cursor, limit } = request
  const { topic, source, search } = choice
  const sort = sortOf(publication)
  const size = publication.pageSize
  const filters: Filter[] = [own, eq(['status'], 'active')]
  if (topic !== undefined) filters.push(eq(['topic', 'id'], requireShort('topic', topic)))
  if (source !== undefined) filters.push(eq(['source', 'id'], requireShort('source', source)))
  if (search !== undefined) filters.push(searched(search, shownMembers(publication)))
  return {
    filter: and(...filters),
    sort,
    limit: readLimit(limit, { limitDefault: size, limitMax: size, mayBeNone: false }),
    after: cursor === undefined ? undefined : positionOf(cursor, sort),
  }
}

function positionOf(cursor: string, sort: Sort): Position {
  try {
    return readCursor(cursor, { model: headline.name, sort })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new UnreadableLink('cursor', error.message)
  }
}

/** The cursor of the page behind this one; undefined where it is the last. */
export function nextCursor(publication: Pick<PublicationDocument, 'sort'>, { next }: Pick<Found, 'next'>): string | undefined {
  return next && writeCursor({ model: headline.name, sort: sortOf(publication), ...next })
}

function sortOf({ sort }: Pick<PublicationDocument, 'sort'>): Sort {
  return parseSort(sort)
}

/** A page repeats in each of its links what its reader chose. */
function requireShort(name: keyof Choice, chosen: string): string {
  if (chosen.length <= SEARCH_CHARS_MAX) return chosen
  const message = `Cannot use ${name}: expected at most ${SEARCH_CHARS_MAX} characters, found ${chosen.length}`
  throw name === 'search' ? new UnreadableLink('search', message) : fail('badRequest', message)
}

/** Words of what readers see. */
function searched(search: string, shown: ReadonlySet<ShownMember>): Filter {
  const paths = searchedPaths(headline).filter(([name = '']) => name === 'title' || shown.has(name as ShownMember))
  const sought = soughtWords(requireShort('search', search))
  return sought.length === 0 ? matchNone : hasWords(paths, sought)
}
