/**
 * What a request may change of a user. The body is the whole user, but only parts of it take effect: the own feed
 * cards for everybody, roles for administrators. Everything else must have the right type and is ignored.
 */
import { isoDate, parseIsoDate } from '../base/dates.ts'
import { describe } from '../base/failure.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { ProblemCode } from '../base/problem.ts'
import { isAdmin, isHigherRole, type Caller } from '../models/caller.ts'
import { sentName, withoutIdleName } from '../models/display-name.ts'
import { rolesInPlace } from '../models/guest.ts'
import { user, type User } from '../models/user.ts'
import type { Actor } from '../store/actor.ts'
import { requireSignIn } from './rules/access.ts'
import { mergePatch } from './rules/merge-patch.ts'
import { problemAt, throwProblem, type Report } from './rules/problems.ts'
import { checkStorable } from './rules/storable.ts'
import { validateDocument } from './rules/validate.ts'

export interface InvitedUser {
  readonly email: string
  readonly appRole: User['appRole']
  readonly dashboardRole: User['dashboardRole']
  readonly displayName?: string | null | undefined
}
/** What a request wants of the mail that invites a user. */
export interface WantedMail {
  /** Whether there is to be one; undefined leaves it to the settings. */
  readonly byMail: boolean | undefined
  /** Of the mail and of the new account; undefined where the request does not say. */
  readonly language: string | undefined
  /** Of the mail where that is missing: BCP 47 tags, the preferred one first. */
  readonly languages: readonly string[]
}
export interface Invitations {
  /**
   * Creates a user with settings and preferences. Throws invalidInput for a malformed address, conflict for a taken one, and
   * what the mail throws.
   */
  invite(invited: InvitedUser & { readonly mail: WantedMail; readonly now: number }, actor: Actor): Promise<JsonObject>
  /** Throws what an invitation to this address would, and creates no user. */
  check(email: string): Promise<void>
}

const ROLES = ['appRole', 'dashboardRole'] as const
const NOT_GENERATED = { id: '', createdAt: '', updatedAt: '' }

/** The user that an administrator adds. Cards of the feed may be sent along; their state starts empty. */
export function readInvitation(body: JsonObject, report: Report): InvitedUser {
  const whole = validateDocument(user, { feedDecoratorStatus: {}, ...body }, { generated: NOT_GENERATED, report })
  const invited = whole as unknown as User
  checkRoles(invited, report)
  const { appRole, dashboardRole, email } = invited
  return { email, appRole, dashboardRole, ...sentName(body['displayName']) }
}

/** Reports the role of a guest for an account with an e-mail address. */
export function checkRoles(account: User, report: Report): void {
  const roles = rolesInPlace(account)
  if (roles === undefined) return
  const message = `expected ${roles.join(' or ')} for an account with an e-mail address, found ${describe(account.appRole)}`
  report(problemAt('appRole', 'notChoice', message, { choices: roles.join(', ') }))
}

/** Throws forbidden for a token of the API that would give more rights in the dashboard: they would stay when it ends. */
export function requireGrant(caller: Caller, given: User['dashboardRole'], before: User['dashboardRole'] = 'none'): void {
  if (isHigherRole(given, before)) requireSignIn(caller)
}

export interface UserChange {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly report: Report
  /** Whether the body has all cards of the feed that are to stay, as a patched one does. */
  readonly hasAllCards?: true
}

/** Checks the body; the result changes the stored user as far as the caller may with the roles of that moment. */
export function changeUser(
  body: JsonObject,
  { now, report, hasAllCards }: UserChange,
): (stored: JsonObject, caller: Caller) => JsonObject {
  // What the server generates may be left out, but must not be of another type.
  const require = (name: string, is: (value: Json) => boolean, code: ProblemCode, wanted: string): void => {
    const value = body[name]
    if (value === undefined || is(value)) return
    report(problemAt(name, code, `expected ${wanted}, found ${describe(value)}`))
  }
  for (const name of ['id', 'updatedAt']) require(name, (value) => typeof value === 'string', 'notText', 'a string')
  require('createdAt', isDate, 'notDate', 'an ISO 8601 date')
  const sent = validateDocument(user, body, { generated: NOT_GENERATED, stored: {}, report }) as unknown as User
  return (stored, caller) => {
    const { appRole, dashboardRole } = sent
    const isOwn = caller.id === stored['id']
    if (isAdmin(caller)) requireGrant(caller, dashboardRole, (stored as unknown as User).dashboardRole)
    // A card that an older client does not know is not forgotten.
    const feedDecoratorStatus = {
      ...(hasAllCards === true ? {} : (stored['feedDecoratorStatus'] as JsonObject)),
      ...sent.feedDecoratorStatus,
    } as Json
    const changed = withoutIdleName({
      ...stored,
      ...(isAdmin(caller) ? { appRole, dashboardRole } : {}),
      ...(isOwn ? { feedDecoratorStatus } : {}),
      updatedAt: isoDate(now),
      ...(isAdmin(caller) || isOwn ? sentName(body['displayName']) : {}),
    })
    // An account of an earlier release whose roles are wrong already can still change its cards.
    if (ROLES.some((role) => changed[role] !== stored[role])) checkRoles(changed as unknown as User, report)
    return changed
  }
}

/** The members of a user that can be written are few and bounded, so a patched one has no size to be checked. */
export function patchUser(patch: JsonObject, now: number): (stored: JsonObject, caller: Caller) => JsonObject {
  checkStorable(patch, throwProblem)
  return (stored, caller) => {
    const body = mergePatch(user.fields, stored, patch)
    return changeUser(body, { now, report: throwProblem, hasAllCards: true })(stored, caller)
  }
}

function isDate(value: Json): boolean {
  return typeof value === 'string' && parseIsoDate(value) !== undefined
}
