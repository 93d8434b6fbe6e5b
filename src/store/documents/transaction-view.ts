/** What a write sees inside its transaction, and what its caller gives it to decide and to change documents. */
import type { JsonObject } from '../../base/json.ts'
import type { Caller } from '../../models/caller.ts'
import type { Model } from '../../models/schema.ts'
import type { User } from '../../models/user.ts'
import type { LookUp } from './text-look-up.ts'

/** What a write sees inside its transaction. */
export interface TransactionView {
  /** The caller, with its present roles; undefined where no user writes. */
  readonly caller: Caller | undefined
  /** The JSON text of a stored document. */
  textOf(model: Model, id: string): string | undefined
  /** Whether a document with the id is in the trash, also as an incomplete draft. */
  isTrashed(model: Model, id: string): boolean
  readonly lookUp: LookUp
  /** Bytes that a reader with the role may still add; none where this is not above 0. */
  roomOf(role: User['appRole']): number
}

/** Returns the value that replaces the stored one, of which it also gets the JSON text. */
export type Change = (stored: JsonObject, text: string, view: TransactionView) => JsonObject

/** The JSON text of a document before and after a change. */
export interface Versions {
  readonly before: string
  readonly after: string
}

/** Checks the stored JSON text before a change. What it throws is thrown, and nothing changes. */
export type Condition = (text: string) => void

/** The id of the document that replaces a deleted one. What it throws is thrown, and nothing changes. */
export type Replacement = (view: TransactionView) => string

/** A stored document as it was read: its JSON text and its value. */
export interface ReadDocument {
  readonly text: string
  readonly value: JsonObject
}
