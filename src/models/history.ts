/** Which documents keep their earlier versions, and go to the trash when they are deleted. */
import { audit } from './audit.ts'
import type { Model } from './schema.ts'
import { user } from './user.ts'

/** Content has a history and a trash. Personal data has neither: what its user deletes is gone. */
export function hasHistory(model: Model): boolean {
  return model !== user && model !== audit && model.owned === undefined && model.computed === undefined
}
