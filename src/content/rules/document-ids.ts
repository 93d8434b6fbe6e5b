/** Ids that a client or a file gives to documents: texts that a URL of the API can name. */
import { describe } from '../../base/failure.ts'

/** Signs that mean nothing in a path of a URL (RFC 3986 section 2.3), but for the names of directories. */
const GIVEN_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,64}$/
/** Where the API has a path of its own, no document can be reached by such an id. */
const RESERVED_IDS = new Set(['query', 'explain', 'check', 'batch', 'trash', 'usage', 'duplicates', 'counts', 'export'])

/** `__proto__`, `constructor`, `toString`: clients keep documents in objects by their ids, where these stand for something else. */
const isOfEveryObject = (id: string): boolean => id in Object.prototype

export function isGivenId(id: unknown): id is string {
  return typeof id === 'string' && GIVEN_ID.test(id) && !RESERVED_IDS.has(id) && !isOfEveryObject(id)
}

export function wrongIdMessage(wanted: string, id: unknown): string {
  if (typeof id === 'string' && RESERVED_IDS.has(id)) return `expected ${wanted} that is no path of the API, found ${describe(id)}`
  if (typeof id === 'string' && isOfEveryObject(id)) return `expected ${wanted} that is not the name of a member of Object.prototype, found ${describe(id)}`
  return `expected ${wanted} of at most 64 letters, digits, dots, hyphens, underscores and tildes, found ${describe(id)}`
}
