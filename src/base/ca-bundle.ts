/**
 * The certificates of a private authority (`--mail-ca`, `--outbound-ca`): one or several in PEM form (RFC 7468), trusted
 * beside Node's own. They are parsed at start, and each mistake has its own sentence: TLS would only report, with the
 * first connection, that it cannot verify the server.
 */
import { X509Certificate } from 'node:crypto'
import type { Clock } from './clock.ts'
import { isoDate } from './dates.ts'
import { cannotUse, type FileSetting, readSettingFile } from './setting-file.ts'

/** The bundle of a whole operating system has about 150 certificates in 250 kB. */
const BUNDLE_BYTES_MAX = 1_000_000
const NAME_CHARS_MAX = 200

/** Reads and checks the file of a setting; `certificates` has at least one, each in PEM. Throws a SettingError. */
export function readCaBundle(
  { flag, path }: Pick<FileSetting, 'flag' | 'path'>,
  now: Clock,
): { readonly certificates: readonly string[]; readonly warnings: readonly string[] } {
  const setting = { flag, path, expected: 'a file of PEM certificates', bytesMax: BUNDLE_BYTES_MAX }
  const bytes = readSettingFile(setting)
  const pems = bytes.toString('latin1').match(PEM_CERTIFICATE) ?? []
  if (pems.length === 0) throw cannotUse(setting, `expected ${setting.expected}, found ${withoutCertificate(bytes)}`)
  const parsed = pems.map((pem, at) => {
    try {
      return { pem, certificate: new X509Certificate(pem) }
    } catch {
      throw cannotUse(
        setting,
        `expected ${setting.expected}, found that number ${at + 1} of ${pems.length} cannot be read`,
      )
    }
  })
  const authorities = parsed.filter(({ certificate }) => isAuthority(certificate))
  const [first] = parsed
  if (authorities.length === 0 && first !== undefined) {
    const { subject, issuer } = first.certificate
    throw cannotUse(
      setting,
      `expected the certificate of an authority, found that of ${nameText(subject)}, which is not one; use that of its issuer ${nameText(issuer)}`,
    )
  }
  const outdated = authorities.filter(({ certificate }) => validityProblem(certificate, now()) !== undefined)
  const problems = outdated.map(
    ({ certificate }) => `${nameText(certificate.subject)} ${validityProblem(certificate, now())}`,
  )
  if (outdated.length === authorities.length) {
    throw cannotUse(setting, `expected a certificate that is valid now, found that ${problems.join(', ')}`)
  }
  return {
    certificates: parsed.map(({ pem }) => pem),
    warnings: problems.map((problem) => `${flag} has an invalid certificate: ${problem}`),
  }
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g

/** Whether it can verify others: an authority (RFC 5280 4.2.1.9), or self-signed from before that extension. */
function isAuthority(certificate: X509Certificate): boolean {
  return certificate.ca || certificate.subject === certificate.issuer
}

function validityProblem({ validFromDate, validToDate }: X509Certificate, nowMs: number): string | undefined {
  if (nowMs > validToDate.getTime()) return `expired on ${day(validToDate)}`
  return nowMs < validFromDate.getTime() ? `is valid only from ${day(validFromDate)}` : undefined
}

function day(date: Date): string {
  return isoDate(date.getTime()).slice(0, 10)
}

function withoutCertificate(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  if (text.trim() === '') return 'an empty file'
  const label = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(text)?.[1]
  if (label !== undefined) return label === 'CERTIFICATE' ? 'half a certificate' : `a ${label}`
  // ASN.1: a SEQUENCE with a length of two bytes.
  if (bytes[0] === 0x30 && bytes[1] === 0x82) return 'DER; convert it with openssl x509 -inform der'
  return 'none in it'
}

/** `CN=Example CA, O=Example` in quotes; with the control characters of its text replaced. */
function nameText(name: string): string {
  const line = name.replace(/\n/g, ', ').replace(/\p{C}/gu, '?')
  return JSON.stringify(line.length > NAME_CHARS_MAX ? `${line.slice(0, NAME_CHARS_MAX)}…` : line)
}
