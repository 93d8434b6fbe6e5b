/**
 * The generic data endpoint: list, read, create, replace and remove documents of any model.
 *
 * Checks come in one order everywhere: may the role do this, does the item exist, is it the caller's, is it in the
 * version that the caller means, is the body valid, is it within the limits. So a body is read only for somebody who
 * may send it.
 *
 * The version is looked at twice: before the body is read, which spares everybody the rest, and again in the step that
 * writes, so that of two who mean the same version one wins.
 */
import type { Clock } from '../base/clock.ts'
import { describe, fail, type Failure } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import { parseJson, writeJson, type JsonObject } from '../base/json.ts'
import { isAdmin, type Caller } from '../models/caller.ts'
import { dashboardSummary } from '../models/dashboard-summary.ts'
import { headline } from '../models/headline.ts'
import type { Model, Operation } from '../models/schema.ts'
import { source } from '../models/source.ts'
import { topic } from '../models/topic.ts'
import { user } from '../models/user.ts'
import { matches } from '../query/match.ts'
import type { Condition, Document, Store } from '../store/store.ts'
import { requireOwner, requireRole } from './access.ts'
import {
  createDocumentCheck,
  existsAlready,
  LAST_ADMIN_DELETED,
  LAST_ADMIN_DEMOTED,
  ownedByNobody,
} from './document-check.ts'
import { createDrafts } from './drafts.ts'
import { pageText, readListQuery, type ListParams, type ListSettings } from './list-query.ts'
import { failureOf, refuse, type Problem } from './problems.ts'
import { changeUser, readInvitation, type Invitations } from './user-changes.ts'

/** Reads the body; called once everything that can be checked without it has been. */
export type ReadBody = () => Promise<JsonObject>
/** Reads the parameters of a list, from the URL or from a body. */
export type ReadParams = () => ListParams | Promise<ListParams>

/** All results are JSON text. Every function throws the failures of contract and specification. */
export interface Documents {
  list(model: Model, params: ReadParams, caller: Caller): Promise<string>
  /** How a list is answered, and what that takes. */
  explain(model: Model, params: ReadParams, caller: Caller): Promise<string>
  read(model: Model, id: string, caller: Caller): Promise<string>
  create(model: Model, body: ReadBody, caller: Caller): Promise<string>
  replace(model: Model, id: string, body: ReadBody, { caller, condition }: Changing): Promise<string>
  remove(model: Model, id: string, { caller, condition }: Changing): Promise<void>
  /** All that creating a document would refuse or, with an id, replacing that one. Nothing is written. */
  check(model: Model, id: string | undefined, body: ReadBody, caller: Caller): Promise<readonly Problem[]>
  /** A document that needs no caller: the remote configuration, where the operator has made it public. */
  readPublic(model: Model, id: string): Promise<string>
}

/** Who changes a document, and what is required of the one that is stored. */
export interface Changing {
  readonly caller: Caller
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

export function createDocuments({ store, now, newId, settings, invitations }: DocumentsOptions): Documents {
  const drafts = createDrafts({ store, now, newId })
  const problemsOf = createDocumentCheck({ store, drafts, invitations })

  const requireItem = async (model: Model, id: string): Promise<string> => {
    const text = model === dashboardSummary ? await summaryText(store, id) : await store.get(model, id)
    if (text === undefined) throw notFound(model, id)
    return text
  }

  /** The stored text of an item that the caller may use in this way. */
  const admit = async (model: Model, operation: Operation, id: string, caller: Caller): Promise<string> => {
    requireRole(model, operation, caller)
    const text = await requireItem(model, id)
    requireOwner(model, operation, caller, id)
    return text
  }

  const insert = async (model: Model, document: Document): Promise<string> => {
    const outcome = await store.insert(model, document)
    if (outcome === 'inserted') return writeJson(document.value)
    throw failureOf(outcome === 'exists' ? existsAlready(model, document.id) : ownedByNobody(document.id))
  }

  return {
    async list(model, params, caller) {
      requireRole(model, 'list', caller)
      const query = await readListQuery(model, await params(), caller, { settings, store })
      if (query.limit === 0) return pageText(model, query, { items: [], next: undefined })
      if (model !== dashboardSummary) return pageText(model, query, await store.find(model, query, caller.id))
      const text = await requireItem(model, dashboardSummary.singleton ?? '')
      const isWanted = query.after === undefined && matches(query.filter, parseJson(text) as JsonObject)
      return pageText(model, query, { items: isWanted ? [text] : [], next: undefined })
    },

    async explain(model, params, caller) {
      requireRole(model, 'list', caller)
      if (model.computed === true) {
        throw fail('badRequest', `Cannot explain a query of ${model.name}: nothing of it is stored`)
      }
      const query = await readListQuery(model, await params(), caller, { settings, store })
      return JSON.stringify(await store.explain(model, query, caller.id))
    },

    read: (model, id, caller) => admit(model, 'read', id, caller),
    readPublic: requireItem,

    async create(model, body, caller) {
      requireRole(model, 'create', caller)
      if (model !== user) return insert(model, await drafts.create(model, await body(), { caller, report: refuse }))
      const invited = readInvitation(await body(), refuse)
      return writeJson(await invitations.invite({ ...invited, now: now() }))
    },

    async replace(model, id, body, { caller, condition }) {
      const found = await admit(model, 'replace', id, caller)
      condition?.(found)
      if (model === user) return replaceUser(store, { id, body: await body(), caller, condition, now: now() })
      const change = await drafts.replace(model, id, await body(), { caller, report: refuse })
      const replaced = await store.update(model, id, (stored, text) => {
        condition?.(text)
        return change(stored)
      })
      if (replaced === undefined) throw notFound(model, id)
      return replaced
    },

    async remove(model, id, { caller, condition }) {
      const found = await admit(model, 'remove', id, caller)
      condition?.(found)
      if (model !== user) {
        if (!(await store.remove(model, id, condition))) throw notFound(model, id)
        return
      }
      const outcome = await store.deleteAccount({ id, now: now(), keepLastAdmin: true, condition })
      if (outcome === 'missing') throw notFound(model, id)
      if (outcome === 'last-admin') throw failureOf(LAST_ADMIN_DELETED)
    },

    async check(model, id, body, caller) {
      if (id === undefined) {
        requireRole(model, 'create', caller)
        return problemsOf.creation(model, await body(), caller)
      }
      const text = await admit(model, 'replace', id, caller)
      return problemsOf.replacement(model, await body(), { id, text, caller })
    },
  }
}

interface UserReplacement extends Changing {
  readonly id: string
  readonly body: JsonObject
  readonly now: number
}

async function replaceUser(store: Store, { id, body, caller, condition, now }: UserReplacement): Promise<string> {
  const change = changeUser(body, { own: caller.id === id, admin: isAdmin(caller), now, report: refuse })
  const outcome = await store.updateUser(id, (stored, text) => {
    condition?.(text)
    return change(stored)
  })
  if (outcome === 'missing') throw notFound(user, id)
  if (outcome === 'last-admin') throw failureOf(LAST_ADMIN_DEMOTED)
  return outcome
}

function notFound(model: Model, id: string): Failure {
  return fail('notFound', `No ${model.name} has the id ${describe(id)}`)
}

/** Computed for each request, and found under its fixed id and under its own name. */
async function summaryText(store: Store, id: string): Promise<string | undefined> {
  if (id !== dashboardSummary.singleton && id !== dashboardSummary.name) return undefined
  const [headlineCount, topicCount, sourceCount] = await Promise.all([headline, topic, source].map(store.countActive))
  return JSON.stringify({ id: dashboardSummary.singleton, headlineCount, topicCount, sourceCount })
}
