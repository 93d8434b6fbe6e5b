/** Signing in where no mail arrives: by a proxy that has identified the user, or with a code that an administrator makes. */
import { readEmail } from '../auth/accounts.ts'
import { signInFirst } from '../store/writes/actor-transactions.ts'
import { visitorOf } from '../auth/sessions.ts'
import { isoDate } from '../base/dates.ts'
import { MINUTE_MS } from '../base/duration.ts'
import { fail } from '../base/failure.ts'
import { requireAdministrator, requireSignIn } from '../content/rules/access.ts'
import type { Exchange } from '../http/exchange.ts'
import { isStandIn } from '../models/guest.ts'
import { personCode, signedIn } from '../models/responses.ts'
import { user, type User } from '../models/user.ts'
import { endpointOn } from './endpoint.ts'
import type { Service } from './service-parts.ts'

const account = endpointOn<Service>('Accounts')
const administration = endpointOn<Service>('Administration')

export const TRUSTED_SIGN_IN = [
  account({
    route: 'POST /api/v1/auth/proxy',
    id: 'signInByProxy',
    access: 'visitor',
    summary: 'Sign in as the user that the proxy names',
    description:
      'Where the service has `--auth-header`: the header names the e-mail address, and counts only on a connection from a ' +
      'trusted proxy, and for no page of another site. An account is made where there is none; roles are those that are ' +
      'stored. 403 without that setting.',
    response: signedIn,
    errors: ['unauthorized', 'forbidden'],
    client: 'auth.proxy',
  }).handle(async ({ auth: { accounts, authHeader, refusedSignIns }, now }, exchange) => {
    if (authHeader === undefined) throw fail('forbidden', 'No proxy signs users in here: see --auth-header')
    // What the proxy knows a user by, such as its cookie, the browser also sends for a page of another site.
    if (exchange.headers['sec-fetch-site'] === 'cross-site') throw fail('forbidden', 'Cannot sign in by the proxy for a page of another site')
    const visitor = visitorOf(exchange)
    if (!exchange.isFromProxy && exchange.headers[authHeader] !== undefined) {
      await refusedSignIns.recordUntrusted(visitor, authHeader)
    }
    const email = emailOfProxy(exchange, authHeader)
    const client = exchange.headers['user-agent'] ?? ''
    return accounts.signInByProxy({ visitor, email, client, now: now() })
  }),
  administration({
    route: 'POST /api/v1/admin/users/:id/code',
    id: 'makeCode',
    access: 'administrator',
    summary: 'Make a sign-in code for a user, to be given by hand',
    description: 'For where no mail arrives. It works once, with `POST /auth/verify-code`. Guests have no address to sign in with.',
    status: 201,
    response: personCode,
    errors: ['notFound', 'conflict'],
    client: 'admin.makeCode',
  }).handle(async ({ auth: { codes, codeMinutes }, store, now }, { params }, { caller, acting }) => {
    requireSignIn(caller)
    const text = store.documents.get(user, params['id'] ?? '')
    if (text === undefined) throw fail('notFound', 'There is no such user')
    const { email } = JSON.parse(text) as User
    if (isStandIn(email)) throw fail('conflict', 'This user has no e-mail address to sign in with')
    const at = now()
    const code = await codes.revealFor(email, acting(requireAdministrator), at)
    return { email, code, expiresAt: isoDate(at + codeMinutes * MINUTE_MS) }
  }),
]

/** Throws unauthorized where the header is missing, is no e-mail address, or did not come from a proxy. */
function emailOfProxy({ headers, isFromProxy }: Pick<Exchange, 'headers' | 'isFromProxy'>, name: string): string {
  if (!isFromProxy) throw signInFirst('the header of a proxy from elsewhere')
  try {
    return readEmail(headers[name])
  } catch (error) {
    throw signInFirst(error instanceof Error ? `the header of the proxy: ${error.message}` : 'the header of the proxy')
  }
}
