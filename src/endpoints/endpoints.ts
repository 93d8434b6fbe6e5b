/** Every endpoint of the API, in the order of its documentation. */
import { ADMIN } from './admin.ts'
import { API_TOKENS } from './api-tokens.ts'
import { AUTH } from './auth.ts'
import { BACKUPS } from './backups.ts'
import { CHANGE_READS, CHANGE_TICKETS } from './changes.ts'
import { DASHBOARD } from './dashboard.ts'
import { DATA } from './data.ts'
import { DATA_DUPLICATES } from './data-duplicates.ts'
import { DATA_HISTORY } from './data-history.ts'
import { DATA_USAGE } from './data-usage.ts'
import { FEED_FETCHES } from './feed-fetch-endpoints.ts'
import { FEEDS } from './feed-endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { FIRST_ADMIN } from './first-admin.ts'
import { FIRST_RESTORE } from './first-restore-endpoints.ts'
import { IMPORTS } from './imports.ts'
import { INVITATIONS } from './invitation-endpoints.ts'
import { LIST_EXPORT } from './list-export.ts'
import { OUTBOX } from './outbox.ts'
import { OWN_ACCOUNT } from './own-account.ts'
import { REVIEW } from './review-endpoints.ts'
import { PICTURES } from './picture-endpoints.ts'
import { SAVED_VIEWS } from './saved-views.ts'
import { SAMPLE } from './sample-endpoint.ts'
import { PUBLICATIONS } from './publication-endpoints.ts'
import type { Service } from './service-parts.ts'
import { SETTINGS_ENDPOINTS } from './setting-endpoints.ts'
import { PASSKEYS } from './passkeys.ts'
import { SYNC } from './sync.ts'
import { SYSTEM_ENDPOINTS } from './system.ts'
import { TRUSTED_SIGN_IN } from './trusted-sign-in.ts'
import { USER_SESSIONS } from './user-sessions.ts'

export const ENDPOINTS: readonly Endpoint<Service>[] = [
  ...AUTH,
  ...OWN_ACCOUNT,
  ...PASSKEYS,
  ...DATA,
  ...CHANGE_READS,
  ...CHANGE_TICKETS,
  ...DATA_HISTORY,
  ...DATA_USAGE,
  ...DATA_DUPLICATES,
  ...REVIEW,
  ...LIST_EXPORT,
  ...SYNC,
  ...DASHBOARD,
  ...SAVED_VIEWS,
  ...ADMIN,
  ...SETTINGS_ENDPOINTS,
  ...SAMPLE,
  ...OUTBOX,
  ...BACKUPS,
  ...IMPORTS,
  ...FEEDS,
  ...FEED_FETCHES,
  ...PUBLICATIONS,
  ...PICTURES,
  ...USER_SESSIONS,
  ...INVITATIONS,
  ...API_TOKENS,
  ...TRUSTED_SIGN_IN,
  ...FIRST_ADMIN,
  ...FIRST_RESTORE,
  ...SYSTEM_ENDPOINTS,
]
