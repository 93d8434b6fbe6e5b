/**
 * The generic data endpoint: list, read, create, replace, patch and remove documents of any model.
 *
 * Checks come in one order everywhere: may the role do this, does the item exist, is it the caller's, is it in the
 * version that the caller means, is the body valid, is it within the limits. So a body is read only for a
 * caller who may send it.
 *
 * The version is looked at twice: before the body is read, which saves the rest of the work, and again in the step that
 * writes, so that of two writers of the same version one wins. So are the caller's token, roles and ownership: what a
 * caller might do when the request arrived is no reason to let the caller do it half a minute later.
 */
import type { Clock } from '../base/clock.ts'
import { fail } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import { parseJsonInTurns, writeJson, type JsonObject } from '../base/json.ts'
import { ProblemFailure, type Problem } from '../base/problem.ts'
import type { Caller } from '../models/caller.ts'
import type { DocumentsUsage, DocumentUsage, DuplicateDocuments, QueryPlan } from '../models/responses.ts'
import { placeFor } from '../models/incomplete.ts'
import type { Model, Operation } from '../models/schema.ts'
import { user } from '../models/user.ts'
import { anyCaller, type Authorize, type Requester } from '../store/actor.ts'
import { requireDrafts, requireOwner, requireRole } from './rules/access.ts'
import type { ReviewSetting } from './rules/review.ts'
import { requireHistory } from './rules/past.ts'
import { readOperations } from './batch.ts'
import { requireRoles, runBatch } from './batch-runs.ts'
import { queryCallerOf, type Connection } from './reads/query-caller.ts'
import {
  createDocumentCheck,
  existsAlready,
  LAST_ADMIN_DELETED,
  LAST_ADMIN_DEMOTED,
  ownerIsMissing,
} from './document-check.ts'
import { createDocumentReads, notFound, type ListRequest } from './reads/document-reads.ts'
import { notInTrash, prepareRestore, useOf } from './document-restoring.ts'
import { readReplacement, requireReplaceable, usageOf, usageOfMany, type Counting, type CountingMany } from './document-usage.ts'
import { createDocumentVersions } from './document-versions.ts'
import { createDrafts, standingAt, type Draft, type ReferenceLimits, type Standing } from './drafts.ts'
import { changeAnywhere, placeOf } from './reads/incomplete-drafts.ts'
import type { ListSettings } from './reads/list-query.ts'
import { throwProblem } from './rules/problems.ts'
import { isRepeatable, type KeepResponse, type RepeatKey, type Repeats } from './repeatable.ts'
import { findDuplicates, type AddressQuery } from './reads/same-address.ts'
import { pushRows, type PushedRows } from './sync/sync-push.ts'
import { changeUser, patchUser, readInvitation, requireGrant, type Invitations, type WantedMail } from './user-changes.ts'
import type { Change, Condition, ReadDocument } from '../store/documents/transaction-view.ts'
import type { Store } from '../store/store.ts'
import type { Writer } from '../store/writes/writer.ts'

/** Stored documents of this length take milliseconds to parse. */
const LONG_CHARS = 64 * 1024

/** A body, and what its references may bring in. */
export interface SentBody {
  readonly body: JsonObject
  readonly references: ReferenceLimits
}
/** Reads the body; called once everything that can be checked without it has been. */
export type ReadBody = () => Promise<SentBody>
/** A body that is only looked at, and the caller with the roles that hold now that it is read. */
export interface SentDocument extends SentBody {
  readonly caller: Caller
}

/** Who changes a document, and what is required of the one that is stored. */
export interface Changing {
  readonly by: Requester
  readonly condition: Condition | undefined
  /** Whether incomplete drafts are there for the request; they are not without it. */
  readonly includes?: boolean
}

/** Which version is put back; the deleted one without a seq. */
interface Restored {
  readonly seq: number | undefined
  readonly references: ReferenceLimits
}

interface Creating {
  readonly repeat: RepeatKey | undefined
  readonly mail: WantedMail
}

interface BatchRequest {
  readonly repeat: RepeatKey | undefined
  readonly includes: boolean
}

export interface DocumentsOptions {
  readonly store: Store
  readonly now: Clock
  readonly newId: NewId
  readonly settings: ListSettings
  /** How an administrator adds a user. */
  readonly invitations: Invitations
  /** How long a deleted document stays in the trash. */
  readonly trashMs: () => number
  readonly live: () => ReviewSetting
  readonly repeats: Pick<Repeats, 'once'>
}

export type Documents = ReturnType<typeof createDocuments>

/** All results are JSON text, a page in parts. Every function throws the failures of contract and specification. */
export function createDocuments({ store, now, newId, settings, invitations, trashMs, live, repeats }: DocumentsOptions) {
  const draftsAt = (clock: Clock) => createDrafts(store.documents, { now: clock, newId, live })
  const drafts = draftsAt(now)
  const problemsOf = createDocumentCheck(store, drafts, invitations)

  const { admit, readList, ...reads } = createDocumentReads({ store, settings })

  const insert = async (
    model: Model,
    { document, admit }: Draft,
    by: Requester,
    keep?: KeepResponse,
  ): Promise<string> => {
    const authorize = authorizationOf(model, 'create', document.id)
    const place = placeFor(model, document.value)
    const text = writeJson(document.value)
    const written = { ...document, text }
    const outcome = await store.as(by.acting(authorize)).together((_, steps) => {
      const inserted = steps.insert(place, written, (view) => admit(standingAt(view)))
      if (inserted === 'inserted') keep?.(steps, { status: 201, data: text })
      return inserted
    })
    if (outcome === 'inserted') return text
    throw new ProblemFailure(outcome === 'exists' ? existsAlready(model, document.id) : ownerIsMissing(document.id))
  }

  /** Everything about a change of a stored document that can be checked before its body is read. */
  const openChange = async (model: Model, id: string, { by, condition, includes = false }: Changing) => {
    const found = await admit(model, 'replace', id, { caller: by.caller, includes })
    condition?.(found)
    return { found, writer: store.as(by.acting(authorizationOf(model, 'replace', id))) }
  }

  return {
    ...reads,
    ...createDocumentVersions(store, trashMs),
    /** How a list is answered, and what that takes. */
    async explain(model: Model, readRequest: () => Promise<ListRequest>, admitted: Caller, connection: Connection): Promise<QueryPlan> {
      requireRole(model, 'list', admitted)
      if (model.computed === true) {
        throw fail('badRequest', `Cannot explain a query of ${model.name}: nothing of it is stored`)
      }
      const request = await readRequest()
      return store.documents.explain(model, readList(model, request), queryCallerOf(request.caller, connection))
    },

    /** `mail` is about the invitation of a user. */
    async create(model: Model, body: ReadBody, by: Requester, { repeat, mail }: Creating): Promise<string> {
      const { caller } = by
      requireRole(model, 'create', caller)
      const { body: sent, references } = await body()
      if (model !== user) {
        const run = async (keep?: KeepResponse) =>
          insert(model, await drafts.create(model, sent, { caller, references, report: throwProblem, incomplete: true }), by, keep)
        if (repeat === undefined || !isRepeatable(model)) return run()
        return repeats.once(repeat, { caller, body: sent }, run)
      }
      const invited = readInvitation(sent, throwProblem)
      const actor = by.acting((fresh) => {
        requireRole(model, 'create', fresh)
        requireGrant(fresh, invited.dashboardRole)
      })
      return writeJson(await invitations.invite({ ...invited, mail, now: now() }, actor))
    },

    async replace(model: Model, id: string, body: ReadBody, changing: Changing): Promise<string> {
      const { condition, includes = false } = changing
      const { found, writer } = await openChange(model, id, changing)
      const { body: sent, references } = await body()
      if (model === user) {
        const change = changeUser(sent, { now: now(), report: throwProblem })
        return updateUser(writer, { id, condition, change })
      }
      const change = await drafts.replace(model, id, sent, { references, report: throwProblem, incomplete: includes })
      const known = await readKnown(found)
      return update(writer, model, id, { condition, includes, known, change: (stored, _, standing) => change(stored, standing) })
    },

    /** Applies a JSON merge patch (RFC 7396) to the document as it is when it is written. */
    async patch(model: Model, id: string, body: ReadBody, changing: Changing): Promise<string> {
      const { condition, includes = false } = changing
      const { found, writer } = await openChange(model, id, changing)
      const { body: sent, references } = await body()
      // A small body makes work of a long document.
      await references.onGrowth?.(Buffer.byteLength(found))
      if (model === user) return updateUser(writer, { id, condition, change: patchUser(sent, now()) })
      const { prepare, change } = await drafts.patch(model, id, sent, { references, report: throwProblem, incomplete: includes })
      const known = await readKnown(found)
      if (known !== undefined) prepare(known)
      return update(writer, model, id, { condition, includes, known, change })
    },

    usage: (model: Model, id: string, by: Pick<Counting, 'caller' | 'includes'>): DocumentUsage => usageOf(store, { model, id, ...by }),

    usageOfMany: (counting: CountingMany): DocumentsUsage => usageOfMany(store, counting),
    duplicates: (query: AddressQuery, by: Pick<Counting, 'caller' | 'includes'>): DuplicateDocuments => findDuplicates(store.documents, query, by),

    /** Runs the operations of a body in one transaction, all or nothing; see batch.ts. */
    async batch({ body, references }: SentBody, by: Requester, { repeat, includes }: BatchRequest): Promise<string> {
      const operations = readOperations(body)
      // Before a first response is repeated as well: the caller may have lost a role since.
      requireRoles(operations, by.caller)
      if (includes) for (const { model } of operations) requireDrafts(model, by.caller)
      const run = (keep?: KeepResponse) => runBatch({ store, draftsAt, now }, operations, references, { by, keep, includes })
      if (repeat === undefined) return run()
      if (!operations.every(({ model }) => isRepeatable(model))) {
        const found = 'found one that changes users, settings or preferences'
        throw fail('badRequest', `Cannot take an Idempotency-Key: expected a batch of content, ${found}`)
      }
      return repeats.once(repeat, { caller: by.caller, body }, run)
    },

    /** Runs the rows that an offline client pushes; see sync-push.ts. */
    push(pushed: PushedRows, by: Requester): Promise<string> {
      return pushRows({ store, drafts, now }, pushed, by)
    },

    /** `replaceBy` is the id of the document that takes its place in all copies; without one, they are kept. */
    async remove(model: Model, id: string, { by, condition, includes = false }: Changing, replaceBy?: string): Promise<void> {
      const found = await admit(model, 'remove', id, { caller: by.caller, includes })
      condition?.(found)
      const writer = store.as(by.acting(authorizationOf(model, 'remove', id)))
      if (model !== user) {
        const replacement = readReplacement(model, id, replaceBy)
        const place = placeOf(model, includes, (one) => store.documents.get(one, id) !== undefined)
        requireReplaceable(model, place, id, replacement)
        const isRemoved = await writer.together((view, steps) => {
          const admitted: Condition = (text) => {
            condition?.(text)
            drafts.admitRemoval(model, { text, isReplaced: replacement !== undefined }, standingAt(view))
          }
          return steps.remove(place, id, admitted, replacement)
        })
        if (!isRemoved) throw notFound(model, id)
        return
      }
      const outcome = await writer.deleteAccount({ id, now: now(), keepLastAdmin: true, condition })
      if (outcome === 'missing') throw notFound(model, id)
      if (outcome === 'last-admin') throw new ProblemFailure(LAST_ADMIN_DELETED)
    },

    /**
     * Puts a document back: out of the trash or, with the seq of one of its changes, to the version that this left. Throws
     * conflict where a document has the id of the deleted one again, and what a replacement throws.
     */
    async restore(model: Model, id: string, { seq, references }: Restored, { by, condition, includes = false }: Changing): Promise<string> {
      const restoring = { kind: 'restore', model, id, condition, seq } as const
      requireHistory(model, useOf(restoring), by.caller)
      if (includes) requireDrafts(model, by.caller)
      const place = placeOf(model, includes, (one) => store.documents.get(one, id) !== undefined)
      if (seq !== undefined && store.documents.get(place, id) === undefined) throw notFound(model, id)
      const parts = { store, drafts, includes }
      const restore = await prepareRestore(restoring, references, parts)
      return store.as(by.acting(anyCaller)).together((view, steps) => restore(view, steps))
    },

    /** Removes a document of the trash for good. Throws notFound where it is not there. */
    async eraseTrashed(model: Model, id: string, { by, includes = false }: Omit<Changing, 'condition'>): Promise<void> {
      requireHistory(model, 'erase', by.caller)
      if (includes) requireDrafts(model, by.caller)
      const place = placeOf(model, includes, (one) => store.history.getTrashed(one, id) !== undefined)
      const writer = store.as(by.acting(authorizationOf(model, 'remove', id)))
      const isErased = await writer.together((view, steps) =>
        steps.eraseTrashed(place, id, (text) => drafts.admitRemoval(model, { text, isReplaced: false }, standingAt(view))),
      )
      if (!isErased) throw notInTrash(model, id)
    },

    /** All that creating a document would reject or, with an id, replacing that one. Nothing is written. */
    async check(
      model: Model,
      id: string | undefined,
      read: () => Promise<SentDocument>,
      admitted: Caller,
      includes = false,
    ): Promise<readonly Problem[]> {
      if (id === undefined) {
        requireRole(model, 'create', admitted)
        const { body, ...sender } = await read()
        requireRole(model, 'create', sender.caller)
        return problemsOf.creation(model, body, sender)
      }
      await admit(model, 'replace', id, { caller: admitted, includes })
      const { body, ...sender } = await read()
      const text = await admit(model, 'replace', id, { caller: sender.caller, includes })
      return problemsOf.replacement(model, body, { id, text, ...sender })
    },
  }
}

/** What a model's declaration says of the caller's roles and of ownership, at the moment of writing. */
function authorizationOf(model: Model, operation: Operation, id: string): Authorize {
  return (caller) => {
    requireRole(model, operation, caller)
    requireOwner(model, operation, caller, id)
  }
}

/** Parses a long document in turns, before the transaction that changes it; short ones are parsed there. */
async function readKnown(text: string): Promise<ReadDocument | undefined> {
  if (text.length < LONG_CHARS) return undefined
  return { text, value: (await parseJsonInTurns(text)) as JsonObject }
}

interface DocumentChange {
  readonly condition: Condition | undefined
  readonly includes: boolean
  readonly known: ReadDocument | undefined
  readonly change: (stored: JsonObject, text: string, standing: Standing) => JsonObject
}

async function update(
  writer: Writer,
  model: Model,
  id: string,
  { condition, includes, known, change }: DocumentChange,
): Promise<string> {
  const changeNow: Change = (stored, text, view) => {
    condition?.(text)
    return change(stored, text, standingAt(view))
  }
  const wide = { model, id, change: changeNow, known }
  const updated = await (includes
    ? writer.together((view, steps) => changeAnywhere(view, steps, wide))
    : writer.update(model, id, changeNow, known))
  if (updated === undefined) throw notFound(model, id)
  return updated
}

interface UserUpdate {
  readonly id: string
  readonly condition: Condition | undefined
  readonly change: (stored: JsonObject, caller: Caller) => JsonObject
}

async function updateUser(writer: Writer, { id, condition, change }: UserUpdate): Promise<string> {
  const outcome = await writer.updateUser(id, (stored, text, view) => {
    condition?.(text)
    return change(stored, standingAt(view).caller)
  })
  if (outcome === 'missing') throw notFound(user, id)
  if (outcome === 'last-admin') throw new ProblemFailure(LAST_ADMIN_DEMOTED)
  return outcome
}
