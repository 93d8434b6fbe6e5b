/**
 * The SASL mechanisms, each as an object that turns the server's challenges into responses: CRAM-MD5 (RFC 2195), PLAIN
 * (RFC 4616), LOGIN (never standardised; two prompts), XOAUTH2 (Google's and Microsoft's), SCRAM-SHA-256 (scram.ts).
 */
import { createHmac } from 'node:crypto'
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
    case 'CRAM-MD5':
      // `user 9e95aee09c40af2b84a0c2b3bbae786e`
      return responses(undefined, [
        (challenge) => `${user} ${createHmac('md5', secret).update(challenge).digest('hex')}`,
      ])
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
function responses(initial: string | undefined, steps: ReadonlyArray<(challenge: string) => string>): SaslExchange {
  let at = 0
  return {
    initial,
    isServerProven: true,
    async respond(challenge) {
      const step = steps[at++]
      if (step === undefined) throw new SaslError('the server asks for more than the mechanism has')
      return step(challenge)
    },
  }
}
