/**
 * JSON Web Tokens (RFC 7519) with HS256 (RFC 7518 section 3.2) and nothing else: the header of a token is compared,
 * never obeyed (RFC 8725 section 3.1). A rejection has its reason for the log; callers treat all of them alike.
 */
import { createHmac } from 'node:crypto'
import { setNewest } from '../base/bounded-map.ts'
import { isObject, parseJson } from '../base/json.ts'
import { equalSecrets, type SigningKey } from './keys.ts'

const TOKEN_CHARS_MAX = 4096
const KNOWN_TOKENS_MAX = 10_000
/** How far the clocks of machines that share a secret may differ. */
const CLOCK_TOLERANCE_S = 5

export interface Claims {
  /** The user's id. */
  readonly sub: string
  /** Seconds since the epoch. */
  readonly iat: number
  readonly exp: number
  /** Before this time the token is not valid (RFC 7519 section 4.1.5). Tokens of this service have none. */
  readonly nbf?: number
  readonly iss: string
  readonly jti: string
}

export type TokenRejection = 'malformed' | 'algorithm' | 'key' | 'signature' | 'claims' | 'issuer' | 'expired' | 'early'

export function signToken(claims: Claims, { id, secret }: SigningKey): string {
  const header = encode({ alg: 'HS256', typ: 'JWT', kid: id })
  const { sub, iat, exp, iss, jti } = claims
  const content = `${header}.${encode({ sub, iat, exp, iss, jti })}`
  return `${content}.${signature(content, secret)}`
}

interface Trust {
  readonly keys: readonly SigningKey[]
  readonly issuer: string
}

/**
 * Returns a function from a token, and the time in milliseconds, to the claims of a valid token, or why it is not
 * valid. It remembers the latest tokens whose signature is valid; times are checked at each call.
 */
export function tokenVerifier(trust: Trust): (token: string, now: number) => Claims | TokenRejection {
  const known = new Map<string, Claims>()
  return (token, now) => {
    const claims = known.get(token) ?? readToken(token, trust)
    if (typeof claims === 'string') return claims
    if (!known.has(token)) setNewest(known, token, claims, KNOWN_TOKENS_MAX)
    const seconds = now / 1000
    if (seconds >= claims.exp) return 'expired'
    const isEarly = claims.iat > seconds + CLOCK_TOLERANCE_S || (claims.nbf ?? 0) > seconds
    return isEarly ? 'early' : claims
  }
}

/** The claims of a token with a valid signature, also of one that has expired. */
function readToken(token: string, { keys, issuer }: Trust): Claims | TokenRejection {
  if (token.length > TOKEN_CHARS_MAX) return 'malformed'
  const [header, payload, signed, ...rest] = token.split('.')
  if (header === undefined || payload === undefined || signed === undefined || rest.length > 0) return 'malformed'
  const head = decode(header)
  if (head === undefined) return 'malformed'
  if (head['alg'] !== 'HS256' || head['crit'] !== undefined) return 'algorithm'
  // A token without a key id is from a service that shares the secret; the first key has to fit.
  const key = head['kid'] === undefined ? keys[0] : keys.find(({ id }) => id === head['kid'])
  if (key === undefined) return 'key'
  const expected = Buffer.from(signature(`${header}.${payload}`, key.secret))
  if (!equalSecrets(expected, Buffer.from(signed))) return 'signature'
  const claims = decode(payload)
  if (claims === undefined || !isClaims(claims)) return 'claims'
  return claims.iss === issuer ? claims : 'issuer'
}

function isClaims(value: object): value is Claims {
  const { sub, iat, exp, nbf = 0, iss, jti } = value as Record<string, unknown>
  return [sub, iss, jti].every((text) => typeof text === 'string') && [iat, exp, nbf].every(Number.isFinite)
}

function signature(content: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(content).digest('base64url')
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
