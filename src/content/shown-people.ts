/** How the people of the dashboard are shown to each other: names to all of them, e-mail addresses to those who may list users. */
import { parseJson } from '../base/json.ts'
import { hasDashboard, isAdmin, type Caller } from '../models/caller.ts'
import type { DocumentHistory, People } from '../models/responses.ts'
import { user, type User } from '../models/user.ts'
import type { ReadStore } from '../store/read-store.ts'
import { isInScope } from './rules/access.ts'

type PeopleStore = { readonly documents: Pick<ReadStore['documents'], 'get'> }

/** Who made a change, for the caller; `actor` is the id of a user, or stands for a part of the service. */
export function shownActor(store: PeopleStore, actor: string | undefined, caller: Caller): DocumentHistory['items'][number]['actor'] {
  if (actor === undefined) return null
  const text = store.documents.get(user, actor)
  const { email, displayName } = text === undefined ? {} : (parseJson(text) as Partial<User>)
  // A token that is narrowed to models and methods is for documents, and not for people.
  const seesNames = hasDashboard(caller) && caller.scope === undefined
  return { id: actor, email: (seesEmails(caller) ? email : undefined) ?? null, name: (seesNames ? displayName : undefined) ?? null }
}

/**
 * Those of the ids that belong to publishers and administrators. Of other users, who may have had such a role before, only
 * administrators are told: a publisher learns not even that they exist.
 */
export function peopleOf(store: PeopleStore, ids: readonly string[], caller: Caller): People {
  const items = [...new Set(ids)].flatMap((id): People['items'] => {
    const text = store.documents.get(user, id)
    const found = text === undefined ? undefined : (parseJson(text) as unknown as User)
    if (found === undefined || !(hasDashboard(found) || seesEmails(caller))) return []
    const { displayName, email, dashboardRole } = found
    return [{ id, name: displayName ?? null, email: seesEmails(caller) ? email : null, role: dashboardRole }]
  })
  return { items }
}

function seesEmails(caller: Caller): boolean {
  return isAdmin(caller) && isInScope(user, 'read', caller)
}
