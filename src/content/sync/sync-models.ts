/** What RxDB replicates: the content of apps, and what belongs to the user who asks. */
import { fail } from '../../base/failure.ts'
import { modelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import type { ChangeQuery } from '../changes/change-pages.ts'

const SYNC_MODELS = [
  'headline',
  'topic',
  'source',
  'country',
  'language',
  'user_app_settings',
  'user_content_preferences',
] as const

const NAMES: readonly string[] = SYNC_MODELS

/** Throws notFound. */
export function syncModelNamed(name: string): Model {
  const model = NAMES.includes(name) ? modelNamed(name) : undefined
  if (model !== undefined) return model
  throw fail('notFound', `Cannot sync ${JSON.stringify(name.slice(0, 60))}: expected one of ${NAMES.join(', ')}`)
}

/** All changes of the model that the caller may know of. */
export function queryOf(model: Model): ChangeQuery {
  return { models: [model], filter: undefined, filterText: '' }
}
