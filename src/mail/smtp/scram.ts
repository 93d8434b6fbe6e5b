/**
 * SCRAM-SHA-256 (RFC 5802, RFC 7677), the client's side, without channel binding.
 *
 * The password never travels, and the server has to prove that it knows the password's verifier. It could ask for so
 * few iterations that the proof can be searched, or so many that computing them is the attack; both are rejected.
 *
 *     C: n,,n=user,r=rOprNGfwEbeRWgbNEkqO
 *     S: r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096
 *     C: c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=
 *     S: v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=
 */
import { createHash, createHmac, pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type Credentials, SaslError, type SaslExchange } from './sasl-exchange.ts'

/** RFC 7677 section 4 asks for at least 4096. The most takes a core about a third of a second. */
const ITERATIONS_MIN = 4_096
const ITERATIONS_MAX = 600_000
const KEY_BYTES = 32
const SALT_CHARS_MAX = 256
const NONCE_CHARS_MAX = 256

/** `n,,` says that we support no channel binding; the server gets it back as `c=biws`. */
const GS2_HEADER = 'n,,'

/** `nonce` is printable ASCII without commas, fresh for each login. Throws a SaslError for what SASLprep prohibits. */
export function scramSha256({ user, secret }: Credentials, nonce: string): SaslExchange {
  const name = saslPrepared(user, 'user').replaceAll('=', '=3D').replaceAll(',', '=2C')
  const password = saslPrepared(secret, 'password')
  const clientFirst = `n=${name},r=${nonce}`
  let signature: Buffer | undefined
  let isServerProven = false

  const answerFirst = async (serverFirst: string): Promise<string> => {
    const { combined, salt, iterations } = parseServerFirst(serverFirst, nonce)
    const salted = await derive(password, salt, iterations, KEY_BYTES, 'sha256')
    const clientKey = hmac(salted, 'Client Key')
    const withoutProof = `c=${Buffer.from(GS2_HEADER).toString('base64')},r=${combined}`
    const authMessage = `${clientFirst},${serverFirst},${withoutProof}`
    const clientSignature = hmac(createHash('sha256').update(clientKey).digest(), authMessage)
    const proof = clientKey.map((byte, at) => byte ^ (clientSignature[at] ?? 0))
    signature = hmac(hmac(salted, 'Server Key'), authMessage)
    return `${withoutProof},p=${Buffer.from(proof).toString('base64')}`
  }
  const verifyFinal = (serverFinal: string, expected: Buffer): string => {
    const given = /^v=([A-Za-z0-9+/]{43}=)(?:,|$)/.exec(serverFinal)?.[1]
    if (given === undefined || !timingSafeEqual(Buffer.from(given, 'base64'), expected)) {
      throw new SaslError('the server did not prove that it knows the password')
    }
    isServerProven = true
    return ''
  }

  return {
    initial: `${GS2_HEADER}${clientFirst}`,
    get isServerProven() {
      return isServerProven
    },
    async respond(challenge) {
      if (isServerProven) throw new SaslError('the server asks for more than the mechanism has')
      return signature === undefined ? answerFirst(challenge) : verifyFinal(challenge, signature)
    },
  }
}

const derive = promisify(pbkdf2)

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** `r=…,s=…,i=…`, perhaps with extensions behind; an extension in front (`m=…`) would be one we had to know. */
const SERVER_FIRST = /^r=([\x21-\x2b\x2d-\x7e]+),s=([A-Za-z0-9+/]+={0,2}),i=([1-9]\d{0,8})(?:,[^\0]*)?$/

/** `combined` is our nonce with the server's behind it. */
function parseServerFirst(text: string, nonce: string): { combined: string; salt: Buffer; iterations: number } {
  const [, combined = '', salt = '', count = ''] = SERVER_FIRST.exec(text) ?? []
  const iterations = Number(count)
  if (salt === '' || salt.length > SALT_CHARS_MAX) throw new SaslError('the server sent no SCRAM challenge')
  if (!combined.startsWith(nonce) || combined.length === nonce.length || combined.length > NONCE_CHARS_MAX) {
    throw new SaslError('the server answers another SCRAM login than this one')
  }
  if (iterations < ITERATIONS_MIN || iterations > ITERATIONS_MAX) {
    const range = `${ITERATIONS_MIN} to ${ITERATIONS_MAX}`
    throw new SaslError(`expected ${range} SCRAM iterations, the server wants ${iterations}`)
  }
  return { combined, salt: Buffer.from(salt, 'base64'), iterations }
}

/** RFC 3454 tables C.1.2 and B.1. */
const OTHER_SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g
const MAPPED_TO_NOTHING = /[\u00ad\u034f\u1806\u180b-\u180d\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]/g

/** RFC 3454 tables C.2 to C.9. */
const PROHIBITED =
  /[\p{Cc}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}\u0340\u0341\u06dd\u070f\u180e\u200e\u200f\u2028-\u202e\u2061-\u2063\u206a-\u206f\u2ff0-\u2ffb\ufff9-\ufffd\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}]/u

/**
 * SASLprep (RFC 4013): one form for user names and passwords that look the same. Code points that Unicode does not know
 * yet are allowed (RFC 3454 section 7). The rule on mixed directions could only reject a password that its owner set.
 */
export function saslPrepared(text: string, what: 'user' | 'password'): string {
  const prepared = text.replace(OTHER_SPACES, ' ').replace(MAPPED_TO_NOTHING, '').normalize('NFKC')
  if (PROHIBITED.test(prepared)) throw new SaslError(`the ${what} has characters that SCRAM prohibits`)
  if (prepared === '') throw new SaslError(`the ${what} is empty after SASLprep`)
  return prepared
}
