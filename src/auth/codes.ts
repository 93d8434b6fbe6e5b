/**
 * Sign-in codes: issuing and consuming. A code is stored as an HMAC under a server secret, because a plain hash of six
 * digits hides nothing, and waits in the outbox encrypted: a copy of the database without the secrets file reveals no
 * code. Every failure has the same response; the reason goes to the log.
 */
import { randomInt } from 'node:crypto'
import { fail, type Failure } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import { limitKey, networkKey } from '../http/client-address.ts'
import { OPERATOR, type CallerActor, type Visitor } from '../store/actor.ts'
import { mac, type Keys } from './keys.ts'
import type { Limits } from './limits.ts'
import { sealMessage } from './sealed-message.ts'
import type { CodeClaim, CodeFailure } from '../store/accounts/code-table.ts'
import type { Writable, VisitorWriter } from '../store/writes/writer.ts'

const CODE_DIGITS = 6
const CODE = /^\d{6}$/
const PURPOSE = 'sign-in'
/** When the outbox is full: long enough for a mail server to recover and take a good part of it. */
const FULL_RETRY_SECONDS = 60

interface CodesOptions {
  readonly store: Writable
  readonly limits: Limits
  readonly keys: Keys
  readonly newId: NewId
  readonly settings: {
    readonly lifetimeMs: number
    /** Wrong tries of one client address after which a code is void for it. */
    readonly attemptsMax: number
  }
}

/** A code is void for all clients after this many times the wrong tries of one. */
const CLIENTS_OF_TRIES = 3

export interface Recipient {
  readonly email: string
  /** Language tags for the message, most preferred first. */
  readonly languages: readonly string[]
}

interface MailedCode {
  readonly recipient: Recipient
  readonly visitor: Visitor
}

export type Codes = ReturnType<typeof createCodes>

export function createCodes({ store, limits, keys, newId, settings }: CodesOptions) {
  const attempts = { perClient: settings.attemptsMax, inAll: settings.attemptsMax * CLIENTS_OF_TRIES }

  /** Without a recipient, no mail is sent. */
  async function issue(email: string, writer: VisitorWriter, now: number, mailed?: MailedCode): Promise<string> {
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')
    const message =
      mailed === undefined ? undefined : { id: newId(), sealed: sealMessage(keys.seal, { ...mailed.recipient, code }) }
    const expiresAt = now + settings.lifetimeMs
    const codeMac = mac(keys.code, PURPOSE, email, code)
    const forget = mailed === undefined ? limits.wrongCodesOf(email) : undefined
    const requester = mailed && limits.clientKey(limitKey(mailed.visitor.origin.clientAddress))
    const outcome = await writer.issueCode({ email, mac: codeMac, now, expiresAt, message, requester, forget })
    if (outcome === 'full') throw outboxFull()
    return code
  }

  return {
    /** Replaces the code that this client requested before, and adds the message to the outbox. Throws networkError where that is full. */
    async send(recipient: Recipient, visitor: Visitor, now: number): Promise<void> {
      await issue(recipient.email, store.as(visitor), now, { recipient, visitor })
    },
    /** Makes a new code in the same way for the operator; no mail is sent. */
    reveal: (email: string, now: number): Promise<string> => issue(email, store.as(OPERATOR), now),
    /** The same for a user, in the name of an administrator. */
    revealFor: (email: string, administrator: CallerActor, now: number): Promise<string> => issue(email, store.as(administrator), now),
    /** What the store needs to consume a code at a sign-in. Throws invalidInput for a text that is no code. */
    claim({ email, code, clientAddress, now }: {
      readonly email: string
      readonly code: string
      readonly clientAddress: string
      readonly now: number
    }): CodeClaim {
      if (!CODE.test(code)) throw fail('invalidInput', 'code: expected six digits')
      const { client, rates } = limits.wrongCodes({ email, client: limitKey(clientAddress), network: networkKey(clientAddress) })
      return { email, mac: mac(keys.code, PURPOSE, email, code), client, now, attempts, rates }
    },
    /** The failure for a code that was not accepted: the same invalidInput for every reason, or tooManyRequests. */
    failureOf: (failure: CodeFailure): Failure =>
      failure.kind === 'limited' ? limits.tooManyWrongCodes(failure) : wrongCode(failure.reason),
  }
}

function wrongCode(reason: string): Failure {
  return fail('invalidInput', 'The code is wrong or has expired: request a new one', { cause: reason })
}

function outboxFull(): Failure {
  return fail('networkError', 'No code can be sent now, too many messages wait for the mail server: try again later', {
    headers: { 'Retry-After': String(FULL_RETRY_SECONDS) },
  })
}
