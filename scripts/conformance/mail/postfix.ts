/** Postfix with Dovecot for its logins, in a jail: one smtpd with its own port for each mode, and one mailbox. */
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { freePorts } from '../../tools/free-ports.ts'
import type { Kit } from './kit.ts'
import type { Account, Receiver } from './receiver.ts'

export const POSTFIX_PACKAGES = ['postfix', 'dovecot-core']
/** The message size limit of the service `smallUnannounced`. */
export const MESSAGE_BYTES_MAX = 2_000

const recipients = (restrictions: string): string => `smtpd_recipient_restrictions=${restrictions},reject`

/** The differences from an smtpd that requires STARTTLS and a login by any mechanism. */
const SERVICES = {
  all: [],
  plain: ['smtpd_sasl_mechanism_filter=plain'],
  login: ['smtpd_sasl_mechanism_filter=login'],
  scram: ['smtpd_sasl_mechanism_filter=scram-sha-256'],
  token: ['smtpd_sasl_mechanism_filter=xoauth2'],
  implicitTls: ['smtpd_tls_wrappermode=yes'],
  withoutTls: ['smtpd_tls_security_level=none', 'smtpd_tls_auth_only=no'],
  /** A relay for its own network. */
  open: ['smtpd_tls_security_level=may', 'smtpd_sasl_auth_enable=no', recipients('permit_mynetworks')],
  oldTls: ['smtpd_tls_mandatory_protocols=TLSv1', 'tls_high_cipherlist=ALL:@SECLEVEL=0'],
  smallUnannounced: [`message_size_limit=${MESSAGE_BYTES_MAX}`, 'smtpd_discard_ehlo_keywords=size'],
  bare: ['smtpd_discard_ehlo_keywords=pipelining,chunking,8bitmime,size,enhancedstatuscodes,dsn,vrfy,etrn'],
  /** How long it waits for a command. */
  impatient: ['smtpd_timeout=1s'],
  /** It relays only after a login, which no case makes. */
  foreign: ['smtpd_relay_restrictions=reject_unauth_destination'],
  greylisting: [
    recipients('check_recipient_access,texthash:/etc/postfix/greylist,permit_sasl_authenticated'),
    // Each process reads the table once, so each serves one connection.
    'max_use=1',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type PostfixService = keyof typeof SERVICES

export interface Postfix extends Receiver {
  readonly ports: Readonly<Record<PostfixService, number>>
  /** Whether the service `greylisting` rejects mail to this address with 450 4.7.1. */
  greylist(address: string, isListed: boolean): void
  /** A token that Dovecot accepts for the account until then (seconds since the epoch). */
  token(account: Account, expires: number): string
  log(): string
}

/** Starts both in the jail. */
export async function startPostfix({ account, certificates, jail }: Kit): Promise<Postfix> {
  const names = Object.keys(SERVICES) as PostfixService[]
  const numbers = await freePorts(names.length)
  const ports = Object.fromEntries(names.map((name, i) => [name, numbers[i] ?? 0])) as Record<PostfixService, number>

  jail.write('/etc/postfix/certificate.pem', certificates.certificate)
  jail.write('/etc/postfix/key.pem', certificates.key, 0o600)
  jail.write('/etc/postfix/main.cf', MAIN_CF)
  jail.write('/etc/postfix/master.cf', masterCf(ports))
  const greylist = (address: string, isListed: boolean): void =>
    jail.write('/etc/postfix/greylist', isListed ? `${address} 450 4.7.1 Greylisted, try again later\n` : '')
  jail.directories(UNPRIVILEGED, '/var/mail/inbox')
  // What `postfix start` would make.
  jail.directories('postfix', '/var/spool/postfix/hold', '/var/spool/postfix/trace')
  greylist('unused@example.net', true)

  const tokenKey = 'a key for tokens of one run, shared with Dovecot'
  jail.write('/etc/dovecot/dovecot.conf', DOVECOT_CONF)
  jail.write('/etc/dovecot/users', `${account.user}:{PLAIN}${account.password}\n`, 0o644)
  jail.write('/etc/dovecot/oauth2.conf', OAUTH2_CONF)
  jail.write('/etc/dovecot/keys/default/HS256/default', Buffer.from(tokenKey).toString('base64'))
  jail.directories('root', '/var/lib/dovecot')

  jail.start(['/usr/sbin/dovecot', '-F'])
  // Until it has read its settings, Postfix takes its log from the environment.
  jail.start(['/usr/lib/postfix/sbin/master', '-d', '-c', '/etc/postfix'], {
    POSTLOG_SERVICE: '/var/spool/postfix/public/postlog',
    POSTLOG_HOSTNAME: 'mail.example.test',
  })
  for (const port of numbers) await jail.listening(port)

  return {
    name: 'Postfix',
    version: jail.run(['/usr/sbin/postconf', '-h', 'mail_version']).trim(),
    folder: join(jail.root, 'var/mail/inbox/new'),
    ports,
    greylist,
    token: ({ user }, expires) =>
      jsonWebToken({ email: user, sub: user, exp: expires, iat: expires - 3_600 }, tokenKey),
    log: () => jail.read('/var/log/mail.log'),
    logs: () => `${jail.read('/var/log/mail.log')}\n${jail.read('/var/log/dovecot.log')}\n${jail.printed()}`,
  }
}

/** The account of Unix without rights, and its group. */
const UNPRIVILEGED = '65534'

const MAIN_CF = `compatibility_level = 3.6
myhostname = mail.example.test
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
queue_directory = /var/spool/postfix
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
shlib_directory = /usr/lib/postfix
data_directory = /var/lib/postfix
mail_owner = postfix
setgid_group = postdrop
default_privs = daemon
maillog_file = /var/log/mail.log
alias_maps =
smtpd_peername_lookup = no
virtual_transport = virtual
virtual_mailbox_domains = example.net, bücher.example, xn--bcher-kva.example
virtual_mailbox_base = /var/mail
virtual_mailbox_maps = static:inbox/
virtual_uid_maps = static:${UNPRIVILEGED}
virtual_gid_maps = static:${UNPRIVILEGED}
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_tls_cert_file = /etc/postfix/certificate.pem
smtpd_tls_key_file = /etc/postfix/key.pem
smtpd_tls_loglevel = 1
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/auth
smtpd_sasl_security_options = noanonymous
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
smtpd_error_sleep_time = 0
smtputf8_enable = yes
`

function masterCf(ports: Readonly<Record<PostfixService, number>>): string {
  const daemons = (Object.keys(SERVICES) as PostfixService[]).map((service) => {
    const options = SERVICES[service].map((option) => `\n  -o ${option}`).join('')
    return `127.0.0.1:${ports[service]} inet n - n - - smtpd\n  -o syslog_name=postfix/${service}${options}`
  })
  return `${daemons.join('\n')}
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`
}

const DOVECOT_CONF = `protocols =
base_dir = /run/dovecot
state_dir = /var/lib/dovecot
log_path = /var/log/dovecot.log
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login scram-sha-256 xoauth2
auth_failure_delay = 0
auth_verbose = yes
passdb {
  driver = passwd-file
  mechanisms = plain login scram-sha-256
  args = /etc/dovecot/users
}
passdb {
  driver = oauth2
  mechanisms = xoauth2
  args = /etc/dovecot/oauth2.conf
}
userdb {
  driver = static
  args = uid=${UNPRIVILEGED} gid=${UNPRIVILEGED} home=/nonexistent
}
# Dovecot delays clients that guess passwords.
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service auth {
  unix_listener /var/spool/postfix/private/auth {
    mode = 0660
    user = postfix
    group = postfix
  }
}
`

const OAUTH2_CONF = `introspection_mode = local
local_validation_key_dict = fs:posix:prefix=/etc/dovecot/keys/
`

function jsonWebToken(claims: Readonly<Record<string, string | number>>, key: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}
