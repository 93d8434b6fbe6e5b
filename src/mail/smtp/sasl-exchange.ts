/** What every SASL mechanism looks like from outside. Texts are UTF-8 here, and base64 only on the wire. */

export interface SaslExchange {
  /** What the client says first; undefined where the server does. */
  readonly initial: string | undefined
  /** The response to a challenge. Rejects with a SaslError where the server breaks the rules of the mechanism. */
  respond(challenge: string): Promise<string>
  /** Whether the server has proven what the mechanism asks it to prove; without that its "welcome" is worth nothing. */
  readonly isServerProven: boolean
}

/** The login cannot go on. The message is a clause about the server or the settings, without any secret. */
export class SaslError extends Error {
  override readonly name = 'SaslError'
}
