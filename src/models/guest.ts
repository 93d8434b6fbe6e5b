/**
 * Guests, and the addresses that stand in for one. What makes a guest is the stored address: the role follows from it. So
 * whether an account may get an address is never judged by its role, which a request may change.
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

/** Whether an account has the address of a guest and no rights that could pass to another one. */
export function isGuest({ id, email, appRole, dashboardRole }: Account): boolean {
  return email === guestEmail(id) && appRole === 'guestUser' && dashboardRole === 'none'
}

interface WrongRole {
  readonly role: 'appRole' | 'dashboardRole'
  readonly choices: readonly string[]
  /** Which accounts have one of these. */
  readonly of: string
}

/** A role that does not go with the address: guests have no other rights, and accounts with an address are no guests. */
export function wrongRole({ id, email, appRole, dashboardRole }: Account): WrongRole | undefined {
  if (email !== guestEmail(id)) {
    if (appRole !== 'guestUser') return undefined
    return { role: 'appRole', choices: ['standardUser', 'premiumUser'], of: 'an account with an e-mail address' }
  }
  const of = 'a guest, who has no e-mail address'
  if (appRole !== 'guestUser') return { role: 'appRole', choices: ['guestUser'], of }
  return dashboardRole === 'none' ? undefined : { role: 'dashboardRole', choices: ['none'], of }
}

/** Idle guests are looked for each minute (store/sqlite/housekeeping.ts). */
const RETRY_SECONDS = 60

/** Where guests may keep no more, or the disk has no room for it. */
export function guestsFull(what: string): Failure {
  const message = `${what}: guests have all the storage that they may use: try again later, or sign in with an e-mail address`
  return fail('networkError', message, { headers: { 'Retry-After': String(RETRY_SECONDS) } })
}
