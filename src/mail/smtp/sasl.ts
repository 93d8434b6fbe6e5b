/**
 * Logging in, as SASL (RFC 4422) describes it: one object per mechanism that turns the server's challenges into
 * responses. Pure but for the key derivation of SCRAM; how the texts travel is smtp-auth.ts, which of the mechanisms
 * may be used is smtp-policy.ts.
 *
 * CRAM-MD5 (RFC 2195), PLAIN (RFC 4616), LOGIN (never standardised; two prompts), XOAUTH2 (Google's and Microsoft's,
 * for access tokens). SCRAM-SHA-256 has its own file.
 */
import { createHmac } from 'node:crypto'
import { assertNever } from '../../base/failure.ts'
import { SaslError, type SaslExchange } from './sasl-exchange.ts'
import { scramSha256 } from './scram.ts'
import type { AuthMechanism } from './smtp-policy.ts'

export interface Credentials {
  readonly user: string
  /** The password, or for XOAUTH2 the access token. */
  readonly secret: string
}

/** Begins to log in. `nonce` gives a fresh text of printable ASCII without commas (RFC 5802 section 7). */
export function saslExchange(mechanism: AuthMechanism, credentials: Credentials, nonce: () => string): SaslExchange {
  switch (mechanism) {
    case 'SCRAM-SHA-256':
      return scramSha256({ ...credentials, nonce: nonce() })
    case 'CRAM-MD5':
      return responses(undefined, [(challenge) => cramMd5(credentials, challenge)])
    case 'PLAIN':
      return responses(`\0${credentials.user}\0${credentials.secret}`, [])
    case 'LOGIN':
      return responses(undefined, [() => credentials.user, () => credentials.secret])
    case 'XOAUTH2':
      // After a token that it does not take, the server sends a challenge with its reasons; an empty response ends it.
      return responses(`user=${credentials.user}\x01auth=Bearer ${credentials.secret}\x01\x01`, [() => ''])
    default:
      return assertNever(mechanism)
  }
}

/** `user 9e95aee09c40af2b84a0c2b3bbae786e`: the keyed digest of the challenge. */
function cramMd5({ user, secret }: Credentials, challenge: string): string {
  return `${user} ${createHmac('md5', secret).update(challenge).digest('hex')}`
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
