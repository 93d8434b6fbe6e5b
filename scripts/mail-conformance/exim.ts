/** Exim in a jail. One daemon listens on several ports and reads the mode from `$received_port`. */
import { join } from 'node:path'
import type { Certificates } from './certificates.ts'
import type { DebianTree } from './debian-tree.ts'
import type { Jail } from './jail.ts'
import { freePorts } from './ports.ts'
import type { Account, Receiver } from './receiver.ts'

export const EXIM_TREE: DebianTree = { name: 'exim', suite: 'bookworm', packages: ['exim4-daemon-light'] }

const SERVICES = ['plain', 'login', 'cramMd5', 'all', 'implicitTls', 'open'] as const

export type EximService = (typeof SERVICES)[number]

export interface Exim extends Receiver {
  readonly ports: Readonly<Record<EximService, number>>
  /** Whether it was built with support for international addresses. */
  readonly hasUtf8: boolean
  log(): string
}

/** Starts it in a jail with its packages. */
export async function startExim(
  jail: Jail,
  { account, certificates }: { readonly account: Account; readonly certificates: Certificates },
): Promise<Exim> {
  const numbers = await freePorts(SERVICES.length)
  const ports = Object.fromEntries(SERVICES.map((name, i) => [name, numbers[i] ?? 0])) as Record<EximService, number>
  // It cannot return to root (deliver_drop_privilege), so it owns what it writes to.
  for (const path of ['/var/spool/exim4', '/var/log/exim4', '/var/mail/inbox', '/var/lib/exim4']) {
    jail.directory(path, 0o750, 'Debian-exim')
  }
  jail.write('/etc/exim4/certificate.pem', certificates.certificate)
  jail.write('/etc/exim4/key.pem', certificates.key, 0o600, 'Debian-exim')
  const features = jail.run(['/usr/sbin/exim4', '-C', '/dev/null', '-bV'])
  const hasUtf8 = /\bI18N\b/.test(features)
  jail.write('/etc/exim4/exim4.conf', eximConf({ account, ports, hasUtf8 }), 0o640)
  jail.start(['/usr/sbin/exim4', '-bdf', '-q1h'])
  for (const port of numbers) await jail.listening(port)
  const log = (): string => jail.read('/var/log/exim4/mainlog')
  return {
    name: 'Exim',
    version: /version (\S+)/.exec(features)?.[1] ?? 'unknown',
    folder: join(jail.root, 'var/mail/inbox/new'),
    ports,
    hasUtf8,
    log,
    logs: () => `${log()}\n${jail.printed()}`,
  }
}

interface EximSettings {
  readonly account: Account
  readonly ports: Readonly<Record<EximService, number>>
  readonly hasUtf8: boolean
}

function eximConf({ account: { user, password }, ports, hasUtf8 }: EximSettings): string {
  // ${if or{ {eq{$received_port}{46289}} {eq{$received_port}{33105}} … }}
  const only = (service: EximService): string => {
    const services = [service, 'all', 'implicitTls'] as const
    const conditions = services.map((name) => `{eq{$received_port}{${ports[name]}}}`)
    return `server_advertise_condition = \${if or{${conditions.join('')}}}`
  }
  return `primary_hostname = mail.example.test
local_interfaces = <; ${SERVICES.map((service) => `[127.0.0.1]:${ports[service]}`).join(' ; ')}
tls_on_connect_ports = ${ports.implicitTls}
spool_directory = /var/spool/exim4
log_file_path = /var/log/exim4/%slog
log_selector = +smtp_connection +received_recipients +tls_cipher +pipelining
pid_file_path = /var/spool/exim4/exim.pid
tls_advertise_hosts = *
tls_certificate = /etc/exim4/certificate.pem
tls_privatekey = /etc/exim4/key.pem
auth_advertise_hosts = \${if and{{def:tls_in_cipher}{!eq{$received_port}{${ports.open}}}}{*}{}}
chunking_advertise_hosts = *
pipelining_connect_advertise_hosts = *
prdr_enable = true
accept_8bitmime = true
${hasUtf8 ? 'smtputf8_advertise_hosts = *' : ''}
host_lookup =
rfc1413_query_timeout = 0s
smtp_enforce_sync = true
deliver_drop_privilege = true
keep_environment =
acl_smtp_rcpt = check_rcpt

begin acl
check_rcpt:
  accept condition = \${if eq{$received_port}{${ports.open}}}
  deny message = encryption required
       !encrypted = *
  accept authenticated = *
  deny message = authentication required

begin routers
inbox:
  driver = accept
  transport = inbox

begin transports
inbox:
  driver = appendfile
  directory = /var/mail/inbox
  maildir_format = true
  create_directory = true
  user = Debian-exim
  group = Debian-exim
  return_path_add = true
  envelope_to_add = true

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${user}}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
  ${only('plain')}
login:
  driver = plaintext
  public_name = LOGIN
  server_prompts = Username:: : Password::
  server_condition = \${if and{{eq{$auth1}{${user}}}{eq{$auth2}{${password}}}}}
  server_set_id = $auth1
  ${only('login')}
cram_md5:
  driver = cram_md5
  public_name = CRAM-MD5
  server_secret = \${if eq{$auth1}{${user}}{${password}}fail}
  server_set_id = $auth1
  ${only('cramMd5')}
`
}
