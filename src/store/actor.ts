/**
 * The actors that change the store. `store.as(actor)` is the only way to write, so every write has its actor.
 *
 * A request is admitted before its body is read, and a body may take half a minute to arrive. Meanwhile its token may be
 * signed out, and its user demoted or deleted. So a write of a request carries the claim of its token and `authorize`, and
 * both are checked again inside the transaction that writes (actor-transactions.ts): a claim that is no longer valid is 401, what
 * `authorize` throws about the roles of that moment is thrown, and nothing is written.
 *
 * For the audit trail, an actor from the network has its `origin`, and a caller its `claim`.
 */
import type { Caller, TokenLimits } from '../models/caller.ts'

/** A token that was revoked before it expired. */
export interface Token {
  readonly jti: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The claims of a token. */
export interface CallerClaim extends Token {
  readonly userId: string
  /** When it was issued, in seconds since the epoch. */
  readonly iat: number
  /** Of a token of the API, whose id is in `jti`; undefined for a sign-in. */
  readonly apiToken?: TokenLimits
}

/** The source of a request. */
export interface Origin {
  readonly clientAddress: string
  readonly requestId: string
}

/** Throws where the roles of the caller, as they are at the moment of writing, do not allow the write. */
export type Authorize = (caller: Caller) => void

/** A request with an access token. */
export interface CallerActor {
  readonly kind: 'caller'
  readonly claim: CallerClaim
  readonly authorize: Authorize
  readonly origin: Origin
}

/** A request without a valid access token. It may request a code and sign in. */
export interface Visitor {
  readonly kind: 'visitor'
  readonly origin: Origin
}

/** A command on the machine of the service. */
interface Operator {
  readonly kind: 'operator'
}

/** The service itself: seeds, counters, the courier, housekeeping. No request handler uses it. */
interface System {
  readonly kind: 'system'
}

/** A feed whose items become headlines. */
interface FeedActor {
  readonly kind: 'feed'
  readonly id: string
}

export type Actor = CallerActor | Operator | System | FeedActor

export const OPERATOR: Operator = { kind: 'operator' }
export const SYSTEM: System = { kind: 'system' }

/** What the audit trail and the change log call those who are no users. */
export const ACTOR_NAMES = { visitor: 'stranger', operator: 'operator', system: 'service', feed: 'feed' } as const

/** The id of a user, or `operator`, `service`, `stranger` or `feed`. Ids of users are none of these. */
export function actorName(actor: Actor | Visitor): string {
  return actor.kind === 'caller' ? actor.claim.userId : ACTOR_NAMES[actor.kind]
}

/** The sender of a request. */
export interface Requester {
  /** With the roles of the moment in which the request was admitted. */
  readonly caller: Caller
  /** The actor of the request's writes. `authorize` gets the roles at the moment of writing. */
  acting(authorize: Authorize): CallerActor
}

/** Admits every signed-in user to its own account: a valid token is enough. */
export const anyCaller: Authorize = () => {}
