/** A server's certificate as text: who it is for, who issued it, and why it was rejected: OpenSSL does not say. */
import { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls'

/** The names in a certificate are text of its issuer. */
const NAME_CHARS_MAX = 200

/** Why the certificate was rejected for `name`; undefined where it was accepted. `cause` has OpenSSL's or Node's `code`. */
export function certificateProblem(
  socket: TLSSocket,
  name: string,
): { problem: string; issuer: string; cause: NodeJS.ErrnoException } | undefined {
  if (socket.authorized) return undefined
  const certificate = socket.getPeerCertificate()
  // Typed as an Error, and the code of one.
  const code = String(socket.authorizationError)
  const issuer = nameText(certificate.issuer)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = shown((certificate.subjectaltname ?? '').replaceAll('DNS:', '')) || nameText(certificate.subject)
    const problem = `the certificate is not for "${name}" but for ${JSON.stringify(names)}`
    return { problem, issuer, cause: withCode(checkServerIdentity(name, certificate)?.message ?? problem, code) }
  }
  const problem = `the certificate was not accepted (${code}), its issuer is ${JSON.stringify(issuer)}`
  return { problem, issuer, cause: withCode(problem, code) }
}

/** `TLSv1.3, TLS_AES_256_GCM_SHA384; certificate of "CN=mx.example", issued by …, valid from … to …`. */
export function describeTls(socket: TLSSocket): string {
  const { subject, issuer, valid_from: from, valid_to: to }: Partial<PeerCertificate> = socket.getPeerCertificate()
  const cipher = `${socket.getProtocol()}, ${socket.getCipher().standardName}`
  const names = `${JSON.stringify(nameText(subject))}, issued by ${JSON.stringify(nameText(issuer))}`
  return `${cipher}; certificate of ${names}, valid from ${from} to ${to}`
}

/** `CN=Example CA, O=Example`, the common name first. */
function nameText(name: PeerCertificate['issuer'] | undefined): string {
  const parts = Object.entries(name ?? {}).sort(([a], [b]) => Number(b === 'CN') - Number(a === 'CN'))
  return shown(parts.map(([key, value]) => `${key}=${[value].flat().join('+')}`).join(', ')) || 'unknown'
}

function shown(text: string): string {
  const clean = text.replace(/\p{C}/gu, '?')
  return clean.length > NAME_CHARS_MAX ? `${clean.slice(0, NAME_CHARS_MAX)}…` : clean
}

function withCode(message: string, code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code })
}
