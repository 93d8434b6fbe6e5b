/**
 * What a request may change of a user. The body is the whole user, but only parts of it take effect: the own feed
 * cards for everybody, roles for administrators. Everything else must have the right type and is ignored.
 */
import { isoDate, parseIsoDate } from '../base/dates.ts'
import { describe } from '../base/failure.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { ProblemCode } from '../base/problem.ts'
import { isAdmin, type Caller } from '../models/caller.ts'
import { user, type User } from '../models/user.ts'
import type { Actor } from '../store/actor.ts'
import { problemAt, type Report } from './problems.ts'
import { validateDocument } from './validate.ts'

export interface InvitedUser {
  readonly email: string
  readonly appRole: User['appRole']
  readonly dashboardRole: User['dashboardRole']
}
export interface Invitations {
  /** Creates a user with settings and preferences. Throws invalidInput for a malformed address, conflict for a taken one. */
  invite(invited: InvitedUser & { readonly now: number }, actor: Actor): Promise<JsonObject>
  /** Throws what an invitation to this address would, and creates no user. */
  check(email: string): Promise<void>
}

const NOT_GENERATED = { id: '', createdAt: '', updatedAt: '' }

/** The user that an administrator adds. Cards of the feed may be sent along; their state starts empty. */
export function readInvitation(body: JsonObject, report: Report): InvitedUser {
  const whole = validateDocument(user, { feedDecoratorStatus: {}, ...body }, { generated: NOT_GENERATED, report })
  const { appRole, dashboardRole, email } = whole as unknown as User
  return { email, appRole, dashboardRole }
}

export interface UserChange {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly report: Report
}

/** Checks the body; the result changes the stored user as far as the caller may with the roles of that moment. */
export function changeUser(
  body: JsonObject,
  { now, report }: UserChange,
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
    // A card that an older client does not know is not forgotten.
    const feedDecoratorStatus = {
      ...(stored['feedDecoratorStatus'] as JsonObject),
      ...sent.feedDecoratorStatus,
    } as Json
    return {
      ...stored,
      ...(isAdmin(caller) ? { appRole, dashboardRole } : {}),
      ...(caller.id === stored['id'] ? { feedDecoratorStatus } : {}),
      updatedAt: isoDate(now),
    }
  }
}

function isDate(value: Json): boolean {
  return typeof value === 'string' && parseIsoDate(value) !== undefined
}
