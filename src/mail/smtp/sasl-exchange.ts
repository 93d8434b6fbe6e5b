/** The interface of every SASL mechanism (RFC 4422). Texts are UTF-8 here, and base64 only on the wire. */

export interface Credentials {
  readonly user: string
  /** The password, or for XOAUTH2 the access token. */
  readonly secret: string
}

export interface SaslExchange {
  /** The initial response; undefined where the server speaks first. */
  readonly initial: string | undefined
  /** The response to a challenge. Rejects with a SaslError where the server breaks the rules of the mechanism. */
  respond(challenge: string): Promise<string>
  /** Whether the server has proven what the mechanism asks it to prove; without that its "welcome" does not count. */
  readonly isServerProven: boolean
}

/** The login cannot go on. The message is a clause about the server or the settings, without any secret. */
export class SaslError extends Error {
  override readonly name = 'SaslError'
}
