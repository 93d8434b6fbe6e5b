/**
 * The private key of DKIM signatures: RSA (RFC 6376) or Ed25519 (RFC 8463). RFC 8301 allows RSA of 1024 bits, which can
 * be broken today, and requires verifiers to support up to 4096.
 */
import { createHash, createPrivateKey, sign, type KeyObject } from 'node:crypto'

const RSA_BITS_MIN = 2048
const RSA_BITS_MAX = 4096

/** A key or a name that cannot be used; the message is one sentence for the operator. */
export class DkimError extends Error {
  override readonly name = 'DkimError'
}

/** Parses a private key in PEM. `algorithm` is the tag `a=`; `sign` gives base64. Throws a DkimError. */
export function parseDkimKey(pem: string): { readonly algorithm: string; readonly sign: (data: string) => string } {
  const key = privateKey(pem)
  switch (key.asymmetricKeyType) {
    case 'rsa': {
      const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
      if (bits < RSA_BITS_MIN || bits > RSA_BITS_MAX) throw unusable(`an RSA key of ${bits} bits`)
      return { algorithm: 'rsa-sha256', sign: (data) => sign('sha256', Buffer.from(data), key).toString('base64') }
    }
    case 'ed25519':
      return {
        algorithm: 'ed25519-sha256',
        // RFC 8463 section 3: the hash is signed, and Ed25519 hashes it once more.
        sign: (data) => sign(null, createHash('sha256').update(data).digest(), key).toString('base64'),
      }
    default:
      throw unusable(`a key of the type ${key.asymmetricKeyType ?? 'unknown'}`)
  }
}

function privateKey(pem: string): KeyObject {
  const labels = Array.from(pem.matchAll(/^-----BEGIN ([A-Z0-9 ]{1,40})-----/gm), ([, label = '']) => label)
  if (/^Proc-Type: 4,ENCRYPTED/m.test(pem) || labels.includes('ENCRYPTED PRIVATE KEY')) {
    throw unusable('a key with a passphrase')
  }
  if (!labels.some((label) => label.endsWith('PRIVATE KEY'))) {
    throw unusable(labels.length === 0 ? 'no PEM at all' : `PEM of a ${labels[0]?.toLowerCase() ?? ''}`)
  }
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw unusable('PEM that cannot be read', cause)
  }
}

function unusable(found: string, cause?: unknown): DkimError {
  const expected = `a private key in PEM, RSA of ${RSA_BITS_MIN} to ${RSA_BITS_MAX} bits or Ed25519`
  return new DkimError(`Cannot sign mail with the DKIM key: expected ${expected}, found ${found}`, { cause })
}
