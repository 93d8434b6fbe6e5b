/** All models, by the name that the query parameter `model` gives. Adding a model is a file and a line here. */
import { audit } from './audit.ts'
import { country } from './country.ts'
import { dashboardSummary } from './dashboard-summary.ts'
import { feed, feedRules } from './feed-model.ts'
import { headline } from './headline.ts'
import { incompleteOf } from './incomplete.ts'
import { language } from './language.ts'
import { publication } from './publication-model.ts'
import { remoteConfig } from './remote-config.ts'
import type { Model } from './schema.ts'
import { source } from './source.ts'
import { topic } from './topic.ts'
import { userAppSettings } from './user-app-settings.ts'
import { userContentPreferences } from './user-content-preferences.ts'
import { user } from './user.ts'

export const MODELS = [
  headline,
  topic,
  source,
  country,
  language,
  feed,
  feedRules,
  publication,
  user,
  userAppSettings,
  userContentPreferences,
  remoteConfig,
  dashboardSummary,
] as const satisfies readonly Model[]

/** The models that have a table, each since the schema that store/sqlite/schema-check.ts tells: incomplete drafts and the audit trail too, which the data endpoint does not reach by name. */
export const STORED_MODELS: readonly Model[] = /* @__PURE__ */ storedModels()

/** Without effects: the dashboard is built without them. */
function storedModels(): readonly Model[] {
  const incomplete = MODELS.flatMap((model: Model) => incompleteOf(model) ?? [])
  return [...MODELS.filter((model: Model) => model.computed === undefined), ...incomplete, audit]
}

const BY_NAME: ReadonlyMap<string, Model> = new Map(MODELS.map((model) => [model.name, model]))

export function modelNamed(name: string): Model | undefined {
  return BY_NAME.get(name)
}

export function storedModelNamed(name: string): Model | undefined {
  return STORED_MODELS.find((model) => model.name === name)
}
