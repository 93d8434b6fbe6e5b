/**
 * A place for off-site backups: objects by their keys, such as `snapshots/…`. An object is there as a whole or not at all, and is
 * never changed. Other files there are left alone.
 */
import type { Bytes } from '../base/byte-source.ts'
import { DAY_MS } from '../base/duration.ts'

export interface PlaceObject {
  readonly key: string
  readonly bytes: number
}

export interface Place {
  /** Names the place to people, and its state; without secrets. */
  readonly name: string
  /** Stores an object, which replaces one of that key. `bytesMax` is what it may have at most. Rejects with a PlaceError. */
  put(key: string, content: Bytes, bytesMax: number): Promise<void>
  /** The content from a byte on. Rejects with a PlaceError, of the kind 'missing' for no object. */
  get(key: string, from?: number): Bytes
  /** The objects whose keys begin with a text, in the order of their keys. Rejects with a PlaceError. */
  list(prefix: string): Promise<readonly PlaceObject[]>
  /** Removes an object; one that is not there is removed already. Rejects with a PlaceError. */
  remove(key: string): Promise<void>
  /** Removes what uploads have left that ended a day ago or earlier. Rejects with a PlaceError. */
  sweep(now: number): Promise<void>
}

export type PlaceErrorKind =
  | 'missing' // there is no object of the key
  | 'denied'
  | 'clock'
  | 'region'
  | 'full'
  | 'address' // no bucket, or no directory
  | 'network'
  | 'protocol'
  | 'damaged'

/** Why a place cannot be used: one sentence that says what was found and what helps, without secrets. */
export class PlaceError extends Error {
  override readonly name = 'PlaceError'
  readonly kind: PlaceErrorKind

  constructor(kind: PlaceErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}

/** Objects of one place: a list past this is of something else. */
export const OBJECTS_MAX = 200_000
export const ABANDONED_MS = DAY_MS

const KEY = /^[a-z0-9][A-Za-z0-9._-]*(?:\/[a-z0-9][A-Za-z0-9._-]*)*$/

/** Whether a key is one of ours: it can be a path and a part of a URL as it is. */
export function isKey(key: string): boolean {
  return key.length <= 200 && KEY.test(key)
}

/** In the order of their keys, each once: pages of a list that changes meanwhile may overlap. */
export function inOrder(objects: readonly PlaceObject[]): readonly PlaceObject[] {
  return [...new Map(objects.map((object) => [object.key, object])).values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}
