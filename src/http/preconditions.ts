/**
 * Preconditions (RFC 9110 section 13): a request names the version of the resource it is meant for.
 *
 * `If-Match` lets a client change only the version it has read, so that of two users who edit the same document the
 * second gets an error. `If-None-Match` saves a client a response that it has. Existence and access are checked before
 * (section 13.2.1), so a condition reveals nothing to a caller without access.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { fail, type Failure } from '../base/failure.ts'
import { listedTag, listsStrongly, listsWeakly, parseEntityTags, type TagList } from './entity-tag.ts'

export interface Preconditions {
  readonly match: TagList | undefined
  readonly noneMatch: TagList | undefined
}

/** The preconditions of a request; undefined for most, which have none. Throws badRequest; see entity-tag.ts. */
export function readPreconditions(
  headers: Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>,
): Preconditions | undefined {
  const [match, noneMatch] = [headers['if-match'], headers['if-none-match']]
  if (match === undefined && noneMatch === undefined) return undefined
  return {
    match: match === undefined ? undefined : parseEntityTags('If-Match', match),
    noneMatch: noneMatch === undefined ? undefined : parseEntityTags('If-None-Match', noneMatch),
  }
}

/**
 * For a method that changes the resource: throws preconditionFailed, with the current tag, unless all conditions hold.
 * They are checked in the order of section 13.2.2.
 */
export function requirePreconditions(conditions: Preconditions, tag: string): void {
  requireMatch(conditions, tag)
  if (conditions.noneMatch !== undefined && listsWeakly(conditions.noneMatch, tag)) {
    throw failed(`Cannot meet If-None-Match: expected another version than those that it names, found ${tag}`, tag)
  }
}

/**
 * For GET and HEAD: the tag under which the client has this version, in whatever coding, so that the response is a 304;
 * undefined where it does not. Throws the same for If-Match.
 */
function knownTag(conditions: Preconditions, tag: string): string | undefined {
  requireMatch(conditions, tag)
  return conditions.noneMatch === undefined ? undefined : listedTag(conditions.noneMatch, tag)
}

/** Tells which of the client's versions is that of a tag, in whatever coding. Throws badRequest for malformed headers. */
export function knownTags(headers: Parameters<typeof readPreconditions>[0]): (tag: string) => string | undefined {
  const conditions = readPreconditions(headers)
  return conditions === undefined ? NOTHING_KNOWN : (tag) => knownTag(conditions, tag)
}

export const NOTHING_KNOWN = (): undefined => undefined

/** Reading the document again would not help: a weak tag never matches, and the service sends strong ones. */
const MADE_WEAK = 'found it behind a W/, which a proxy adds that compresses: send it without'

function requireMatch({ match }: Preconditions, tag: string): void {
  if (match === undefined || listsStrongly(match, tag)) return
  if (listsWeakly(match, tag)) throw failed(`Cannot meet If-Match: expected ${tag}, ${MADE_WEAK}`, tag)
  throw failed(`Cannot meet If-Match: expected a version that it names, found ${tag}: read it again`, tag)
}

/** With the tag the client knows the current version without another request. */
function failed(message: string, tag: string): Failure {
  return fail('preconditionFailed', message, { headers: { ETag: tag } })
}
