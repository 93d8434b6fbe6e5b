/** The audit trail, for administrators: filters, sort and cursors are those of the data endpoint. */
import { readEmail } from '../auth/accounts.ts'
import type { EmailHashes } from '../auth/email-hash.ts'
import type { Session } from '../auth/sessions.ts'
import { requireAdministrator } from '../content/access.ts'
import { askerOf } from '../content/asker.ts'
import { pageText, readListQuery, type ListSettings } from '../content/list-query.ts'
import { ok, type Exchange, type HttpResponse } from '../http/request/exchange.ts'
import { audit } from '../models/audit.ts'
import { and, isIn } from '../query/ast.ts'
import type { Store } from '../store/store.ts'
import { paramsOfUrl } from './data-routes.ts'

/** Ids grow with time: of what happened in the same millisecond, the last comes first too. */
export const NEWEST_FIRST = 'time:desc,id:desc'

export interface AuditParts {
  readonly store: Store
  readonly settings: ListSettings
  readonly emailHashes: EmailHashes
}

export interface AuditRoutes {
  list(exchange: Exchange, session: Session): Promise<HttpResponse>
}

export function auditRoutes({ store, settings, emailHashes }: AuditParts): AuditRoutes {
  return {
    async list(exchange, { caller, acting }) {
      const { sort = NEWEST_FIRST, ...params } = paramsOfUrl(exchange)
      const read = await readListQuery(audit, { ...params, sort }, caller, { settings, store })
      const email = exchange.query.get('email')
      const hashes = email === undefined ? undefined : emailHashes.all(readEmail(email))
      const query = hashes === undefined ? read : { ...read, filter: and(read.filter, isIn(['emailHash'], hashes)) }
      if (query.limit === 0) return ok(pageText(audit, query, { items: [], next: undefined }))
      // So that a reader sees what was left out up to now.
      if (store.hasSuppressed()) await store.as(acting(requireAdministrator)).noteSuppressed()
      return ok(pageText(audit, query, await store.find(audit, query, askerOf(caller, exchange))))
    },
  }
}
