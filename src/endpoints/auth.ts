/** Signing in and out. */
import { readEmail } from '../auth/accounts.ts'
import { visitorOf } from '../auth/sessions.ts'
import { describe, fail } from '../base/failure.ts'
import type { JsonObject } from '../base/json.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import { networkKey } from '../http/client-address.ts'
import { parseAcceptLanguage } from '../http/accept-language.ts'
import { ok } from '../http/exchange.ts'
import { anyCaller } from '../store/actor.ts'
import { signedIn } from '../models/responses.ts'
import type { User } from '../models/user.ts'
import { endpointOn, SHORT_BODY } from './endpoint.ts'
import { clientOf } from './listed-sessions.ts'
import type { Service } from './service-parts.ts'

const EMAIL: JsonSchema = { type: 'string', description: 'An e-mail address', examples: ['you@example.org'] }
const DASHBOARD_FLAG: JsonSchema = {
  type: 'boolean',
  description: 'Only for those who may open the dashboard',
}

const endpoint = endpointOn<Service>('Accounts')

export const AUTH = [
  endpoint({
    route: 'POST /api/v1/auth/request-code',
    id: 'requestCode',
    access: 'codeRequest',
    summary: 'Send a sign-in code by e-mail',
    description:
      'The response is the same whether or not the e-mail address has an account. With `isDashboardLogin` it must have ' +
      'one, with a role for the dashboard.',
    body: {
      kind: 'schema',
      name: 'RequestCode',
      schema: {
        type: 'object',
        properties: { email: EMAIL, isDashboardLogin: DASHBOARD_FLAG },
        required: ['email'],
      },
    },
    bodyLimit: SHORT_BODY,
    status: 202,
    errors: ['invalidInput', 'unauthorized'],
    client: 'auth.requestCode',
  }).handle(async ({ auth: { accounts, limits }, now, mail: { wakeCourier } }, exchange) => {
    const body = await exchange.readJson()
    const [email, dashboard] = [readEmail(body['email']), readDashboardFlag(body)]
    await limits.requestCodeFor(email, networkKey(exchange.clientAddress), now())
    const languages = parseAcceptLanguage(exchange.headers['accept-language'])
    await accounts.requestCode({ visitor: visitorOf(exchange), email, dashboard, languages, now: now() })
    wakeCourier()
  }),
  endpoint({
    route: 'POST /api/v1/auth/verify-code',
    id: 'verifyCode',
    access: 'public',
    token: 'optional',
    summary: 'Sign in with a code',
    description:
      'A guest who sends the token of the guest session becomes the account, or is merged into an existing one. A code ' +
      'is void for a client after five wrong tries, and after fifteen for all but the client that requested it. A client with too many wrong ' +
      'codes in an hour gets 429, even for a right one. Past the limit of an e-mail address, a code works for the client ' +
      'that requested it, and others get 429.',
    body: {
      kind: 'schema',
      name: 'VerifyCode',
      schema: {
        type: 'object',
        properties: {
          email: EMAIL,
          code: { type: 'string', pattern: '^\\d{6}$', description: 'From the mail', examples: ['123456'] },
          isDashboardLogin: DASHBOARD_FLAG,
        },
        required: ['email', 'code'],
      },
    },
    bodyLimit: SHORT_BODY,
    response: signedIn,
    errors: ['invalidInput', 'unauthorized', 'tooManyRequests'],
    client: 'auth.verifyCode',
  }).handle(async ({ auth: { accounts, sessions }, now }, exchange) => {
    const body = await exchange.readJson()
    const [email, code, dashboard] = [readEmail(body['email']), body['code'], readDashboardFlag(body)]
    if (typeof code !== 'string') throw fail('invalidInput', 'code: expected a string of six digits')
    const session = sessions.find(exchange, now())
    const [visitor, client] = [visitorOf(exchange), clientOf(exchange)]
    return accounts.verifyCode({ visitor, email, code, dashboard, client, session, now: now() })
  }),
  endpoint({
    route: 'POST /api/v1/auth/anonymous',
    id: 'signInAnonymously',
    access: 'guestSignIn',
    summary: 'Sign in as a guest',
    description: 'No body is needed; a JSON body must be an object.',
    body: 'empty',
    bodyLimit: SHORT_BODY,
    response: signedIn,
    errors: ['invalidInput'],
    client: 'auth.anonymous',
  }).handle(async ({ auth: { accounts }, now }, exchange) => {
    // A body that is not JSON is ignored; JSON has to be an object here as everywhere.
    if (/^application\/json\b/i.test(exchange.headers['content-type'] ?? ''))
      await exchange.readJson({ optional: true })
    const [visitor, client] = [visitorOf(exchange), clientOf(exchange)]
    return accounts.signInAnonymously({ visitor, client, now: now() })
  }),
  endpoint({
    route: 'GET /api/v1/auth/me',
    id: 'me',
    reach: 'documents',
    access: 'user',
    summary: 'Read the user of the token',
    response: { kind: 'text', schema: 'User' },
    client: 'auth.me',
  }).handle((_context, _exchange, { user }) => ok(user)),
  endpoint({
    route: 'POST /api/v1/auth/refresh-token',
    id: 'refreshToken',
    access: 'limitedUser',
    summary: 'Exchange the token for a new one of the same lifetime; the old one is no longer accepted',
    description: 'No body is needed. At most 120 times an hour.',
    response: signedIn,
    errors: ['forbidden'],
    client: 'auth.refreshToken',
  }).handle(async ({ auth: { sessions, limits }, now }, exchange, session) => {
    await limits.tokenRefresh(session.acting(anyCaller), now())
    const token = await sessions.refresh(session, { label: clientOf(exchange), now: now() })
    return { user: JSON.parse(session.user) as User, token }
  }),
  endpoint({
    route: 'POST /api/v1/auth/sign-out',
    id: 'signOut',
    access: 'user',
    summary: 'End the session; the token is no longer accepted',
    client: 'auth.signOut',
  }).handle(({ auth: { sessions }, now }, _exchange, session) => sessions.end(session, now())),
]

/** The clients send it always; older ones not at all. */
function readDashboardFlag(body: JsonObject): boolean {
  const flag = body['isDashboardLogin']
  if (flag === undefined || typeof flag === 'boolean') return flag ?? false
  throw fail('invalidInput', `isDashboardLogin: expected true or false, found ${describe(flag)}`)
}
