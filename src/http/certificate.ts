/**
 * The certificate of the server's TLS: read from two PEM files and checked before it is used.
 *
 * An error is one sentence: at start the operator reads it, at a reload it goes to the log and the certificate before
 * stays in use.
 */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { isoDate } from '../base/dates.ts'
import { readRegularFile } from '../base/regular-file.ts'
import { systemReason } from '../base/system-error.ts'

/** A chain of certificates has a few kilobytes. */
const FILE_BYTES_MAX = 1024 * 1024
/** RFC 9325 section 3.1.1: nothing older than TLS 1.2. */
export const TLS_VERSION_MIN = 'TLSv1.2'

export interface CertificateFiles {
  /** The server's certificate, followed by the chain to an authority. */
  readonly certFile: string
  readonly keyFile: string
}

export interface Certificate {
  /** PEM texts. */
  readonly cert: string
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** A certificate or key that cannot be used; the message is one sentence for the operator. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError'
}

/** Reads and checks both files. Throws CertificateError. */
export function loadCertificate({ certFile, keyFile }: CertificateFiles, now: number): Certificate {
  const [cert, key] = [readPem(certFile, 'certificate'), readPem(keyFile, 'key')]
  const [leaf, ...issuers] = (cert.match(CERTIFICATE_BLOCK) ?? []).map((block) => readCertificate(block, certFile))
  if (leaf === undefined) {
    throw new CertificateError(`Cannot use the certificate in "${certFile}": expected PEM text, found none`)
  }
  const privateKey = readKey(key, keyFile)
  if (!leaf.checkPrivateKey(privateKey)) {
    const isBelow = issuers.some((issuer) => issuer.checkPrivateKey(privateKey))
    const what = isBelow ? 'it belongs to a certificate further down, which has to come first' : 'they are no pair'
    throw new CertificateError(`Cannot use the key in "${keyFile}" with the certificate in "${certFile}": ${what}`)
  }
  const [validFrom, expiresAt] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()]
  if (now >= expiresAt) {
    throw new CertificateError(`Cannot use the certificate in "${certFile}": it expired at ${isoDate(expiresAt)}`)
  }
  if (now < validFrom) {
    throw new CertificateError(`Cannot use the certificate in "${certFile}": it begins at ${isoDate(validFrom)}`)
  }
  try {
    // Loaded only where it is used: a service behind a proxy starts without it.
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key, minVersion: TLS_VERSION_MIN })
  } catch (error) {
    // Such as a key that is too short for OpenSSL.
    const reason = error instanceof Error ? error.message : String(error)
    throw new CertificateError(`Cannot use the certificate in "${certFile}": ${reason}`, { cause: error })
  }
  return { cert, key, expiresAt }
}

const CERTIFICATE_BLOCK = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^]*?-----END (?:TRUSTED )?CERTIFICATE-----/g

function readPem(file: string, what: string): string {
  try {
    return readRegularFile(file, FILE_BYTES_MAX).toString()
  } catch (error) {
    throw new CertificateError(`Cannot read the ${what} in "${file}": ${systemReason(error)}`, { cause: error })
  }
}

function readCertificate(block: string, file: string): X509Certificate {
  try {
    return new X509Certificate(block)
  } catch (error) {
    throw new CertificateError(`Cannot use the certificate in "${file}": it is damaged`, { cause: error })
  }
}

function readKey(text: string, file: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch (error) {
    const isLocked = /BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(text)
    const found = isLocked ? 'one that a passphrase protects' : 'none'
    // The error of OpenSSL is left out of the chain of causes: nothing about a key goes to a log.
    throw new CertificateError(`Cannot use the key in "${file}": expected a private key in PEM text, found ${found}`)
  }
}
