/**
 * In whose name the store is changed. `store.as(actor)` is the only way to write, so no write can leave it out.
 *
 * A request is admitted before its body is read, and a body may take half a minute to arrive. Meanwhile its token may be
 * signed out, and its user demoted or deleted. So a write of a request brings the claim of its token and a judge, and
 * both are consulted again inside the transaction that writes (authority.ts): a claim that no longer holds is 401, what
 * the judge throws about the roles of that moment is thrown, and nothing is written.
 *
 * To record who did what: an actor that came over the network has its `origin`, a caller has its `claim`. Every write
 * passes through `on()` in sqlite-store.ts, which has the actor and the transaction in one place.
 */
import type { Caller } from '../models/caller.ts'

/** What is remembered of a token that was ended before its time. */
export interface Token {
  readonly jti: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** What a token says of itself. */
export interface CallerClaim extends Token {
  readonly userId: string
  /** When it was issued, in seconds since the epoch. */
  readonly iat: number
}

/** Where a request came from. */
export interface Origin {
  readonly clientAddress: string
  readonly requestId: string
}

/** Throws where the roles of the caller, as they are at the moment of writing, do not allow the write. */
export type Judge = (caller: Caller) => void

/** A request with an access token. */
export interface CallerActor {
  readonly kind: 'caller'
  readonly claim: CallerClaim
  readonly judge: Judge
  readonly origin: Origin
}

/** A request without an access token, or with one that counts for nothing. It may ask for a code and sign in. */
export interface Visitor {
  readonly kind: 'visitor'
  readonly origin: Origin
}

/** A command on the machine of the service. */
interface Operator {
  readonly kind: 'operator'
}

/** The service itself: seeds, counters, the courier, housekeeping. No handler of a request uses it. */
interface System {
  readonly kind: 'system'
}

export type Actor = CallerActor | Operator | System

export const OPERATOR: Operator = { kind: 'operator' }
export const SYSTEM: System = { kind: 'system' }

/** Who sends a request. */
export interface Requester {
  /** With the roles of the moment in which the request was admitted. */
  readonly caller: Caller
  /** In whose name the request writes. The judge hears the roles of the moment of writing. */
  acting(judge: Judge): CallerActor
}

/** Admits every signed-in user to its own account: a token that holds is enough. */
export const anyCaller: Judge = () => {}
