/**
 * Entity tags (RFC 9110 section 8.8.3): the name of one version of a resource, `"0gx…"`.
 *
 * Ours are strong, and hash the text that they name: nothing has to be stored for them, the same text always has the same
 * tag, and a tag that a client has stays valid after a restart.
 */
import { hash } from 'node:crypto'
import { describe, fail } from '../base/failure.ts'
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
export function listedTag(list: TagList, strong: string): string | undefined {
  if (list === '*' || list.includes(strong) || list.includes(`W/${strong}`)) return strong
  const tags = CODINGS.map((coding) => codedTag(strong, coding))
  return tags.find((tag) => list.includes(tag) || list.includes(`W/${tag}`))
}
