/**
 * Entity tags (RFC 9110 section 8.8.3), the name of one version of a resource, `"0gx…"`, and preconditions (section 13), by
 * which a request names the version that it is meant for.
 *
 * Ours are strong, and hash the text that they name: nothing has to be stored for them, the same text always has the same
 * tag, and a tag that a client has stays valid after a restart.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, fail, Failure } from '../base/failure.ts'
import { CODINGS, type Coding } from './accept-encoding.ts'

/** Of the 43 digits that SHA-256 has in base64url: 132 bits, enough to rule out collisions. */
const DIGITS = 22
/** Tags in one header. A client sends one, or the few versions that it has kept. */
const TAGS_MAX = 100

/** The strong tag of a text or of bytes, quotes included. */
export function entityTag(content: string | Uint8Array): string {
  return `"${hash('sha256', content, 'base64url').slice(0, DIGITS)}"`
}

/** `*`, which stands for any version, or the tags, weak ones with their `W/`. */
export type TagList = '*' | readonly string[]

/**
 * Reads `"*" / #entity-tag`, the value of If-Match and If-None-Match. Elements of a list may be empty (section 5.6.1.2).
 * Throws badRequest for any other text, for a list without a tag, and for more than TAGS_MAX. Each character is read
 * once, so that the time is bounded by the header's length.
 */
export function parseEntityTags(name: string, value: string): TagList {
  const list = value.trim()
  if (list === '*') return '*'
  const tags: string[] = []
  let at = 0
  while (at < list.length) {
    ELEMENT.lastIndex = at
    const [element, tag] = ELEMENT.exec(list) ?? []
    if (element === undefined) throw malformed(name, list.slice(at))
    at += element.length
    if (tag !== undefined && tags.push(tag) > TAGS_MAX) {
      throw fail('badRequest', `Cannot read the header ${name}: expected at most ${TAGS_MAX} ETags, found more`)
    }
  }
  if (tags.length === 0) throw malformed(name, list)
  return tags
}

/**
 * One element of a list and its comma: `[ weak ] DQUOTE *etagc DQUOTE`. White space behind a tag is inside its group:
 * of two runs side by side, the matcher would try every division, which takes the square of the length of a header of
 * blanks.
 */
const ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y

function malformed(name: string, found: string): Error {
  return fail(
    'badRequest',
    `Cannot read the header ${name}: expected an ETag in its quotes or *, found ${describe(found)}`,
  )
}

/** The tag of a representation in that coding, each of which has one of its own (section 8.8.3.3): `"0gx…-gzip"`. */
export function codedTag(tag: string, coding: Coding | undefined): string {
  return coding === undefined ? tag : `${tag.slice(0, -1)}-${coding}"`
}

/**
 * Strong comparison (section 8.8.3.2): a weak tag equals none. The tags of all codings name the same version: a client
 * that read it compressed means it when it writes.
 */
export function listsStrongly(list: TagList, strong: string): boolean {
  return list === '*' || list.includes(strong) || CODINGS.some((coding) => list.includes(codedTag(strong, coding)))
}

/** Weak comparison (section 8.8.3.2): whether tags are weak does not count. */
export function listsWeakly(list: TagList, strong: string): boolean {
  return listedTag(list, strong) !== undefined
}

/** The tag of a version that a list has, whatever its coding, without a `W/`; undefined where it has none of them. */
function listedTag(list: TagList, strong: string): string | undefined {
  if (list === '*' || list.includes(strong) || list.includes(`W/${strong}`)) return strong
  const tags = CODINGS.map((coding) => codedTag(strong, coding))
  return tags.find((tag) => list.includes(tag) || list.includes(`W/${tag}`))
}

/*
 * Preconditions.
 *
 * `If-Match` lets a client change only the version it has read, so that of two users who edit the same document the
 * second gets an error. `If-None-Match` saves a client a response that it has. Existence and access are checked before
 * (section 13.2.1), so a condition reveals nothing to a caller without access.
 */

export interface Preconditions {
  readonly match: TagList | undefined
  readonly noneMatch: TagList | undefined
}

/** The preconditions of a request; undefined for most, which have none. Throws badRequest. */
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

/** The same by If-None-Match alone, for readers of pages and feeds, who send what they kept: a header that cannot be read names nothing. */
export function keptTags(noneMatch: string | undefined): (tag: string) => string | undefined {
  try {
    return knownTags({ 'if-none-match': noneMatch })
  } catch (error) {
    if (error instanceof Failure) return NOTHING_KNOWN
    throw error
  }
}

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
