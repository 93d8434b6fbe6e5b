/** OpenSMTPD in a jail: STARTTLS and TLS from the first byte, each with a login, and a relay without. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Certificates } from './certificates.ts'
import type { DebianTree } from './debian-tree.ts'
import type { Jail } from './jail.ts'
import { freePorts } from './ports.ts'
import type { Account, Receiver } from './receiver.ts'

/** The OpenSMTPD 6.8 of Debian 12 cannot sign with OpenSSL 3, so no TLS handshake with it succeeds. */
export const OPENSMTPD_TREE: DebianTree = { name: 'opensmtpd', suite: 'trixie', packages: ['opensmtpd'] }

const SERVICES = ['starttls', 'implicitTls', 'open'] as const

export type OpenSmtpdService = (typeof SERVICES)[number]

export interface OpenSmtpd extends Receiver {
  readonly ports: Readonly<Record<OpenSmtpdService, number>>
  log(): string
}

/** Starts it in a jail with its package. */
export async function startOpenSmtpd(
  jail: Jail,
  { account, certificates }: { readonly account: Account; readonly certificates: Certificates },
): Promise<OpenSmtpd> {
  const numbers = await freePorts(SERVICES.length)
  const ports = Object.fromEntries(SERVICES.map((name, i) => [name, numbers[i] ?? 0])) as Record<
    OpenSmtpdService,
    number
  >
  const hash = execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: account.password, encoding: 'utf8' }).trim()
  jail.write('/etc/smtpd/logins', `${account.user} ${hash}\n`, 0o640, 'opensmtpd')
  jail.write('/etc/smtpd/certificate.pem', certificates.certificate)
  jail.write('/etc/smtpd/key.pem', certificates.key, 0o600)
  jail.write('/etc/ssl/certs/ca-certificates.crt', certificates.ca)
  jail.write('/etc/smtpd.conf', smtpdConf(ports), 0o600)
  jail.directory('/var/lib/opensmtpd/empty')
  jail.directory('/var/mail/inbox', 0o700, 'reader')
  jail.directory('/var/empty')
  jail.start(['/usr/sbin/smtpd', '-d'])
  for (const port of numbers) await jail.listening(port)
  return {
    name: 'OpenSMTPD',
    version: /OpenSMTPD (\d\S*)/.exec(jail.run(['/bin/sh', '-c', '/usr/sbin/smtpd -h 2>&1; true']))?.[1] ?? 'unknown',
    folder: join(jail.root, 'var/mail/inbox/new'),
    ports,
    log: () => jail.printed(),
    logs: () => jail.printed(),
  }
}

function smtpdConf(ports: Readonly<Record<OpenSmtpdService, number>>): string {
  return `pki mail cert "/etc/smtpd/certificate.pem"
pki mail key "/etc/smtpd/key.pem"
table logins file:/etc/smtpd/logins
table readers { "@" = "reader" }
listen on 127.0.0.1 port ${ports.starttls} tls-require pki mail auth <logins>
listen on 127.0.0.1 port ${ports.implicitTls} smtps pki mail auth <logins>
listen on 127.0.0.1 port ${ports.open}
action "inbox" maildir "/var/mail/inbox" virtual <readers>
match from any for any action "inbox"
`
}
