/**
 * Cursors: where a page ended, as an opaque text.
 *
 * A cursor holds the sort values of the last document and its id, not the id alone: the next page is found even when
 * that document was changed or deleted meanwhile. It is bound to the model and to the sort, for after another sort the
 * position would mean nothing. It is not signed. It grants nothing: a forged one only names a position to begin, and the
 * filter and the access rules apply after it as before.
 *
 * The form is base64url (RFC 4648 section 5) of JSON: version, model, sort, keys, id. Values are never cut, because a
 * cut value cannot tell apart the documents that share its beginning, and the next page would skip or repeat some.
 */
import { describe, fail } from '../base/failure.ts'
import { JsonError, parseJson, writeJson, type Json } from '../base/json.ts'
import { sortText, type Position, type Sort } from './order.ts'

const CURSOR_VERSION = 1
/** Characters of a cursor. Far more than a request line takes, so in practice the server's header limit comes first. */
const CURSOR_CHARS_MAX = 65_536

export interface CursorScope {
  readonly model: string
  readonly sort: Sort
}

/** Writes the cursor after a position. Throws badRequest when the sort values are too long for one. */
export function writeCursor({ model, sort, keys, id }: CursorScope & Position): string {
  const cursor = encode([CURSOR_VERSION, model, sortText(sort), keys, id])
  if (cursor.length > CURSOR_CHARS_MAX) {
    throw unpageable(sort, `its values need ${cursor.length} characters, and a cursor has at most ${CURSOR_CHARS_MAX}`)
  }
  if (keys.some(isNested) && decode(cursor) === undefined) throw unpageable(sort, 'its values are nested too deep for a cursor')
  return cursor
}

/** Only such a value can be nested too deep to be read again. */
function isNested(key: Json): boolean {
  return typeof key === 'object' && key !== null
}

/** Reads a cursor for the model and sort it was written for; throws badRequest for anything else. */
export function readCursor(text: string, { model, sort }: CursorScope): Position {
  const content = text.length <= CURSOR_CHARS_MAX ? decode(text) : undefined
  if (!Array.isArray(content) || content.length !== 5) throw cursorFailure(text, 'not issued by this server')
  const [version, ofModel, ofSort, keys, id] = content as readonly Json[]
  if (version !== CURSOR_VERSION || typeof ofModel !== 'string' || typeof ofSort !== 'string') {
    throw cursorFailure(text, 'not issued by this server')
  }
  if (ofModel !== model) throw cursorFailure(text, `expected one of model ${describe(model)}, found ${describe(ofModel)}`)
  if (ofSort !== sortText(sort)) {
    throw cursorFailure(text, `expected one of sort ${describe(sortText(sort))}, found ${describe(ofSort)}`)
  }
  if (typeof id !== 'string' || !isKeys(keys, sort)) throw cursorFailure(text, 'not issued by this server')
  return { keys, id }
}

/** One key for each field, and arrays boxed as order.ts does it. */
function isKeys(keys: Json | undefined, sort: Sort): keys is readonly Json[] {
  if (!Array.isArray(keys) || keys.length !== sort.length) return false
  return keys.every((key) => !Array.isArray(key) || key.length === 0 || (key.length === 1 && Array.isArray(key[0])))
}

function encode(content: Json): string {
  return Buffer.from(writeJson(content)).toString('base64url')
}

/** The content, where the text is exactly what `encode` makes of it: other spellings of a cursor are none of ours. */
function decode(text: string): Json | undefined {
  try {
    const content = parseJson(Buffer.from(text, 'base64url').toString())
    return encode(content) === text ? content : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function unpageable(sort: Sort, reason: string): Error {
  return fail('badRequest', `Cannot page by sort ${describe(sortText(sort))}: ${reason}`)
}

function cursorFailure(text: string, reason: string): Error {
  return fail('badRequest', `Cannot read cursor ${describe(text)}: ${reason}`)
}
