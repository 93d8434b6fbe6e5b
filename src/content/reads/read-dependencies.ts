/**
 * What the result of a read depends on: the models whose documents it is made of, in the one place where that is declared.
 *
 * A read of a stored model rests on that model: documents embed copies of others, which change only with the document.
 * Three reads rest on more: the summary counts three models, countries in use are those that headlines or sources name, and
 * what users have changed is the change log, which forgets them with their accounts. Each change of a model changes its
 * version too; that an old one left the log shows with the next.
 * Nothing rests on the time. The settings hold for a run of the program.
 */
import { isObject, type Json } from '../../base/json.ts'
import { country } from '../../models/country.ts'
import { dashboardSummary } from '../../models/dashboard-summary.ts'
import { headline } from '../../models/headline.ts'
import type { Model } from '../../models/schema.ts'
import { source } from '../../models/source.ts'
import { topic } from '../../models/topic.ts'
import { user } from '../../models/user.ts'
import { USE_KEYS } from './special-keys.ts'

/** The models that the summary counts. */
export const SUMMARIZED: readonly [Model, Model, Model] = [headline, topic, source]

/** The models that a document of the model is made of. */
export function documentDependencies(model: Model): readonly Model[] {
  return model === dashboardSummary ? SUMMARIZED : [model]
}

/** The models that a list is made of. */
export function listDependencies(model: Model, filter: Json | undefined, changedBy?: string): readonly Model[] {
  if (changedBy !== undefined) return [...listDependencies(model, filter), user]
  if (model !== country || !isObject(filter)) return documentDependencies(model)
  const asksForUse = USE_KEYS.some((key) => Object.hasOwn(filter, key))
  return asksForUse ? [country, headline, source] : [country]
}

/**
 * Whether results may be kept in memory, by the service and by browsers. What only its owner may read is not: it would
 * outlive a sign-out there, and a deleted account here, and few ask for it.
 */
export function mayBeKept(model: Model): boolean {
  return model.access.read !== 'owner'
}
