/**
 * Preconditions (RFC 9110 section 13): a request that says for which version of the thing it is meant.
 *
 * `If-Match` lets a client change only what it has read, so that of two people who edit the same thing the second is
 * told. `If-None-Match` spares a client the response that it has. The tag compared is that of the thing as it is: whether
 * it is there at all, and whether the caller may use it, is found out before (section 13.2.1), so a condition never
 * tells anything to somebody who may not read.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { fail, type Failure } from '../../base/failure.ts'
import { listsStrongly, listsWeakly, parseEntityTags, type TagList } from './entity-tag.ts'

export interface Preconditions {
  readonly match: TagList | undefined
  readonly noneMatch: TagList | undefined
}

/** The preconditions of a request; undefined where it has none, as nearly all. Throws badRequest; see entity-tag.ts. */
export function readPreconditions(headers: IncomingHttpHeaders): Preconditions | undefined {
  const [match, noneMatch] = [headers['if-match'], headers['if-none-match']]
  if (match === undefined && noneMatch === undefined) return undefined
  return {
    match: match === undefined ? undefined : parseEntityTags('If-Match', match),
    noneMatch: noneMatch === undefined ? undefined : parseEntityTags('If-None-Match', noneMatch),
  }
}

/**
 * For a method that changes something: throws preconditionFailed, which tells the current tag, unless all conditions
 * hold. They are looked at in the order of section 13.2.2.
 */
export function requireToHold(conditions: Preconditions, tag: string): void {
  requireMatch(conditions, tag)
  if (conditions.noneMatch !== undefined && listsWeakly(conditions.noneMatch, tag)) {
    throw failed(`Cannot meet If-None-Match: expected another version than those that it names, found ${tag}`, tag)
  }
}

/** For GET and HEAD: whether the client has this version already, so that the response is a 304. Throws the same for If-Match. */
export function isKnown(conditions: Preconditions, tag: string): boolean {
  requireMatch(conditions, tag)
  return conditions.noneMatch !== undefined && listsWeakly(conditions.noneMatch, tag)
}

/** What reading it again would not change: a weak tag never matches, and ours are strong when they leave us. */
const MADE_WEAK = 'found it behind a W/, which a proxy adds that compresses: send it without'

function requireMatch({ match }: Preconditions, tag: string): void {
  if (match === undefined || listsStrongly(match, tag)) return
  if (listsWeakly(match, tag)) throw failed(`Cannot meet If-Match: expected ${tag}, ${MADE_WEAK}`, tag)
  throw failed(`Cannot meet If-Match: expected a version that it names, found ${tag}: read it again`, tag)
}

/** The tag goes along, so that the client knows what is there now without having asked. */
function failed(message: string, tag: string): Failure {
  return fail('preconditionFailed', message, { headers: { ETag: tag } })
}
