/**
 * From a body to what is stored of it: references resolved, members checked, the rules of the model kept. Everything
 * wrong goes to a report in order: the real request gives up at the first, a check goes on, and both find the same.
 */
import { isoDate } from '../base/dates.ts'
import type { Clock } from '../base/clock.ts'
import { describe } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import { parseJson, type JsonObject } from '../base/json.ts'
import { isAdmin, type Caller } from '../models/caller.ts'
import { remoteConfig, type RemoteConfig } from '../models/remote-config.ts'
import type { Model } from '../models/schema.ts'
import { userContentPreferences } from '../models/user-content-preferences.ts'
import type { Document, DocumentStore } from '../store/store.ts'
import { checkPreferences, type PreferenceChange } from './preference-rules.ts'
import { problemAt, type Report } from './problems.ts'
import { checkListLengths } from './list-lengths.ts'
import { findRecords, type Records, type ReferenceOptions } from './references.ts'
import { checkRemoteConfig } from './remote-config-rules.ts'
import { remoteConfigSeed } from './seeds.ts'
import { readBody, validateDocument } from './validate.ts'

/** Whose limits hold, and which: as they are when the document is written. */
export interface Standing {
  readonly caller: Caller
  /** Reads the JSON text of the remote configuration; its seed stands in where there is none. */
  readonly config: () => string | undefined
}

export interface Draft {
  readonly document: Document
  /** Reports what the rules of the model say against the document. */
  admit(standing: Standing): void
}

/** What the references of a body may bring in. */
export type ReferenceLimits = Omit<ReferenceOptions, 'report'>

export interface Replacing {
  readonly report: Report
  readonly references: ReferenceLimits
}

export interface Drafting extends Replacing {
  readonly caller: Caller
}

export type Drafts = ReturnType<typeof createDrafts>

/** For every model but users, whose bodies hold only parts of them; see user-changes.ts. */
export function createDrafts(store: Pick<DocumentStore, 'get'>, now: Clock, newId: NewId) {
  /** Lengths come first, so that what follows is bounded; then each record that is referred to, once. */
  const recordsOf = (model: Model, body: JsonObject, { report, references }: Replacing): Promise<Records> => {
    checkListLengths(model, body, report)
    return findRecords(model, body, store, { ...references, report })
  }
  return {
    /** The new document that a body makes, which it is only where nothing was reported. */
    async create(model: Model, body: JsonObject, drafting: Drafting): Promise<Draft> {
      const { caller, report } = drafting
      const records = await recordsOf(model, body, drafting)
      const id = newDocumentId(model, body, { caller, newId, report })
      const time = isoDate(now())
      const generated = { id, createdAt: time, updatedAt: time }
      const value = validateDocument(model, body, { generated, report, records })
      return {
        document: { id, value },
        admit: (standing) => checkRules(model, { stored: undefined, next: value, report }, standing),
      }
    },
    async replace(model: Model, id: string, body: JsonObject, replacing: Replacing) {
      const { report } = replacing
      const records = await recordsOf(model, body, replacing)
      requireSameId(body, id, report)
      const complete = readBody(model, body, { creating: false, report, records })
      return (stored: JsonObject, standing: Standing): JsonObject => {
        const generated = { id, createdAt: String(stored['createdAt']), updatedAt: isoDate(now()) }
        const next = complete({ generated, stored })
        checkRules(model, { stored, next, report }, standing)
        return next
      }
    },
  }
}

/** What a document must fulfil beyond the declaration of its model. */
function checkRules(model: Model, change: RuledChange, { caller, config: readConfig }: Standing): void {
  if (model === remoteConfig) return checkRemoteConfig(change.next, change.report)
  if (model !== userContentPreferences) return
  const text = readConfig()
  const config = (text === undefined ? remoteConfigSeed() : parseJson(text)) as unknown as RemoteConfig
  checkPreferences({ ...change, caller, config })
}

type RuledChange = Pick<PreferenceChange, 'stored' | 'next' | 'report'>

/** Owned documents have their owner's id, singletons their fixed one, all others a new one. */
function newDocumentId(
  model: Model,
  sent: JsonObject,
  { caller, newId, report }: Omit<Drafting, 'references'> & { readonly newId: NewId },
): string {
  if (model.singleton !== undefined) return model.singleton
  if (model.owned === undefined) return newId()
  const named = sent['id']
  if (!isAdmin(caller) || named === undefined) return caller.id
  if (typeof named === 'string') return named
  report(problemAt('id', 'notId', `expected the id of a user, found ${describe(named)}`))
  return caller.id
}

function requireSameId(sent: JsonObject, id: string, report: Report): void {
  const named = sent['id']
  if (named === undefined || named === id) return
  const message = `expected ${describe(id)} as in the path, or none, found ${describe(named)}`
  report(problemAt('id', 'otherId', message))
}
