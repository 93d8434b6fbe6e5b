/** Whether a site has anything that a restore of another one in its place would take from people. */
import { audit } from '../../models/audit.ts'
import { country } from '../../models/country.ts'
import { GUEST_DOMAIN } from '../../models/guest.ts'
import { language } from '../../models/language.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { remoteConfig } from '../../models/remote-config.ts'
import type { Model } from '../../models/schema.ts'
import { user } from '../../models/user.ts'
import type { Database } from '../db/database.ts'
import { tableOf, valueAt } from '../schema/names.ts'

/** Every start brings these. */
const OF_EACH_START: readonly Model[] = [country, language, remoteConfig]

/** No document, and no account but those of guests, and that of one e-mail address. */
export function isUnused(database: Database, except: string): boolean {
  const isGuest = `${valueAt('email')} IS id || '@${GUEST_DOMAIN}' AND ${valueAt('dashboardRole')} IS 'none'`
  if (database.get(`SELECT 1 FROM user WHERE ${valueAt('email')} IS NOT ? AND NOT (${isGuest}) LIMIT 1`, except) !== undefined) return false
  const content = STORED_MODELS.filter((model) => model.owned === undefined && ![user, audit, ...OF_EACH_START].includes(model))
  return content.every((model) => database.get(`SELECT 1 FROM ${tableOf(model)} LIMIT 1`) === undefined)
}
