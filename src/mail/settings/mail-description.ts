/** How mail will be sent, in text for the operator, without passwords and without the arguments of a program. */
import { isIPv6 } from 'node:net'
import { assertNever } from '../../base/failure.ts'
import type { MailRoute, MailSettings } from './mail-settings.ts'
import type { SmtpSettings } from '../smtp/smtp.ts'
import type { TlsMode } from '../smtp/smtp-policy.ts'

/** One line for the route, one for the DKIM signature if there is one, and one for each warning. */
export function describeMail({ route, signing, warnings }: MailSettings): readonly string[] {
  const { selector, domain } = signing ?? {}
  const signature = signing === undefined ? [] : [`Mail is signed with DKIM: selector ${selector} of ${domain}`]
  return [describeRoute(route), ...signature, ...warnings.map((warning) => `Warning: ${warning}`)]
}

function describeRoute(route: MailRoute): string {
  switch (route.kind) {
    case 'console':
      return 'Mail is not set up: sign-in codes are printed to the service log. Set --mail to send them'
    case 'file':
      return `Sign-in codes: mail is written to files in ${JSON.stringify(route.directory)}`
    case 'exec':
      return `Sign-in codes: mail is given to the program ${JSON.stringify(route.command.program)}`
    case 'smtp':
      return `Sign-in codes: mail goes through ${describeServer(route.settings)}`
    default:
      return assertNever(route)
  }
}

function describeServer({ servers, tls, login, cleartextLogin }: SmtpSettings): string {
  const hosts = servers.map(({ host, port }) => `${isIPv6(host) ? `[${host}]` : host}:${port}`).join(', then ')
  return [`${hosts}, ${TLS_TEXTS[tls.mode]}`, ...describeCertificate(tls), describeLogin(login, cleartextLogin)].join('; ')
}

const TLS_TEXTS: Readonly<Record<TlsMode, string>> = {
  implicit: 'over TLS',
  starttls: 'over STARTTLS',
  'starttls-if-offered': 'over STARTTLS if offered, else unencrypted',
  none: 'unencrypted',
}

function describeCertificate({ mode, verify, ca, name }: SmtpSettings['tls']): readonly string[] {
  if (mode === 'none') return []
  if (!verify) return ['its certificate is not checked, because the server is on this machine']
  const by = ca === undefined ? '' : `, also by the ${ca.length === 1 ? 'authority' : 'authorities'} of --mail-ca`
  const as = name === undefined ? 'its own name' : JSON.stringify(name)
  return [`its certificate is checked for ${as}${by}`]
}

function describeLogin(login: SmtpSettings['login'], cleartextLogin: boolean): string {
  if (login === undefined) return 'without login'
  const secret = 'token' in login ? 'a token (XOAUTH2)' : 'a password'
  return `login as ${JSON.stringify(login.user)} with ${secret}${cleartextLogin ? ', also unencrypted' : ''}`
}
