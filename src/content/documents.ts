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
import { isoDate } from '../base/dates.ts'
import type { Clock } from '../base/clock.ts'
import { describe, fail, type Failure } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import { parseJson, writeJson, type JsonObject } from '../base/json.ts'
import { isAdmin, type Caller } from '../models/caller.ts'
import { dashboardSummary } from '../models/dashboard-summary.ts'
import { headline } from '../models/headline.ts'
import { remoteConfig, type RemoteConfig } from '../models/remote-config.ts'
import type { Model, Operation } from '../models/schema.ts'
import { source } from '../models/source.ts'
import { topic } from '../models/topic.ts'
import { userContentPreferences } from '../models/user-content-preferences.ts'
import { user } from '../models/user.ts'
import { matches } from '../query/match.ts'
import type { Condition, Document, Store } from '../store/store.ts'
import { requireOwner, requireRole } from './access.ts'
import { pageText, readListQuery, type ListParams, type ListSettings } from './list-query.ts'
import { checkPreferences } from './preference-rules.ts'
import { resolveReferences } from './references.ts'
import { checkRemoteConfig } from './remote-config-rules.ts'
import { remoteConfigSeed } from './seeds.ts'
import { changeUser, readInvitation, type Invite } from './user-changes.ts'
import { validateDocument } from './validate.ts'

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
  /** Creates the account of a user that an administrator adds. */
  readonly invite: Invite
}

export function createDocuments({ store, now, newId, settings, invite }: DocumentsOptions): Documents {
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

  /** What a body must fulfil beyond the declaration of its model. */
  const rules = async (model: Model, caller: Caller): Promise<Rules> => {
    if (model === remoteConfig) return (next) => checkRemoteConfig(next)
    if (model !== userContentPreferences) return () => {}
    const text = await store.get(remoteConfig, remoteConfig.singleton ?? '')
    const config = (text === undefined ? remoteConfigSeed() : parseJson(text)) as unknown as RemoteConfig
    return (next, stored) => checkPreferences({ caller, config, stored, next })
  }

  const insert = async (model: Model, document: Document): Promise<string> => {
    const outcome = await store.insert(model, document)
    if (outcome === 'inserted') return writeJson(document.value)
    if (outcome === 'exists')
      throw fail('conflict', `A ${model.name} with the id ${describe(document.id)} exists already`)
    throw fail('invalidInput', `id: expected the id of a user, found ${describe(document.id)}, which no user has`)
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
      if (model === user) return writeJson(await invite({ ...readInvitation(await body()), now: now() }))
      const sent = await resolveReferences(model, await body(), store)
      const id = newDocumentId(model, sent, { caller, newId })
      const time = isoDate(now())
      const value = validateDocument(model, sent, { generated: { id, createdAt: time, updatedAt: time } })
      const check = await rules(model, caller)
      check(value, undefined)
      return insert(model, { id, value })
    },

    async replace(model, id, body, { caller, condition }) {
      const found = await admit(model, 'replace', id, caller)
      condition?.(found)
      if (model === user) return replaceUser(store, { id, body: await body(), caller, condition, now: now() })
      const sent = await resolveReferences(model, await body(), store)
      requireSameId(sent, id)
      const check = await rules(model, caller)
      const replaced = await store.update(model, id, (stored, text) => {
        condition?.(text)
        const generated = { id, createdAt: String(stored['createdAt']), updatedAt: isoDate(now()) }
        const next = validateDocument(model, sent, { generated, stored })
        check(next, stored)
        return next
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
      if (outcome === 'last-admin') throw lastAdmin('deleted')
    },
  }
}

type Rules = (next: JsonObject, stored: JsonObject | undefined) => void

interface UserReplacement extends Changing {
  readonly id: string
  readonly body: JsonObject
  readonly now: number
}

async function replaceUser(store: Store, { id, body, caller, condition, now }: UserReplacement): Promise<string> {
  const change = changeUser(body, { own: caller.id === id, admin: isAdmin(caller), now })
  const outcome = await store.updateUser(id, (stored, text) => {
    condition?.(text)
    return change(stored)
  })
  if (outcome === 'missing') throw notFound(user, id)
  if (outcome === 'last-admin') throw lastAdmin('demoted')
  return outcome
}

function lastAdmin(done: 'deleted' | 'demoted'): Failure {
  return fail('forbidden', `The last administrator cannot be ${done} here: give another user the role first`)
}

/**
 * Owned documents have their owner's id, singletons their fixed one, all others a new one; none comes from the body.
 */
function newDocumentId(model: Model, sent: JsonObject, { caller, newId }: { caller: Caller; newId: NewId }): string {
  if (model.singleton !== undefined) return model.singleton
  if (model.owned === undefined) return newId()
  const named = sent['id']
  if (!isAdmin(caller) || named === undefined) return caller.id
  if (typeof named === 'string') return named
  throw fail('invalidInput', `id: expected the id of a user, found ${describe(named)}`)
}

function requireSameId(sent: JsonObject, id: string): void {
  const named = sent['id']
  if (named === undefined || named === id) return
  throw fail('invalidInput', `id: expected ${describe(id)} as in the path, or none, found ${describe(named)}`)
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
