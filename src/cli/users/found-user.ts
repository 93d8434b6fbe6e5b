/** Whom a command is about: operands and flags that name a user or a role. */
import type { Services } from '../../app/services.ts'
import { readEmail } from '../../auth/accounts.ts'
import { fail, Failure } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { didYouMean } from '../../base/nearest.ts'
import { user } from '../../models/user.ts'
import { UsageError, type Arguments, type Operand } from '../command.ts'
import { singleLine } from '../print-table.ts'

export const WHO: readonly Operand[] = [{ name: 'USER', meaning: 'the e-mail address or the id of a user' }]

interface FoundUser {
  readonly id: string
  readonly value: JsonObject
}

/** The user that the first operand names by address or id. Throws notFound. */
export async function findUser({ store }: Services, { operands }: Arguments): Promise<FoundUser> {
  const [who = ''] = operands
  if (who.includes('@')) {
    const value = await store.userByEmail(emailOf(who))
    if (value !== undefined) return { id: String(value['id']), value }
  } else {
    const text = await store.get(user, who)
    if (text !== undefined) return { id: who, value: parseJson(text) as JsonObject }
  }
  throw nobody(who)
}

/** Guests can be named by their stand-in addresses here. */
export function emailOf(given: string): string {
  try {
    return readEmail(given)
  } catch (error) {
    if (error instanceof Failure) return given.trim().toLowerCase()
    throw error
  }
}

export function nobody(who: string): Failure {
  return fail('notFound', `There is no user "${singleLine(who)}": see "dateline user list"`)
}

/** One of the roles, or undefined where none is given. Throws UsageError. */
export function readRole<const R extends string>(given: string | undefined, roles: readonly R[]): R | undefined {
  if (given === undefined) return undefined
  const role = roles.find((one) => one === given)
  if (role !== undefined) return role
  throw new UsageError(`Unknown role "${given}"${didYouMean(given, roles) || `: expected one of ${roles.join(', ')}`}`)
}

/** The normalised address of a flag. Throws UsageError, with `wanted` where it is missing. */
export function requireAddress({ options }: Arguments, wanted: string, flag = '--email'): string {
  const given = options.get(flag)
  if (given === undefined) throw new UsageError(wanted)
  try {
    return readEmail(given)
  } catch (error) {
    if (error instanceof Failure) throw new UsageError(error.message)
    throw error
  }
}
