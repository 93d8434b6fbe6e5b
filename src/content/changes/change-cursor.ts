/**
 * Where a reader of the change log stands, as the text that it sends back: `1234.r.5f3a0c`.
 *
 * The number is the `seq` up to which it has every change. Behind it stand the rights that the reader had, and the history
 * that the number belongs to: a restored backup counts the same numbers again for other changes.
 */
import { describe, fail } from '../../base/failure.ts'

export interface ChangeCursor {
  readonly seq: number
  /** Undefined where the client sent a plain number. */
  readonly of: { readonly rights: string; readonly history: string } | undefined
}

/** Without a name of the history while a node of a cluster has no log yet. */
const CURSOR = /^(\d{1,15})(?:\.([a-z])\.([\w-]{0,64}))?$/

/** Throws badRequest for any text that is neither a cursor nor a number. */
export function readChangeCursor(name: string, text: string): ChangeCursor {
  const [, number, rights, history] = CURSOR.exec(text) ?? []
  if (number === undefined) {
    throw fail('badRequest', `Cannot read ${name} ${describe(text)}: expected "next" of an earlier response, a number, or now`)
  }
  return { seq: Number(number), of: rights === undefined || history === undefined ? undefined : { rights, history } }
}

export function writeChangeCursor(seq: number, rights: string, history: string): string {
  return `${seq}.${rights}.${history}`
}
