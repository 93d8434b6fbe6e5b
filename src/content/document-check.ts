/**
 * All that creating or replacing a document would reject, without doing it: a body goes the same way as in the real
 * request, and then what the database would reject is looked up. A write afterwards may fail for what changed.
 */
import { describe } from '../base/failure.ts'
import { parseJson, parseJsonInTurns, type JsonObject } from '../base/json.ts'
import { ProblemFailure, type Problem } from '../base/problem.ts'
import type { Caller } from '../models/caller.ts'
import { REMOTE_CONFIG_ID, remoteConfig } from '../models/remote-config.ts'
import { placeFor } from '../models/incomplete.ts'
import type { Model } from '../models/schema.ts'
import { DASHBOARD_ROLES, user } from '../models/user.ts'
import { eq } from '../query/ast.ts'
import { codeProblem } from '../store/documents/distinct-codes.ts'
import { queryCallerOf } from './reads/query-caller.ts'
import type { Drafting, Drafts, Standing } from './drafts.ts'
import { collectProblems, problemAt, type Report } from './rules/problems.ts'
import { changeUser, readInvitation, type Invitations } from './user-changes.ts'
import type { Store } from '../store/store.ts'

const LOWER_ROLES: readonly string[] = DASHBOARD_ROLES.filter((role) => role !== 'admin')

type Sender = Omit<Drafting, 'report'>

interface Replaced extends Sender {
  readonly id: string
  readonly text: string
}

export function createDocumentCheck(
  store: Pick<Store, 'documents' | 'accounts'>,
  drafts: Drafts,
  invitations: Invitations,
) {
  const standingOf = async (caller: Caller): Promise<Standing> => {
    const config = store.documents.get(remoteConfig, REMOTE_CONFIG_ID)
    return { caller, config: () => config, textOf: store.documents.get, roomOf: store.accounts.roomOf }
  }

  const create = async (model: Model, body: JsonObject, drafting: Drafting): Promise<void> => {
    const { document, admit } = await drafts.create(model, body, drafting)
    admit(await standingOf(drafting.caller))
    const { id, value } = document
    const taken = codeProblem(store.documents.lookUp, placeFor(model, value), { id, value })
    if (taken !== undefined) drafting.report(taken)
    if (model.singleton === undefined && model.owned === undefined) return
    if (store.documents.get(model, id) !== undefined) drafting.report(existsAlready(model, id))
    else if (model.owned === true && store.documents.get(user, id) === undefined) drafting.report(ownerIsMissing(id))
  }

  const inviteUser = async (body: JsonObject, report: Report): Promise<void> => {
    const { email } = readInvitation(body, report)
    // That it is no text has been said.
    if (typeof email !== 'string') return
    try {
      await invitations.check(email)
    } catch (error) {
      if (!(error instanceof ProblemFailure)) throw error
      report(error.problem)
    }
  }

  const replaceUser = async (body: JsonObject, { text, caller }: Replaced, report: Report): Promise<void> => {
    const change = changeUser(body, { now: 0, report })
    const [before, after] = [parseJson(text) as JsonObject, change(parseJson(text) as JsonObject, caller)]
    if (before['dashboardRole'] !== 'admin' || !LOWER_ROLES.includes(String(after['dashboardRole']))) return
    const query = { filter: eq(['dashboardRole'], 'admin'), sort: [], limit: 2, after: undefined }
    const { items } = await store.documents.find(user, query, queryCallerOf(caller))
    if (items.length < 2) report(LAST_ADMIN_DEMOTED)
  }

  return {
    creation: (model: Model, body: JsonObject, sender: Sender): Promise<readonly Problem[]> =>
      collectProblems((report) =>
        model === user ? inviteUser(body, report) : create(model, body, { ...sender, report }),
      ),
    replacement: (model: Model, body: JsonObject, replaced: Replaced): Promise<readonly Problem[]> =>
      collectProblems(async (report) => {
        if (model === user) return replaceUser(body, replaced, report)
        const { id, text, caller, references } = replaced
        const change = await drafts.replace(model, id, body, { references, report })
        // A small body may ask about a long document.
        const stored = (await parseJsonInTurns(text)) as JsonObject
        const value = change(stored, await standingOf(caller))
        const place = placeFor(model, value)
        const taken = codeProblem(store.documents.lookUp, place, { id, value, stored: placeFor(model, stored) === place ? stored : undefined })
        if (taken !== undefined) report(taken)
      }),
  }
}

export function existsAlready(model: Model, id: string): Problem {
  return problemAt('', 'duplicate', `A ${model.name} with the id ${describe(id)} exists already`)
}

export function ownerIsMissing(id: string): Problem {
  const message = `expected the id of a user, found ${describe(id)}, which no user has`
  return problemAt('id', 'unknownReference', message, { model: user.name })
}

export const LAST_ADMIN_DEMOTED: Problem = lastAdmin('demoted')
export const LAST_ADMIN_DELETED: Problem = lastAdmin('deleted')

function lastAdmin(done: 'deleted' | 'demoted'): Problem {
  const message = `The last administrator cannot be ${done} here: give another user the role first`
  return problemAt('', 'lastAdministrator', message)
}
