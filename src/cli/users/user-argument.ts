/** Operands and flags that name a user, an e-mail address, a role or a language. */
import type { Services } from '../../app/services.ts'
import { readEmail } from '../../auth/accounts.ts'
import { fail, Failure } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import { didYouMean } from '../../base/nearest.ts'
import { ProblemFailure } from '../../base/problem.ts'
import { INVITATION_LANGUAGES } from '../../mail/templates/invitation-mail.ts'
import { user } from '../../models/user.ts'
import { UsageError, type Arguments, type Operand } from '../command.ts'
import { singleLine } from '../print-table.ts'

export const USER_OPERAND: readonly Operand[] = [{ name: 'USER', meaning: 'the e-mail address or the id of a user' }]

interface FoundUser {
  readonly id: string
  readonly value: JsonObject
}

/** The user that the first operand names by e-mail address or id. Throws notFound. */
export async function findUser({ store }: Services, { operands }: Arguments): Promise<FoundUser> {
  const [given = ''] = operands
  if (given.includes('@')) {
    const value = store.accounts.userByEmail(emailOrStandIn(given))
    if (value !== undefined) return { id: String(value['id']), value }
  } else {
    const text = store.documents.get(user, given)
    if (text !== undefined) return { id: given, value: parseJson(text) as JsonObject }
  }
  throw userNotFound(given)
}

/** The normalised address. A guest can be named by its stand-in address, which is none for mail. */
export function emailOrStandIn(given: string): string {
  try {
    return readEmail(given)
  } catch (error) {
    if (error instanceof Failure) return given.trim().toLowerCase()
    throw error
  }
}

export function userNotFound(given: string): Failure {
  return fail('notFound', `There is no user "${singleLine(given)}": see "dateline user list"`)
}

/** One of the roles, or undefined where none is given. Throws UsageError. */
export function readRole<const R extends string>(given: string | undefined, roles: readonly R[]): R | undefined {
  return readOneOf('role', given, roles)
}

/** One of the languages in which an invitation is written, or undefined where none is given. Throws UsageError. */
export function readLanguage(given: string | undefined): (typeof INVITATION_LANGUAGES)[number] | undefined {
  return readOneOf('language', given, INVITATION_LANGUAGES)
}

function readOneOf<const T extends string>(what: string, given: string | undefined, known: readonly T[]): T | undefined {
  if (given === undefined) return undefined
  const found = known.find((one) => one === given)
  if (found !== undefined) return found
  throw new UsageError(`Unknown ${what} "${given}"${didYouMean(given, known) || `: expected one of ${known.join(', ')}`}`)
}

/** The normalised address of a flag. Throws UsageError, with `missing` where the flag is not given. */
export function requireEmail({ options }: Arguments, missing: string, flag = '--email'): string {
  const given = options.get(flag)
  if (given === undefined) throw new UsageError(missing)
  try {
    return readEmail(given)
  } catch (error) {
    throw error instanceof ProblemFailure ? new UsageError(`Cannot use ${flag} "${singleLine(given)}": ${error.problem.message}`) : error
  }
}
