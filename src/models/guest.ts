/**
 * Guests, and the addresses that stand in for one. What makes a guest is the stored address, which no request changes. So
 * whether an account may get an address is never judged by its app role, which an administrator may change.
 */
import { fail, type Failure } from '../base/failure.ts'
import type { User } from './user.ts'

/** A reserved name (RFC 2606): no mail for a guest can ever be delivered. */
export const GUEST_DOMAIN = 'anonymous.invalid'

/** The administrator of an app that runs the service for itself. It has no sign-in by mail either. */
export const LOCAL_ADMIN_EMAIL = 'administrator@local.invalid'

export function guestEmail(id: string): string {
  return `${id}@${GUEST_DOMAIN}`
}

/** Whether a normalised e-mail address only stands in for one: no mail goes to it, or to a subdomain. */
export function isStandIn(email: string): boolean {
  return email.endsWith(`@${GUEST_DOMAIN}`) || email.endsWith(`.${GUEST_DOMAIN}`) || email === LOCAL_ADMIN_EMAIL
}

type Account = Pick<User, 'id' | 'email' | 'appRole' | 'dashboardRole'>

/** Whether an account has the address of a guest, and no rights in the dashboard that could pass to another account. */
export function isGuest({ id, email, dashboardRole }: Omit<Account, 'appRole'>): boolean {
  return email === guestEmail(id) && dashboardRole === 'none'
}

/** Whether a guest has no other role either: such a guest is deleted when it is idle for long. */
export function isPlainGuest(account: Account): boolean {
  return isGuest(account) && account.appRole === 'guestUser'
}

/** The roles that an account with an e-mail address may have, where it has another one. Guests may have each. */
export function rolesInPlace({ id, email, appRole }: Omit<Account, 'dashboardRole'>): readonly User['appRole'][] | undefined {
  return email !== guestEmail(id) && appRole === 'guestUser' ? ['standardUser', 'premiumUser'] : undefined
}

/** Idle guests are looked for each minute (store/housekeeping.ts). */
const RETRY_SECONDS = 60

/** The cause of that failure, for the log. */
export const GUESTS_FULL = 'guests have all that they may keep'

/** Where guests may keep no more, or the disk has no room for it. */
export function guestsFull(what: string): Failure {
  const message = `${what}: guests have all the storage that they may use: try again later, or sign in with an e-mail address`
  return fail('networkError', message, { cause: GUESTS_FULL, headers: { 'Retry-After': String(RETRY_SECONDS) } })
}
