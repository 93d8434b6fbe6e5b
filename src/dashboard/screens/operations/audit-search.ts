/** What the audit trail is narrowed to: as it stands in the URL, and as the server is asked. */
import type { AuditQuery } from '../../../client/client.ts'
import { AUDIT_EVENTS } from '../../../models/audit.ts'
import { hrefTo } from '../../screen-url.ts'

export interface AuditSearch {
  /** Each empty where nothing is wanted of it. */
  readonly event: string
  readonly actor: string
  readonly document: string
  readonly email: string
}

/** Whether a text may be an e-mail address. The server rejects one that is incomplete, as while it is typed. */
const WHOLE_EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/

export function isWholeEmail(text: string): boolean {
  return WHOLE_EMAIL.test(text)
}

/** What a URL says; an event that does not exist and an incomplete e-mail address are left out. */
export function readAuditSearch(query: URLSearchParams): AuditSearch {
  const text = (name: string): string => (query.get(name) ?? '').trim()
  const event = AUDIT_EVENTS.find((one) => one === query.get('event')) ?? ''
  const email = isWholeEmail(text('email')) ? text('email') : ''
  return { event, actor: text('actor'), document: text('document'), email }
}

export function isSameSearch(one: AuditSearch, other: AuditSearch): boolean {
  return auditHref(one) === auditHref(other)
}

/** The trail narrowed to this, as a URL. */
export function auditHref(search: Partial<AuditSearch>): string {
  return hrefTo(['operations'], { part: 'audit', ...search })
}

export function auditQuery({ event, actor, document, email }: AuditSearch): AuditQuery {
  return {
    filter: {
      ...(event === '' ? {} : { event }),
      ...(actor === '' ? {} : { actor }),
      ...(document === '' ? {} : { documentId: document }),
    },
    email: email === '' ? undefined : email,
  }
}
