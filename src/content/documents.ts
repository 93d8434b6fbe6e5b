/**
 * The generic data endpoint: list, read, create, replace and remove documents of any model.
 *
 * Checks come in one order everywhere: may the role do this, does the item exist, is it the caller's, is it in the
 * version that the caller means, is the body valid, is it within the limits. So a body is read only for a
 * caller who may send it.
 *
 * The version is looked at twice: before the body is read, which saves the rest of the work, and again in the step that
 * writes, so that of two writers of the same version one wins. So are the caller's token, roles and ownership: what a
 * caller might do when the request arrived is no reason to let the caller do it half a minute later.
 */
import { withValue, type Awaitable } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import { describe, fail, type Failure } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import { parseJson, parseJsonInTurns, writeJson, type JsonObject } from '../base/json.ts'
import { ProblemFailure, type Problem } from '../base/problem.ts'
import type { TextPart } from '../base/text-parts.ts'
import type { Caller } from '../models/caller.ts'
import { dashboardSummary } from '../models/dashboard-summary.ts'
import { remoteConfig } from '../models/remote-config.ts'
import type { QueryPlan } from '../models/responses.ts'
import type { Model, Operation } from '../models/schema.ts'
import { user } from '../models/user.ts'
import type { Filter } from '../query/ast.ts'
import { matches } from '../query/match.ts'
import { StepsExceeded } from '../query/steps.ts'
import type { Authorize, Requester } from '../store/actor.ts'
import { foundTexts, NOTHING_FOUND } from '../store/found.ts'
import type { Condition, Moment, ReadDocument, Store, Writer } from '../store/store.ts'
import { requireOwner, requireRole } from './access.ts'
import { queryCallerOf, type Connection } from './query-caller.ts'
import {
  createDocumentCheck,
  existsAlready,
  LAST_ADMIN_DELETED,
  LAST_ADMIN_DEMOTED,
  ownerIsMissing,
} from './document-check.ts'
import { createDrafts, type Draft, type ReferenceLimits, type Standing } from './drafts.ts'
import { pageParts, readListQuery, type ListParams, type ListSettings } from './list-query.ts'
import { throwProblem } from './problems.ts'
import { SUMMARIZED } from './read-dependencies.ts'
import { changeUser, readInvitation, type Invitations } from './user-changes.ts'

/** Stored documents of this length take milliseconds to parse. */
const LONG_CHARS = 64 * 1024
/** Steps that matching the summary may take: some milliseconds, since it is done beside other requests. */
const SUMMARY_STEPS_MAX = 1_000_000

/** A body, and what its references may bring in. */
export interface SentBody {
  readonly body: JsonObject
  readonly references: ReferenceLimits
}
/** Reads the body; called once everything that can be checked without it has been. */
export type ReadBody = () => Promise<SentBody>
/** The parameters of a list, and the caller with the roles that hold now that they are read. */
export interface ListRequest {
  readonly params: ListParams
  readonly caller: Caller
}
/** Reads the parameters of a list, from the URL or from a body. */
export type ReadParams = () => ListRequest | Promise<ListRequest>

/** A body that is only looked at, and the caller with the roles that hold now that it is read. */
export interface SentDocument extends SentBody {
  readonly caller: Caller
}

/** Who changes a document, and what is required of the one that is stored. */
export interface Changing {
  readonly by: Requester
  readonly condition: Condition | undefined
}

export interface DocumentsOptions {
  readonly store: Store
  readonly now: Clock
  readonly newId: NewId
  readonly settings: ListSettings
  /** How an administrator adds a user. */
  readonly invitations: Invitations
}

export type Documents = ReturnType<typeof createDocuments>

/** All results are JSON text, a page in parts. Every function throws the failures of contract and specification. */
export function createDocuments({ store, now, newId, settings, invitations }: DocumentsOptions) {
  const drafts = createDrafts(store, now, newId)
  const problemsOf = createDocumentCheck(store, drafts, invitations)

  const requireItem = (model: Model, id: string): Awaitable<string> =>
    withValue(model === dashboardSummary ? summaryText(store, id) : store.get(model, id), (text) => {
      if (text === undefined) throw notFound(model, id)
      return text
    })

  /** The stored text of an item that the caller may use in this way. */
  const admit = (model: Model, operation: Operation, id: string, caller: Caller): Awaitable<string> => {
    requireRole(model, operation, caller)
    return withValue(requireItem(model, id), (text) => {
      requireOwner(model, operation, caller, id)
      return text
    })
  }

  /** The query of a list. The roles are looked at before a body is read, and again when it is. */
  const readList = async (model: Model, params: ReadParams, admitted: Caller) => {
    requireRole(model, 'list', admitted)
    const { params: sent, caller } = await params()
    requireRole(model, 'list', caller)
    return { caller, query: await readListQuery(model, sent, caller, { settings, store }) }
  }

  const insert = async (model: Model, { document, admit }: Draft, by: Requester): Promise<string> => {
    const authorize = authorizationOf(model, 'create', document.id)
    const text = writeJson(document.value)
    const written = { ...document, text }
    const outcome = await store.as(by.acting(authorize)).insert(model, written, (moment) => admit(standingAt(moment)))
    if (outcome === 'inserted') return text
    throw new ProblemFailure(outcome === 'exists' ? existsAlready(model, document.id) : ownerIsMissing(document.id))
  }

  return {
    async list(model: Model, params: ReadParams, admitted: Caller, connection: Connection): Promise<readonly TextPart[]> {
      const { caller, query } = await readList(model, params, admitted)
      if (query.limit === 0) return pageParts(model, query, NOTHING_FOUND)
      if (model !== dashboardSummary) {
        return pageParts(model, query, await store.find(model, query, queryCallerOf(caller, connection)))
      }
      const text = await requireItem(model, dashboardSummary.singleton ?? '')
      const isWanted = query.after === undefined && isListed(query.filter, text)
      return pageParts(model, query, foundTexts(isWanted ? [text] : [], undefined))
    },

    /** How a list is answered, and what that takes. */
    async explain(model: Model, params: ReadParams, admitted: Caller, connection: Connection): Promise<QueryPlan> {
      requireRole(model, 'list', admitted)
      if (model.computed === true) {
        throw fail('badRequest', `Cannot explain a query of ${model.name}: nothing of it is stored`)
      }
      const { caller, query } = await readList(model, params, admitted)
      return store.explain(model, query, queryCallerOf(caller, connection))
    },

    read: (model: Model, id: string, caller: Caller): Awaitable<string> => admit(model, 'read', id, caller),
    /** A document that needs no caller: the remote configuration, where the operator has made it public. */
    readPublic: requireItem,

    async create(model: Model, body: ReadBody, by: Requester): Promise<string> {
      const { caller } = by
      requireRole(model, 'create', caller)
      const { body: sent, references } = await body()
      if (model !== user) {
        return insert(model, await drafts.create(model, sent, { caller, references, report: throwProblem }), by)
      }
      const invited = readInvitation(sent, throwProblem)
      const actor = by.acting((fresh) => requireRole(model, 'create', fresh))
      return writeJson(await invitations.invite({ ...invited, now: now() }, actor))
    },

    async replace(model: Model, id: string, body: ReadBody, { by, condition }: Changing): Promise<string> {
      const found = await admit(model, 'replace', id, by.caller)
      condition?.(found)
      const writer = store.as(by.acting(authorizationOf(model, 'replace', id)))
      const { body: sent, references } = await body()
      if (model === user) return replaceUser(writer, { id, body: sent, condition, now: now() })
      const change = await drafts.replace(model, id, sent, { references, report: throwProblem })
      const known = await readKnown(found)
      const replaced = await writer.update(
        model,
        id,
        (stored, text, moment) => {
          condition?.(text)
          return change(stored, standingAt(moment))
        },
        known,
      )
      if (replaced === undefined) throw notFound(model, id)
      return replaced
    },

    async remove(model: Model, id: string, { by, condition }: Changing): Promise<void> {
      const found = await admit(model, 'remove', id, by.caller)
      condition?.(found)
      const writer = store.as(by.acting(authorizationOf(model, 'remove', id)))
      if (model !== user) {
        if (!(await writer.remove(model, id, condition))) throw notFound(model, id)
        return
      }
      const outcome = await writer.deleteAccount({ id, now: now(), keepLastAdmin: true, condition })
      if (outcome === 'missing') throw notFound(model, id)
      if (outcome === 'last-admin') throw new ProblemFailure(LAST_ADMIN_DELETED)
    },

    /** All that creating a document would reject or, with an id, replacing that one. Nothing is written. */
    async check(
      model: Model,
      id: string | undefined,
      read: () => Promise<SentDocument>,
      admitted: Caller,
    ): Promise<readonly Problem[]> {
      if (id === undefined) {
        requireRole(model, 'create', admitted)
        const { body, ...sender } = await read()
        requireRole(model, 'create', sender.caller)
        return problemsOf.creation(model, body, sender)
      }
      await admit(model, 'replace', id, admitted)
      const { body, ...sender } = await read()
      const text = await admit(model, 'replace', id, sender.caller)
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

/** Whose limits hold at the moment of writing, and which. */
function standingAt({ caller, textOf }: Moment): Standing {
  if (caller === undefined) throw new Error('The document of a request is written without its caller')
  return { caller, config: () => textOf(remoteConfig, remoteConfig.singleton ?? '') }
}

/** Parses a long document in turns, before the transaction that changes it; short ones are parsed there. */
async function readKnown(text: string): Promise<ReadDocument | undefined> {
  if (text.length < LONG_CHARS) return undefined
  return { text, value: (await parseJsonInTurns(text)) as JsonObject }
}

interface UserReplacement {
  readonly id: string
  readonly body: JsonObject
  readonly condition: Condition | undefined
  readonly now: number
}

async function replaceUser(writer: Writer, { id, body, condition, now }: UserReplacement): Promise<string> {
  const change = changeUser(body, { now, report: throwProblem })
  const outcome = await writer.updateUser(id, (stored, text, moment) => {
    condition?.(text)
    return change(stored, standingAt(moment).caller)
  })
  if (outcome === 'missing') throw notFound(user, id)
  if (outcome === 'last-admin') throw new ProblemFailure(LAST_ADMIN_DEMOTED)
  return outcome
}

function notFound(model: Model, id: string): Failure {
  return fail('notFound', `No ${model.name} has the id ${describe(id)}`)
}

/** Computed for each request, and found under its fixed id and under its own name. */
async function summaryText(store: Store, id: string): Promise<string | undefined> {
  if (id !== dashboardSummary.singleton && id !== dashboardSummary.name) return undefined
  const [headlineCount, topicCount, sourceCount] = await Promise.all(SUMMARIZED.map(store.countActive))
  return JSON.stringify({ id: dashboardSummary.singleton, headlineCount, topicCount, sourceCount })
}

/** Whether a filter lists the summary, which is no row of a table that a thread could read. */
function isListed(filter: Filter, text: string): boolean {
  try {
    return matches(filter, parseJson(text) as JsonObject, { taken: 0, max: SUMMARY_STEPS_MAX })
  } catch (error) {
    if (!(error instanceof StepsExceeded)) throw error
    const wanted = `a filter that takes at most ${SUMMARY_STEPS_MAX} steps`
    throw fail('badRequest', `Cannot list ${dashboardSummary.name}: expected ${wanted}, found one that takes more`)
  }
}
