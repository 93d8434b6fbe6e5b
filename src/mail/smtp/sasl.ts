/**
 * The SASL mechanisms, each as an object that turns the server's challenges into responses: PLAIN (RFC 4616), LOGIN (never
 * standardised; two prompts), XOAUTH2 (Google's and Microsoft's), SCRAM-SHA-256 (scram.ts).
 */
import { assertNever } from '../../base/failure.ts'
import { type Credentials, SaslError, type SaslExchange } from './sasl-exchange.ts'
import { scramSha256 } from './scram.ts'
import type { AuthMechanism } from './smtp-policy.ts'

/** Starts a login. `nonce` gives a fresh text of printable ASCII without commas (RFC 5802 section 7). */
export function saslExchange(mechanism: AuthMechanism, credentials: Credentials, nonce: () => string): SaslExchange {
  const { user, secret } = credentials
  switch (mechanism) {
    case 'SCRAM-SHA-256':
      return scramSha256(credentials, nonce())
    case 'PLAIN':
      return responses(`\0${user}\0${secret}`, [])
    case 'LOGIN':
      return responses(undefined, [() => user, () => secret])
    case 'XOAUTH2':
      // A server that rejects the token sends a challenge with its reasons; an empty response ends the exchange.
      return responses(`user=${user}\x01auth=Bearer ${secret}\x01\x01`, [() => ''])
    default:
      return assertNever(mechanism)
  }
}

/** An exchange whose server proves nothing, with one function for each challenge. */
function responses(initial: string | undefined, steps: ReadonlyArray<() => string>): SaslExchange {
  let at = 0
  return {
    initial,
    isServerProven: true,
    async respond() {
      const step = steps[at++]
      if (step === undefined) throw new SaslError('the server asks for more than the mechanism has')
      return step()
    },
  }
}
