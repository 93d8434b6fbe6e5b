/** Making tokens of the API: reading what one may do, and the token itself, which is shown once and never stored. */
import { isoDate } from '../base/dates.ts'
import { DAY_MS } from '../base/duration.ts'
import { describe, fail } from '../base/failure.ts'
import { isNumber } from '../base/json.ts'
import type { NewId } from '../base/ids.ts'
import { readShownName } from '../base/shown-name.ts'
import { TOKEN_METHODS, TOKEN_SCOPES, type TokenLimits } from '../models/caller.ts'
import { MODELS } from '../models/registry.ts'
import { DASHBOARD_ROLES } from '../models/user.ts'
import type { ApiTokenRecord } from '../store/accounts/api-token-table.ts'
import { hashOfApiToken, newApiToken } from './api-token-text.ts'
import type { Writer } from '../store/writes/writer.ts'

export const TOKEN_NAME_CHARS_MAX = 100
export const TOKEN_DAYS_DEFAULT = 90
export const TOKEN_DAYS_MAX = 3_650
export const TOKEN_MODELS: readonly string[] = MODELS.map(({ name }) => name)

/** What a client sends or an operator types, unread. */
export interface TokenRequest {
  readonly name: unknown
  readonly role: unknown
  readonly models: unknown
  readonly methods: unknown
  readonly scopes: unknown
  readonly days: unknown
}

export interface TokenWish extends Pick<ApiTokenRecord, 'name' | 'limits'> {
  readonly lifetimeMs: number
}

/** Throws invalidInput. What is left out is the least: no role, and ninety days; models and methods are not narrowed. */
export function readTokenRequest({ name, role, models, methods, scopes, days }: TokenRequest): TokenWish {
  const text = readShownName(name, TOKEN_NAME_CHARS_MAX)
  const limits = readLimits({ role, models, methods, scopes })
  const count = isNumber(days ?? TOKEN_DAYS_DEFAULT) ? Number(days ?? TOKEN_DAYS_DEFAULT) : Number.NaN
  if (!(Number.isInteger(count) && count >= 1 && count <= TOKEN_DAYS_MAX)) {
    throw fail('invalidInput', `days: expected a whole number from 1 to ${TOKEN_DAYS_MAX}, found ${describe(days)}`)
  }
  return { name: text, limits, lifetimeMs: count * DAY_MS }
}

function readLimits({ role, models, methods, scopes }: Pick<TokenRequest, 'role' | 'models' | 'methods' | 'scopes'>): TokenLimits {
  const known = readOne('role', role ?? 'none', DASHBOARD_ROLES)
  const narrowed = { models: readSome('models', models, TOKEN_MODELS), methods: readSome('methods', methods, TOKEN_METHODS) }
  const only = readSome('scopes', scopes, TOKEN_SCOPES)
  if (only === null) return { role: known, ...narrowed }
  if (known === 'none' && narrowed.models === null && narrowed.methods === null) return { role: known, models: [], methods: [], scopes: only }
  throw fail('invalidInput', 'scopes: expected none with role, models or methods: a token with scopes reaches nothing else')
}

function readOne<const V extends string>(member: string, given: unknown, values: readonly V[]): V {
  const value = values.find((one) => one === given)
  if (value !== undefined) return value
  throw fail('invalidInput', `${member}: expected one of ${values.join(', ')}, found ${describe(given)}`)
}

/** Null where the member is left out or null: no limit. */
function readSome<const V extends string>(member: string, given: unknown, values: readonly V[]): readonly V[] | null {
  if (given === undefined || given === null) return null
  if (!Array.isArray(given) || given.length === 0) {
    throw fail('invalidInput', `${member}: expected a list with at least one of ${values.join(', ')}, found ${describe(given)}`)
  }
  const found = new Set(given.map((one) => readOne(member, one, values)))
  return values.filter((value) => found.has(value))
}

interface NewToken {
  readonly userId: string
  readonly wish: TokenWish
  readonly now: number
  readonly newId: NewId
}

/** Stores a token of a user and returns its text, which nothing can tell again. Throws notFound and conflict. */
export async function makeApiToken(writer: Pick<Writer, 'addApiToken'>, { userId, wish, now, newId }: NewToken) {
  const { lifetimeMs, ...rest } = wish
  const token = newApiToken()
  const record: ApiTokenRecord = { id: newId(), userId, ...rest, createdAt: now, expiresAt: now + lifetimeMs, usedAt: undefined }
  const outcome = await writer.addApiToken(hashOfApiToken(token), record)
  if (outcome === 'missing') throw fail('notFound', 'There is no such user')
  if (outcome === 'full') throw fail('conflict', 'Cannot make a token: there are a thousand already: revoke those that are not used')
  return { record, token }
}

/** A token as lists show it. */
export function shownToken({ id, userId, name, limits, createdAt, expiresAt, usedAt }: ApiTokenRecord) {
  const { role, models, methods, scopes }: TokenLimits = limits
  const listed = <V>(values: readonly V[] | null | undefined): V[] | null => (values === null || values === undefined ? null : [...values])
  const dates = { createdAt: isoDate(createdAt), expiresAt: isoDate(expiresAt), usedAt: usedAt === undefined ? null : isoDate(usedAt) }
  return { id, name, user: userId, role, models: listed(models), methods: listed(methods), scopes: listed(scopes), ...dates }
}
