/** What an operator can do about the certificate of a server that was rejected. */
import { errorCode } from './system-error.ts'

/** A certificate may have hundreds of names. */
const NAMES_CHARS_MAX = 200

/** The parts of the advice that depend on what connects. */
export interface CertificateRemedies {
  /** The setting that names the file of an authority. */
  readonly caFlag: string
  /** What to do about a certificate for another name. */
  readonly otherName: string
}

/** OpenSSL's and Node's codes for a certificate whose issuer is unknown. */
const ISSUER_UNKNOWN = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

/**
 * One sentence without a full stop, by the `code` of an error of OpenSSL or Node, with the issuer as
 * `certificateProblem` gives it. Undefined where the error is about something else.
 */
export function certificateAdvice(cause: unknown, issuer = 'unknown', remedies: CertificateRemedies): string | undefined {
  const name = errorCode(cause)
  const by = JSON.stringify(issuer)
  if (ISSUER_UNKNOWN.includes(name)) {
    return `The server's certificate was issued by ${by}, which this machine does not trust: set ${remedies.caFlag} to the certificate of that authority`
  }
  if (name === 'DEPTH_ZERO_SELF_SIGNED_CERT') {
    return `The server's certificate is self-signed, ${by}: set ${remedies.caFlag} to it if it is the right one`
  }
  if (name === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    // For an IP address the message has that in place of the names of the certificate.
    const names = /.*altnames: (?!IP: )(.*)$/s.exec(cause instanceof Error ? cause.message : '')?.[1]
    const found =
      names === undefined
        ? 'another name'
        : JSON.stringify(names.replaceAll('DNS:', '').replace(/\p{C}/gu, '?').slice(0, NAMES_CHARS_MAX))
    return `The server's certificate is for ${found}: ${remedies.otherName}`
  }
  if (name === 'CERT_HAS_EXPIRED') {
    return `The server's certificate, issued by ${by}, or that of its authority has expired: renew it, and check the clock of this machine`
  }
  if (name === 'CERT_NOT_YET_VALID') return "The server's certificate is not valid yet: check the clock of this machine"
  return /^(?:CERT_|CRL_|INVALID_|HOSTNAME_|PATH_LENGTH_|UNABLE_TO_|ERROR_IN_CERT)/.test(name)
    ? `The server's certificate, issued by ${by}, was rejected (${name}): have it reissued`
    : undefined
}
