/** What a sign-in page has to know. It is for everybody, so it tells nothing that the page would not show. */
import type { Accounts } from '../auth/accounts.ts'
import { ok, type HttpResponse } from '../http/request/exchange.ts'
import type { DashboardSetup } from '../models/replies.ts'

export interface SetupParts extends Omit<DashboardSetup, 'hasAdministrator'> {
  readonly accounts: Pick<Accounts, 'hasAdministrator'>
}

export function setupHandler({ accounts, appName, codesBy, codeMinutes }: SetupParts): () => Promise<HttpResponse> {
  return async () => {
    const hasAdministrator = await accounts.hasAdministrator()
    return ok(JSON.stringify({ appName, hasAdministrator, codesBy, codeMinutes } satisfies DashboardSetup))
  }
}
