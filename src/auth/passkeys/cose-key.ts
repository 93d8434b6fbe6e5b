/** Public keys of passkeys: COSE_Key (RFC 9052 section 7, RFC 9053 section 2.1, RFC 8230) of ES256 and RS256. */
import { createPublicKey, verify, type webcrypto } from 'node:crypto'
import { readWholeCbor, type CborMap, type CborValue } from './cbor.ts'

/** Algorithms (IANA COSE Algorithms), those that a browser asks for where a page names none (WebAuthn section 5.1.3). */
const ES256 = -7
const RS256 = -257

/** Labels of a COSE_Key. Those of RSA are negative too, with another meaning (RFC 8230 section 4). */
const KTY = 1
const ALG = 3
const CRV = -1
const X = -2
const Y = -3
const RSA_N = -1
const RSA_E = -2

const EC2 = 2
const RSA = 3
const P_256 = 1
const COORDINATE_BYTES = 32
/** Of a modulus: 2,048 to 4,096 bits. */
const RSA_BYTES = { min: 256, max: 512 }
const RSA_EXPONENT_BYTES_MAX = 4

export interface PublicKey {
  /** Whether a signature over the data was made with the private key. */
  verifies(data: Uint8Array, signature: Uint8Array): boolean
}

/** Throws CborError or Error, whose message says what is wrong with the key. */
export function readPublicKey(cose: Uint8Array): PublicKey {
  const map = readWholeCbor(cose)
  if (!(map instanceof Map)) throw new Error('A public key is a map')
  const key = createPublicKey({ key: jwkOf(map as CborMap), format: 'jwk' })
  // ECDSA signatures of WebAuthn are in DER (section 6.5.5), which is the default of node:crypto.
  return { verifies: (data, signature) => verify('sha256', data, key, signature) }
}

function jwkOf(map: CborMap): webcrypto.JsonWebKey {
  const [kty, alg, crv] = [map.get(KTY), map.get(ALG), map.get(CRV)]
  if (kty === EC2 && alg === ES256 && crv === P_256) {
    return { kty: 'EC', crv: 'P-256', x: coordinate(map.get(X)), y: coordinate(map.get(Y)) }
  }
  if (kty === RSA && alg === RS256) {
    return { kty: 'RSA', n: number(map.get(RSA_N), RSA_BYTES.min, RSA_BYTES.max), e: number(map.get(RSA_E), 1, RSA_EXPONENT_BYTES_MAX) }
  }
  throw new Error(`A public key of type ${String(kty)} with the algorithm ${String(alg)} was not asked for: wanted ES256 or RS256`)
}

const coordinate = (value: CborValue | undefined): string => number(value, COORDINATE_BYTES, COORDINATE_BYTES)

function number(value: CborValue | undefined, min: number, max: number): string {
  if (!(value instanceof Uint8Array) || value.length < min || value.length > max) {
    throw new Error(`A number of a public key has ${min} to ${max} bytes`)
  }
  return Buffer.from(value).toString('base64url')
}
