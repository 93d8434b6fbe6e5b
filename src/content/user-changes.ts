/**
 * What a request may change of a user. The body is the whole user, but only parts of it take effect: the own feed
 * cards for everybody, roles for administrators. Everything else must have the right type and is ignored.
 */
import { isoDate, parseIsoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { user, type User } from '../models/user.ts'
import { validateDocument } from './validate.ts'

export interface InvitedUser {
  readonly email: string
  readonly appRole: User['appRole']
  readonly dashboardRole: User['dashboardRole']
}
/**
 * Creates a user with settings and preferences. Throws invalidInput for a malformed address, conflict for a taken one.
 */
export type Invite = (invited: InvitedUser & { readonly now: number }) => Promise<JsonObject>

const NOT_GENERATED = { id: '', createdAt: '', updatedAt: '' }

/**
 * The user that an administrator adds: an address, and roles where they are given. Cards of the feed may be sent along,
 * as the dashboard does with a whole user; they begin anew. Throws invalidInput.
 */
export function readInvitation(body: JsonObject): InvitedUser {
  const whole = validateDocument(user, { feedDecoratorStatus: {}, ...body }, { generated: NOT_GENERATED })
  const { appRole, dashboardRole, email } = whole as unknown as User
  return { email, appRole, dashboardRole }
}

export interface UserChange {
  readonly own: boolean
  readonly admin: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Checks the body now; the result changes the stored user. Throws invalidInput. */
export function changeUser(body: JsonObject, { own, admin, now }: UserChange): (stored: JsonObject) => JsonObject {
  for (const name of ['id', 'updatedAt']) requireType(body, name, 'a string', (value) => typeof value === 'string')
  requireType(body, 'createdAt', 'an ISO 8601 date', isDate)
  const sent = validateDocument(user, body, { generated: NOT_GENERATED, stored: {} }) as unknown as User
  return (stored) => {
    const { appRole, dashboardRole } = sent
    // A card that an older client does not know is not forgotten.
    const feedDecoratorStatus = {
      ...(stored['feedDecoratorStatus'] as JsonObject),
      ...sent.feedDecoratorStatus,
    } as Json
    return {
      ...stored,
      ...(admin ? { appRole, dashboardRole } : {}),
      ...(own ? { feedDecoratorStatus } : {}),
      updatedAt: isoDate(now),
    }
  }
}

/** What the server generates may be left out, but must not be of another type. */
function requireType(body: JsonObject, name: string, wanted: string, is: (value: Json) => boolean): void {
  const value = body[name]
  if (value === undefined || is(value)) return
  throw fail('invalidInput', `${name}: expected ${wanted}, found ${describe(value)}`)
}

function isDate(value: Json): boolean {
  return typeof value === 'string' && parseIsoDate(value) !== undefined
}
