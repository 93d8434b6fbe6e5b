/**
 * From a body to what is stored of it: references resolved, members checked, the rules of the model kept. Everything
 * wrong goes to a report in order: the real request gives up at the first, a check goes on, and both find the same.
 */
import { isoDate } from '../base/dates.ts'
import type { Clock } from '../base/clock.ts'
import { describe } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import { parseJson, type JsonObject } from '../base/json.ts'
import { isSameJson } from '../base/same-json.ts'
import { isAdmin, type Caller } from '../models/caller.ts'
import { feed, feedRules } from '../models/feed-model.ts'
import { publication } from '../models/publication-model.ts'
import { remoteConfig, type RemoteConfig } from '../models/remote-config.ts'
import type { Model, Operation } from '../models/schema.ts'
import { userContentPreferences } from '../models/user-content-preferences.ts'
import { requireOwner, requireRole } from './rules/access.ts'
import { checkFeed } from './rules/feed-filters.ts'
import { checkPublication } from './rules/publication-rules.ts'
import { requireRoom } from './rules/reader-room.ts'
import { checkPreferences, type PreferenceChange } from './rules/preference-rules.ts'
import { problemAt, type Report } from './rules/problems.ts'
import { withPublication } from './rules/publication.ts'
import { checkReview, requireRemovable, withHandIn, type ReviewSetting } from './rules/review.ts'
import { findRecords, type Records, type ReferenceOptions } from './rules/references.ts'
import { mergePatch, requirePatchedSize } from './rules/merge-patch.ts'
import { checkRemoteConfig } from './rules/remote-config-rules.ts'
import { remoteConfigSeed } from './seeds/seeds.ts'
import { checkListLengths } from './rules/list-lengths.ts'
import { checkStorable } from './rules/storable.ts'
import type { TextOf } from './rules/text-forms.ts'
import { readBody, validateDocument } from './rules/validate.ts'
import type { Document } from '../store/documents/document-tables.ts'
import type { ReadDocument, TransactionView } from '../store/documents/transaction-view.ts'
import type { ReadStore } from '../store/read-store.ts'

/** Whose limits hold, and which: as they are when the document is written. */
export interface Standing {
  readonly caller: Caller
  /** Reads the JSON text of the remote configuration; its seed stands in where there is none. */
  readonly config: () => string | undefined
  /** Reads the JSON text of a document. */
  readonly textOf: TextOf
  readonly roomOf: TransactionView['roomOf']
}

/** That of the caller of a request, at the moment of writing. */
export function standingAt({ caller, textOf, roomOf }: TransactionView): Standing {
  if (caller === undefined) throw new Error('The document of a request is written without its caller')
  return { caller, config: () => textOf(remoteConfig, remoteConfig.singleton ?? ''), textOf, roomOf }
}

/** What the roles of the caller allow at the moment of writing. */
export function authorizeAt(view: TransactionView, model: Model, operation: Operation, id: string): void {
  const { caller } = standingAt(view)
  requireRole(model, operation, caller)
  requireOwner(model, operation, caller, id)
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
  /** Whether the body may be that of an incomplete draft. */
  readonly incomplete?: boolean
  readonly references: ReferenceLimits
}

export interface Drafting extends Replacing {
  readonly caller: Caller
  /** The id of a new document, where its client has given it one already. */
  readonly id?: string
}

interface Replacement {
  readonly model: Model
  readonly id: string
  readonly stored: JsonObject
  readonly standing: Standing
  readonly report: Report
  readonly complete: Complete
  readonly isRestored: boolean
}

export type Drafts = ReturnType<typeof createDrafts>

/** Whether a body says what a stored document does. */
export type Likeness = (stored: JsonObject) => boolean

/** Makes the document of a body that was checked. */
type Complete = ReturnType<typeof readBody>

interface DraftsOptions {
  readonly now: Clock
  readonly newId: NewId
  /** Whether only administrators publish. */
  readonly live: () => ReviewSetting
}

/** For every model but users, whose bodies hold only parts of them; see user-changes.ts. */
export function createDrafts(documents: Pick<ReadStore['documents'], 'get'>, { now, newId, live }: DraftsOptions) {
  /** Lengths come first, so that what follows is bounded; then each record that is referred to, once. */
  const recordsOf = (model: Model, body: JsonObject, { report, references }: Replacing): Promise<Records> => {
    checkListLengths(model, body, report)
    return findRecords(model, body, documents, { ...references, report })
  }
  const next = ({ model, id, stored, standing, report, complete, isRestored }: Replacement): JsonObject => {
    const at = now()
    const generated = { id, createdAt: String(stored['createdAt']), updatedAt: isoDate(at) }
    const parts = { model, stored, now: at, ...(isRestored ? {} : { report }) }
    const value = withHandIn(withPublication(complete({ generated, stored, textOf: standing.textOf }), parts), parts)
    checkRules(model, { stored, next: value, report }, standing)
    return value
  }
  /** What a document must fulfil beyond the declaration of its model. */
  const checkRules = (model: Model, change: RuledChange, { caller, config: readConfig, roomOf }: Standing): void => {
    if (model.owned === true) requireRoom({ ...change, caller }, roomOf)
    if (live().review) checkReview(model, change, caller)
    if (model === remoteConfig) return checkRemoteConfig(change.next, change.report)
    if (model === feed || model === feedRules) return checkFeed(change.next, change.report)
    if (model === publication) return checkPublication(change.next, change.report)
    if (model !== userContentPreferences) return
    const text = readConfig()
    const config = (text === undefined ? remoteConfigSeed() : parseJson(text)) as unknown as RemoteConfig
    checkPreferences({ ...change, caller, config })
  }
  return {
    /** The new document that a body makes, which it is only where nothing was reported. */
    async create(model: Model, body: JsonObject, drafting: Drafting): Promise<Draft> {
      const { caller, report, id: given, incomplete = false } = drafting
      const records = await recordsOf(model, body, drafting)
      const id = newDocumentId(model, body, { caller, newId: () => given ?? newId(), report })
      const at = now()
      const generated = { id, createdAt: isoDate(at), updatedAt: isoDate(at) }
      const valid = validateDocument(model, body, { generated, report, records, incomplete, textOf: documents.get })
      const parts = { model, stored: undefined, now: at, report }
      const value = withHandIn(withPublication(valid, parts), parts)
      return {
        document: { id, value },
        admit: (standing) => checkRules(model, { stored: undefined, next: value, report }, standing),
      }
    },
    /** Throws what forbids the caller to delete a document. */
    admitRemoval(model: Model, removed: Parameters<typeof requireRemovable>[1], { caller }: Standing): void {
      if (live().review) requireRemovable(model, removed, caller)
    },
    /** `isRestored` for an earlier version, whose times of publishing may be past. */
    async replace(model: Model, id: string, body: JsonObject, replacing: Replacing & { readonly isRestored?: true }) {
      const { report, incomplete = false, isRestored = false } = replacing
      const records = await recordsOf(model, body, replacing)
      requireSameId(body, id, report)
      const complete = readBody(model, body, { creating: false, report, records, incomplete })
      return (stored: JsonObject, standing: Standing) => next({ model, id, stored, standing, report, complete, isRestored })
    },
    /**
     * Whether a body says what is stored: replacing the document by it would change `updatedAt` at most. A body that would
     * be rejected says it only where it is the stored one, member by member.
     */
    async likeness(model: Model, id: string, body: JsonObject, references: ReferenceLimits): Promise<Likeness> {
      let isValid = true
      const report: Report = () => void (isValid = false)
      const records = await recordsOf(model, body, { references, report })
      requireSameId(body, id, report)
      const complete = readBody(model, body, { creating: false, report, records })
      return (stored) => {
        const dates = { createdAt: stored['createdAt'] ?? null, updatedAt: stored['updatedAt'] ?? null }
        if (isSameJson({ ...body, ...dates }, stored)) return true
        const generated = { id, createdAt: String(dates.createdAt), updatedAt: String(dates.updatedAt) }
        return isValid && isSameJson(complete({ generated, stored }), stored)
      }
    },
    /**
     * A merge patch is judged as the body that it makes of the stored document, in the transaction. `prepare` judges a
     * long document ahead of that, which counts where it is the stored one.
     */
    async patch(model: Model, id: string, patch: JsonObject, replacing: Replacing) {
      const { report, references, incomplete = false } = replacing
      checkStorable(patch, report)
      const records = await recordsOf(model, patch, replacing)
      const completeFrom = (stored: JsonObject, text: string): Complete => {
        const body = mergePatch(model.fields, stored, patch)
        requirePatchedSize(body, text, references.bytesMax)
        checkListLengths(model, body, report)
        requireSameId(body, id, report)
        return readBody(model, body, { creating: false, report, records, incomplete })
      }
      let prepared: (ReadDocument & { readonly complete: Complete }) | undefined
      return {
        prepare({ text, value }: ReadDocument): void {
          prepared = { text, value, complete: completeFrom(value, text) }
        },
        change(stored: JsonObject, text: string, standing: Standing): JsonObject {
          const complete = prepared?.value === stored ? prepared.complete : completeFrom(stored, text)
          return next({ model, id, stored, standing, report, complete, isRestored: false })
        },
      }
    },
  }
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
