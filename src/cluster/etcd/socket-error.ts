/** Errors of sockets and TLS as a clause, with the setting that is probably wrong. */
import { errorCode } from '../../base/system-error.ts'

const REFUSES_OURS = 'it does not accept the certificate of --cluster-cert'
/** Go's servers say the same where a client shows no certificate, and where it shows one that they do not accept. */
const WANTS_ANOTHER =
  'it wants a certificate of its clients: set --cluster-cert and --cluster-key to one of the authority in its --trusted-ca-file, for clients as well'

/**
 * OpenSSL's and Node's codes of a failed verification (https://nodejs.org/api/tls.html#x509-certificate-error-codes). Those
 * of alerts have the names that OpenSSL gives the reasons, some of which 3.2 has changed.
 */
const ADVICE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: name it with --cluster-ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an authority that is not trusted: name that with --cluster-ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is of an authority that is not trusted: name that with --cluster-ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate is of an authority that is not trusted: name that with --cluster-ca',
  CERT_SIGNATURE_FAILURE: 'its certificate is not signed by the authority of --cluster-ca',
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: compare the clocks',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for other names than this URL: name it in --cluster as its certificate does',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'it wants a certificate of its clients: set --cluster-cert and --cluster-key',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: WANTS_ANOTHER,
  'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE': WANTS_ANOTHER,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: `${REFUSES_OURS}: its authority is not the one in --trusted-ca-file`,
  ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR: `${REFUSES_OURS}: its authority is not the one in --trusted-ca-file`,
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: write http:// in --cluster, or give etcd a certificate',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS: write http:// in --cluster, or give etcd a certificate',
  ENOTFOUND: 'its name is unknown',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'it reset the connection: compare http:// or https:// in --cluster with what it speaks',
  ERR_HTTP2_ERROR: 'it does not speak HTTP/2: write https:// in --cluster where etcd has a certificate',
}

const CHARS_MAX = 200

/** The clause for an error of OpenSSL; undefined for any other. */
export function describeTlsError(error: Error): string | undefined {
  return errorCode(error).startsWith('ERR_SSL_') ? describeSocketError(error) : undefined
}

/** `it refused the connection (ECONNREFUSED)`. A host with several addresses fails with one error for each of them. */
export function describeSocketError(error: Error): string {
  const first = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error
  const code = errorCode(first)
  const advice = ADVICE[code]
  if (advice !== undefined) return `${advice} (${code})`
  return `the connection failed (${first.message.slice(0, CHARS_MAX) || code || 'an unknown error'})`
}
