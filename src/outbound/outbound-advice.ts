/** Errors of sockets, TLS and the parser of HTTP as one sentence that says what was found and what helps. */
import { certificateAdvice } from '../base/certificate-advice.ts'
import { errorCode, mostSpecificError } from '../base/system-error.ts'
import { OutboundError, type OutboundErrorKind } from './outbound-error.ts'

const CERTIFICATE_REMEDIES = { caFlag: '--outbound-ca', otherName: 'use that name in the address' }
const FOUND_CHARS_MAX = 100

/** The sentence for an error of node:dns or node:net. */
export function describeNetworkError(error: unknown, host: string): string {
  const name = JSON.stringify(host)
  const code = codeOf(error)
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return `DNS has no entry for ${name}: check the address`
    case 'EAI_AGAIN':
    case 'ESERVFAIL':
    case 'ETIMEOUT':
      return `No DNS server answers for ${name}: check DNS and the network of this machine`
    case 'ECONNREFUSED':
      return `${name} refused the connection: check the port in the address, and that the server is running`
    case 'ETIMEDOUT':
      return `${name} does not answer: check the address, and firewalls in between`
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return `There is no route from this machine to ${name}: check its network`
    case 'EACCES':
    case 'EPERM':
      return `This machine forbids connections to ${name}: check its firewall, and the permissions of the service`
    case 'ECONNRESET':
    case 'EPIPE':
      return `${name} reset the connection: the service retries by itself`
    default:
      return `The connection to ${name} failed (${code === '' ? 'an unknown error' : code}): the service retries by itself`
  }
}

/** The error of a TLS handshake, with the issuer of the certificate where one was rejected. */
export function tlsError(error: unknown, host: string, issuer?: string): OutboundError {
  const advice = certificateAdvice(error, issuer, CERTIFICATE_REMEDIES)
  if (advice !== undefined) return new OutboundError('tls', `${JSON.stringify(host)}: ${advice}`, error)
  const code = codeOf(error)
  if (/^(?:ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_UNKNOWN_PROTOCOL)$/.test(code)) {
    return new OutboundError('tls', `${JSON.stringify(host)} does not speak TLS on this port: use http:// if it is meant to be unencrypted`, error)
  }
  if (!/^(?:ERR_SSL_|EPROTO)/.test(code)) return new OutboundError('connect', describeNetworkError(error, host), error)
  return new OutboundError('tls', `The TLS handshake with ${JSON.stringify(host)} failed (${code}): it may support only versions that are too old`, error)
}

/** An error while the response is read. */
export function responseError(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error
  const code = codeOf(error)
  const name = JSON.stringify(host)
  const [kind, text] = ((): readonly [OutboundErrorKind, string] => {
    if (code === 'HPE_HEADER_OVERFLOW') return ['too-large', `The headers of ${name} are too large: its administrator has to shorten them`]
    if (code === 'HPE_INVALID_CONSTANT') return ['protocol', `What ${name} sent is not HTTP: check the port in the address`]
    if (code.startsWith('HPE_')) {
      const reason = (error as Error).message.replace(/^Parse Error:? ?/, '').replace(/\p{C}/gu, '?').slice(0, FOUND_CHARS_MAX)
      return ['protocol', `What ${name} sent is not valid HTTP (${reason}): its administrator has to correct it`]
    }
    return ['connect', describeNetworkError(error, host)]
  })()
  return new OutboundError(kind, text, error)
}

function codeOf(error: unknown): string {
  return errorCode(error instanceof Error ? mostSpecificError(error) : error)
}
