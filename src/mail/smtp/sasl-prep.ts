/**
 * SASLprep (RFC 4013): one form for user names and passwords that look the same, before SCRAM digests them.
 *
 * Spaces become U+0020, invisible signs vanish, the rest is brought to NFKC, and signs that have no place in a password
 * (controls, private use, surrogates) are refused. Characters that Unicode does not know yet are let through, as RFC
 * 3454 section 7 allows a client. The rule on mixed directions is left out: it could only refuse a password that its
 * owner was able to set.
 */
import { SaslError } from './sasl-exchange.ts'

/** RFC 3454 tables C.1.2 and B.1. */
const OTHER_SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g
const MAPPED_TO_NOTHING = /[\u00ad\u034f\u1806\u180b-\u180d\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]/g

/** RFC 3454 tables C.2 to C.9. */
const PROHIBITED =
  /[\p{Cc}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}\u0340\u0341\u06dd\u070f\u180e\u200e\u200f\u2028-\u202e\u2061-\u2063\u206a-\u206f\u2ff0-\u2ffb\ufff9-\ufffd\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}]/u

/** Prepares a text. Throws a SaslError that names `what` where it cannot be used, or nothing is left of it. */
export function saslPrepared(text: string, what: 'user' | 'password'): string {
  const prepared = text.replace(OTHER_SPACES, ' ').replace(MAPPED_TO_NOTHING, '').normalize('NFKC')
  if (PROHIBITED.test(prepared)) throw new SaslError(`the ${what} has signs that SCRAM does not allow`)
  if (prepared === '') throw new SaslError(`the ${what} has no sign that SCRAM counts`)
  return prepared
}
