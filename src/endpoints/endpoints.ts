/** Every endpoint of the API, in the order of its documentation. */
import { ADMIN, type AdminContext } from './admin.ts'
import { AUTH, type AuthContext } from './auth.ts'
import { BACKUPS, type BackupContext } from './backups.ts'
import { DASHBOARD, type DashboardContext } from './dashboard.ts'
import { DATA, type DataContext } from './data.ts'
import type { Endpoint } from './endpoint.ts'
import { OUTBOX, type OutboxContext } from './outbox.ts'
import { OWN_ACCOUNT, type OwnAccountContext } from './own-account.ts'
import { SYSTEM_ENDPOINTS, type SystemContext } from './system.ts'
import { USER_SESSIONS, type UserSessionsContext } from './user-sessions.ts'

/** All that the handlers work on; each file names what its own need. */
export type EndpointContext = AuthContext &
  OwnAccountContext &
  DataContext &
  DashboardContext &
  AdminContext &
  OutboxContext &
  BackupContext &
  UserSessionsContext &
  SystemContext

export const ENDPOINTS: readonly Endpoint<EndpointContext>[] = [
  ...AUTH,
  ...OWN_ACCOUNT,
  ...DATA,
  ...DASHBOARD,
  ...ADMIN,
  ...OUTBOX,
  ...BACKUPS,
  ...USER_SESSIONS,
  ...SYSTEM_ENDPOINTS,
]
