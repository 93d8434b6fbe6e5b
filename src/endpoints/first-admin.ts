/** The first administrator, by the address that the service printed at its start. */
import { readEmail } from '../auth/accounts.ts'
import { visitorOf } from '../auth/sessions.ts'
import { fail } from '../base/failure.ts'
import type { Exchange } from '../http/exchange.ts'
import { firstAdminBody, signedIn } from '../models/responses.ts'
import { endpointOn, SHORT_BODY } from './endpoint.ts'
import type { Service } from './service-parts.ts'

const HAS_ADMINISTRATOR =
  'This set-up address no longer works, because there is an administrator: sign in, or ask an administrator to add you'
const FOUND = {
  expired: 'This set-up address is older than an hour',
  wrong: 'This is not the set-up address that the service printed last',
} as const
const REMEDY =
  'restart the service in a terminal or with --print-setup for a new one, or run "dateline admin --email ADDRESS --code" and sign in with the code'

const endpoint = endpointOn<Service>('Accounts')

export const FIRST_ADMIN = [
  endpoint({
    route: 'POST /api/v1/auth/setup',
    id: 'setUpFirstAdmin',
    access: 'visitor',
    summary: 'Become the first administrator, with the token of the address that the service printed',
    description:
      'The token is valid for an hour, until it is used, and while there is no administrator. It is checked before the e-mail ' +
      'address, so that a request without one tells whether it is valid.',
    body: firstAdminBody,
    bodyLimit: SHORT_BODY,
    response: signedIn,
    errors: ['invalidInput', 'unauthorized', 'forbidden'],
    client: 'auth.setup',
  }).handle(async (service, exchange) => {
    const { auth: { accounts, setupToken }, now } = service
    const { token, email: given } = await exchange.readJson()
    const visitor = visitorOf(exchange)
    const found = setupToken.check(token, now())
    if (found !== 'valid') return refuseSetup(service, exchange, found)
    const email = readEmail(given)
    const client = exchange.headers['user-agent'] ?? ''
    const result = await accounts.signInFirstAdmin({ visitor, email, client, now: now() })
    setupToken.end()
    return result
  }),
]

/** Records that a token was refused, and throws unauthorized with what to do. */
export async function refuseSetup({ auth: { accounts, refusedSignIns } }: Service, exchange: Exchange, found: keyof typeof FOUND): Promise<never> {
  await refusedSignIns.record(visitorOf(exchange), 'setup token')
  throw fail('unauthorized', accounts.hasAdministrator() ? HAS_ADMINISTRATOR : `${FOUND[found]}: ${REMEDY}`)
}
