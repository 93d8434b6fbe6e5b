/** Every endpoint of the API, in the order of its documentation. */
import { ADMIN, type AdminContext } from './admin.ts'
import { API_TOKENS, type ApiTokenContext } from './api-tokens.ts'
import { AUTH, type AuthContext } from './auth.ts'
import { BACKUPS, type BackupContext } from './backups.ts'
import { CHANGE_READS, CHANGE_TICKETS, type ChangeReadContext, type TicketContext } from './changes.ts'
import { DASHBOARD, type DashboardContext } from './dashboard.ts'
import { DATA, type DataContext } from './data.ts'
import { DATA_DUPLICATES } from './data-duplicates.ts'
import { DATA_HISTORY, type DataHistoryContext } from './data-history.ts'
import { DATA_USAGE } from './data-usage.ts'
import type { Endpoint } from './endpoint.ts'
import { FIRST_ADMIN, type FirstAdminContext } from './first-admin.ts'
import { IMPORTS, type ImportContext } from './imports.ts'
import { INVITATIONS, type InvitationContext } from './invitation-endpoints.ts'
import { LIST_EXPORT, type ListExportContext } from './list-export.ts'
import { OUTBOX, type OutboxContext } from './outbox.ts'
import { OWN_ACCOUNT, type OwnAccountContext } from './own-account.ts'
import { REVIEW, type ReviewContext } from './review-endpoints.ts'
import { SAVED_VIEWS, type SavedViewContext } from './saved-views.ts'
import { SAMPLE, type SampleContext } from './sample-endpoint.ts'
import { SETTINGS_ENDPOINTS, type SettingsContext } from './setting-endpoints.ts'
import { PASSKEYS, type PasskeyContext } from './passkeys.ts'
import { SYNC, type SyncContext } from './sync.ts'
import { SYSTEM_ENDPOINTS, type SystemContext } from './system.ts'
import { TRUSTED_SIGN_IN, type TrustedSignInContext } from './trusted-sign-in.ts'
import { USER_SESSIONS, type UserSessionsContext } from './user-sessions.ts'

/** All that the handlers work on; each file names what its own need. */
export type EndpointContext = AuthContext &
  OwnAccountContext &
  DataContext &
  ChangeReadContext &
  TicketContext &
  DataHistoryContext &
  ReviewContext &
  SyncContext &
  DashboardContext &
  SavedViewContext &
  AdminContext &
  SettingsContext &
  SampleContext &
  OutboxContext &
  BackupContext &
  ImportContext &
  ListExportContext &
  UserSessionsContext &
  InvitationContext &
  ApiTokenContext &
  PasskeyContext &
  TrustedSignInContext &
  FirstAdminContext &
  SystemContext

export const ENDPOINTS: readonly Endpoint<EndpointContext>[] = [
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
  ...USER_SESSIONS,
  ...INVITATIONS,
  ...API_TOKENS,
  ...TRUSTED_SIGN_IN,
  ...FIRST_ADMIN,
  ...SYSTEM_ENDPOINTS,
]
