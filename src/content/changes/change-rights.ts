/**
 * What a caller may know of the changes of a model. The rules are those of lists: of a model that the caller may list, all
 * documents or the active ones; of one that only its owner may read, the own document.
 */
import { hasDashboard, isAdmin, type Caller } from '../../models/caller.ts'
import { modelNamed, MODELS } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { requireDrafts, requireRole } from '../rules/access.ts'
import { showsOnlyActive, type ListSettings } from '../reads/list-query.ts'

export type Sight = 'all' | 'active' | 'own'

/** The models that have changes: one that is computed has none. */
export const CHANGE_MODELS: readonly Model[] = MODELS.filter(({ computed }: Model) => computed === undefined)

/** The models of a caller who names none: without those that only publishers and administrators may list. */
export function changeModelsOf(caller: Caller): readonly Model[] {
  return hasDashboard(caller) ? CHANGE_MODELS : CHANGE_MODELS.filter(({ access }) => access.list !== 'publisher')
}

/**
 * One letter for what the roles of a caller show, over all models. A client whose letter has changed starts over: documents
 * that it could not see before did not change when it got the right to see them, nor did those that it lost.
 */
export function rightsOf(caller: Caller, { hideInactive }: Pick<ListSettings, 'hideInactive'>): string {
  if (isAdmin(caller)) return 'a'
  if (hasDashboard(caller)) return 'p'
  return hideInactive ? 'h' : 'r'
}

/** Throws forbidden and methodNotAllowed as a list does. */
export function sightOf(model: Model, caller: Caller, settings: Pick<ListSettings, 'hideInactive'>): Sight {
  // Settings and preferences are for the apps of one user, also where that is an administrator, who may list those of all.
  if (model.owned === true || (model.access.read === 'owner' && !isAdmin(caller))) return 'own'
  const whole = model.draftsOf === undefined ? model : modelNamed(model.draftsOf)
  requireRole(whole ?? model, 'list', caller)
  if (whole !== undefined && whole !== model) {
    requireDrafts(whole, caller)
    return 'all'
  }
  return showsOnlyActive(model, caller, settings) ? 'active' : 'all'
}
