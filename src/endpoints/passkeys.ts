/** Passkeys: signing in with one, the own ones, and those of a user for administrators. */
import { PASSKEY_NAME_CHARS_MAX, requirePasskeyUser } from '../auth/passkeys/passkey-accounts.ts'
import { visitorOf } from '../auth/sessions.ts'
import { isoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import type { JsonObject } from '../base/json.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import { readShownName } from '../base/shown-name.ts'
import { requireAdministrator, requireSignIn } from '../content/rules/access.ts'
import { passkey, passkeyCreation, passkeyRequest, passkeys, passkeysRemoved, signedIn, type Passkey } from '../models/responses.ts'
import { anyCaller } from '../store/actor.ts'
import { endpointOn, type NamedSchema, SHORT_BODY } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { requireUser } from './user-sessions.ts'
import type { PasskeyRecord } from '../store/accounts/passkey-table.ts'

const bytes = (description: string): JsonSchema => ({ type: 'string', pattern: '^[A-Za-z0-9_-]+$', description })
const ID = bytes('`id` of the `PublicKeyCredential`')
const CLIENT_DATA = bytes('`clientDataJSON` of its response, base64url')

const SIGN_IN_BODY: NamedSchema = {
  kind: 'schema',
  name: 'SignInWithPasskey',
  schema: {
    type: 'object',
    properties: {
      id: ID,
      clientDataJSON: CLIENT_DATA,
      authenticatorData: bytes('`authenticatorData` of its response, base64url'),
      signature: bytes('`signature` of its response, base64url'),
      userHandle: bytes('`userHandle` of its response, base64url, where it has one'),
    },
    required: ['id', 'clientDataJSON', 'authenticatorData', 'signature'],
  },
}

const ADD_BODY: NamedSchema = {
  kind: 'schema',
  name: 'AddPasskey',
  schema: {
    type: 'object',
    properties: {
      code: { type: 'string', pattern: '^\\d{6}$', description: 'A fresh code, as for signing in', examples: ['123456'] },
      name: { type: 'string', minLength: 1, maxLength: PASSKEY_NAME_CHARS_MAX, description: 'What you know it by', examples: ['Laptop'] },
      clientDataJSON: CLIENT_DATA,
      attestationObject: bytes('`attestationObject` of its response, base64url'),
    },
    required: ['code', 'name', 'clientDataJSON', 'attestationObject'],
  },
}

const account = endpointOn<Service>('Accounts')
const administration = endpointOn<Service>('Administration')

export const PASSKEYS = [
  account({
    route: 'POST /api/v1/auth/passkeys/request',
    id: 'passkeyRequest',
    access: 'visitor',
    summary: 'Get what a browser needs to sign in with a passkey',
    description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON()`. The challenge works once, for five minutes.',
    response: passkeyRequest,
    client: 'auth.passkeyRequest',
  }).handle(({ auth: { passkeys: all }, now }) => all.requestOptions(now())),
  account({
    route: 'POST /api/v1/auth/passkeys/sign-in',
    id: 'signInWithPasskey',
    access: 'visitor',
    summary: 'Sign in with a passkey',
    description: 'For users with a role in the dashboard, at the page where the passkey was made.',
    body: SIGN_IN_BODY,
    bodyLimit: SHORT_BODY,
    response: signedIn,
    errors: ['invalidInput', 'unauthorized', 'forbidden'],
    client: 'auth.signInWithPasskey',
  }).handle(async ({ auth: { passkeys: all }, now }, exchange) => {
    const body = await exchange.readJson()
    return all.signIn({
      visitor: visitorOf(exchange),
      id: readText(body, 'id'),
      clientDataJson: readBytes(body, 'clientDataJSON'),
      authenticatorData: readBytes(body, 'authenticatorData'),
      signature: readBytes(body, 'signature'),
      userHandle: body['userHandle'] === undefined || body['userHandle'] === null ? '' : readText(body, 'userHandle'),
      client: exchange.headers['user-agent'] ?? '',
      now: now(),
    })
  }),
  account({
    route: 'POST /api/v1/auth/passkeys/creation',
    id: 'passkeyCreation',
    access: 'limitedUser',
    whoMay: 'Publishers and administrators',
    summary: 'Get what a browser needs to make a passkey for you',
    description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON()`. The challenge works once, for five minutes.',
    response: passkeyCreation,
    errors: ['forbidden'],
    client: 'auth.passkeyCreation',
  }).handle(({ auth: { passkeys: all, setup }, now }, _exchange, session) => {
    requirePasskeyUser(session.caller)
    return all.creationOptions(session, { siteName: setup().appName, now: now() })
  }),
  account({
    route: 'GET /api/v1/auth/passkeys',
    id: 'ownPasskeys',
    access: 'limitedUser',
    summary: 'List your passkeys, newest first',
    response: passkeys,
    client: 'auth.passkeys',
  }).handle(async ({ store }, _exchange, { caller }) => shown(store.accounts.passkeysOf(caller.id))),
  account({
    route: 'POST /api/v1/auth/passkeys',
    id: 'addPasskey',
    access: 'limitedUser',
    whoMay: 'Publishers and administrators',
    summary: 'Add a passkey, with a fresh code',
    description: 'The code is one of `POST /auth/request-code`: it proves again who adds the passkey. At most 20 for a user.',
    body: ADD_BODY,
    bodyLimit: SHORT_BODY,
    status: 201,
    response: passkey,
    errors: ['invalidInput', 'forbidden', 'conflict', 'tooManyRequests'],
    client: 'auth.addPasskey',
  }).handle(async ({ auth: { passkeys: all }, now }, exchange, session) => {
    requirePasskeyUser(session.caller)
    const body = await exchange.readJson()
    const added = await all.add({
      session,
      code: readText(body, 'code'),
      name: readShownName(body['name'], PASSKEY_NAME_CHARS_MAX),
      origin: exchange.headers.origin,
      clientDataJson: readBytes(body, 'clientDataJSON'),
      attestationObject: readBytes(body, 'attestationObject'),
      clientAddress: exchange.clientAddress,
      now: now(),
    })
    return shownPasskey(added)
  }),
  account({
    route: 'DELETE /api/v1/auth/passkeys/:passkey',
    id: 'removePasskey',
    access: 'limitedUser',
    summary: 'Remove one of your passkeys',
    errors: ['notFound'],
    client: 'auth.removePasskey',
  }).handle(async ({ store }, { params }, { caller, acting }) => {
    const id = params['passkey'] ?? ''
    if ((await store.as(acting(anyCaller)).removePasskeys(caller.id, id)) > 0) return
    throw fail('notFound', `You have no passkey ${describe(id)}`)
  }),
  administration({
    route: 'GET /api/v1/admin/users/:id/passkeys',
    id: 'passkeys',
    access: 'administrator',
    summary: 'List the passkeys of a user, newest first',
    response: passkeys,
    errors: ['notFound'],
    client: 'admin.passkeys',
  }).handle(async ({ store }, exchange) => shown(store.accounts.passkeysOf(requireUser(store, exchange)))),
  administration({
    route: 'DELETE /api/v1/admin/users/:id/passkeys',
    id: 'removePasskeys',
    access: 'administrator',
    summary: 'Remove all passkeys of a user',
    response: passkeysRemoved,
    errors: ['notFound'],
    client: 'admin.removePasskeys',
  }).handle(async ({ store }, exchange, { caller, acting }) => {
    requireSignIn(caller)
    const id = requireUser(store, exchange)
    return { removed: await store.as(acting(requireAdministrator)).removePasskeys(id) }
  }),
]

function shown(records: readonly PasskeyRecord[]): { readonly items: Passkey[] } {
  return { items: records.map(shownPasskey) }
}

/** As responses and the command show it: without its key. */
export function shownPasskey({ id, name, origin, isBackedUp, createdAt, usedAt }: PasskeyRecord): Passkey {
  const lastUsedAt = usedAt === undefined ? null : isoDate(usedAt)
  return { id, name, origin, backedUp: isBackedUp, createdAt: isoDate(createdAt), lastUsedAt }
}

function readText(body: JsonObject, member: string): string {
  const value = body[member]
  if (typeof value === 'string' && value !== '') return value
  throw fail('invalidInput', `${member}: expected a text, found ${describe(value)}`)
}

function readBytes(body: JsonObject, member: string): Buffer {
  const text = readText(body, member)
  if (/^[\w-]+$/.test(text)) return Buffer.from(text, 'base64url')
  throw fail('invalidInput', `${member}: expected base64url`)
}
