/**
 * The mail server as the fields of a form, and as the setting `mail` in between: `smtp://user@host:port`, or `smtps://…` with
 * TLS from the first byte (RFC 8314). The password is a setting of its own.
 */

/** What `mailTls` says, `tls` for smtps://, and `auto` for what the service does by itself. */
export const ENCRYPTIONS = ['auto', 'tls', 'starttls', 'starttls-if-offered', 'none'] as const
export type Encryption = (typeof ENCRYPTIONS)[number]

export interface MailServer {
  /** A host, or several with commas in between, each of which may have a port of its own. */
  readonly host: string
  /** Empty for that of the encryption. */
  readonly port: string
  readonly encryption: Encryption
  readonly user: string
  /** Of a URL that was typed with one. It is a setting of its own, which no URL may hold. */
  readonly password?: string
}

export interface Provider extends Pick<MailServer, 'host' | 'port' | 'encryption'> {
  readonly title: string
  /** Every host of the provider. */
  readonly hosts: RegExp
}

/** Servers that take mail of their customers, as their manuals say. */
export const PROVIDERS = {
  gmail: { title: 'Gmail', host: 'smtp.gmail.com', port: '465', encryption: 'tls', hosts: /^smtp(?:-relay)?\.g(?:oogle)?mail\.com$/ },
  outlook: { title: 'Outlook', host: 'smtp.office365.com', port: '587', encryption: 'starttls', hosts: /^smtp(?:-mail)?\.(?:office365|outlook)\.com$/ },
  ses: { title: 'Amazon SES', host: 'email-smtp.eu-west-1.amazonaws.com', port: '465', encryption: 'tls', hosts: /^email-smtp\.[a-z0-9-]+\.amazonaws\.com$/ },
  postmark: { title: 'Postmark', host: 'smtp.postmarkapp.com', port: '587', encryption: 'starttls', hosts: /^smtp(?:-broadcasts)?\.postmarkapp\.com$/ },
  mailgun: { title: 'Mailgun', host: 'smtp.mailgun.org', port: '465', encryption: 'tls', hosts: /^smtp\.(?:eu\.)?mailgun\.org$/ },
} as const satisfies Readonly<Record<string, Provider>>

export type ProviderName = keyof typeof PROVIDERS
export const PROVIDER_NAMES = Object.keys(PROVIDERS) as readonly ProviderName[]

/** Whose server a host is; undefined for every other. */
export function providerOf(host: string): ProviderName | undefined {
  return PROVIDER_NAMES.find((name) => PROVIDERS[name].hosts.test(host.trim().toLowerCase()))
}

const TLS_PORT = '465'
const NONE: MailServer = { host: '', port: '', encryption: 'auto', user: '' }
const URL_OF_SERVER = /^(smtps?):\/\/(?:([^@]*)@)?([^@/?#]*)\/?$/i
/** A host, or an IPv6 address in brackets, and its port. */
const HOST = /^(\[[^\]]*\]|[^:]*):(\d+)$/

/** The fields of a setting. One that is no server, such as `console:`, has none. */
export function mailServerOf(mail: string, mailTls: string | null): MailServer {
  const [isServer, scheme = '', userinfo = '', hosts = ''] = URL_OF_SERVER.exec(mail.trim()) ?? []
  if (isServer === undefined) return NONE
  const [, user = '', password] = /^([^:]*)(?::(.*))?$/s.exec(userinfo) ?? []
  const encryption = scheme.toLowerCase() === 'smtps' ? 'tls' : (ENCRYPTIONS.find((one) => one === mailTls) ?? 'auto')
  const [, host = hosts, port = ''] = HOST.exec(hosts) ?? []
  return { ...(hosts.includes(',') ? { host: hosts, port: '' } : { host, port }), encryption, user: decoded(user), ...(password !== undefined && { password: decoded(password) }) }
}

/** The settings of the fields; null for none. A port that stands with a host wins over the other. */
export function mailSettingsOf({ host, port, encryption, user }: MailServer): { readonly mail: string | null; readonly mailTls: string | null } {
  const hosts = host.split(',').map((one) => one.trim()).filter((one) => one !== '')
  if (hosts.length === 0) return { mail: null, mailTls: null }
  const scheme = encryption === 'tls' || (encryption === 'auto' && port.trim() === TLS_PORT) ? 'smtps' : 'smtp'
  const login = user.trim() === '' ? '' : `${encodeURIComponent(user.trim())}@`
  const servers = hosts.map((one) => (port.trim() === '' || HOST.test(one) ? one : `${one}:${port.trim()}`))
  return { mail: `${scheme}://${login}${servers.join(',')}`, mailTls: encryption === 'auto' || encryption === 'tls' ? null : encryption }
}

/**
 * The fields once something was typed as the host: a whole `smtp://…` or `host:port` is taken apart, and the host of a provider
 * brings what it needs where that was not said yet.
 */
export function withHostTyped(fields: MailServer, typed: string): MailServer {
  const host = typed.trim()
  if (URL_OF_SERVER.test(host)) {
    const server = mailServerOf(host, fields.encryption)
    return { ...server, user: server.user === '' ? fields.user : server.user }
  }
  const [, bare = host, port = fields.port] = host.includes(',') ? [] : (HOST.exec(host) ?? [])
  const name = port === '' && fields.encryption === 'auto' ? providerOf(bare) : undefined
  return name === undefined ? { ...fields, host: bare, port } : withProvider({ ...fields, host: bare }, name)
}

/** The fields for the server of a provider; one that is that provider's already keeps its host. */
export function withProvider(fields: MailServer, name: ProviderName): MailServer {
  const { host, port, encryption } = PROVIDERS[name]
  return { ...fields, host: providerOf(fields.host) === name ? fields.host : host, port, encryption }
}

/** The port that the service uses where none is given (RFC 6409, RFC 8314). */
export function defaultPort({ encryption, user }: MailServer): string {
  if (encryption === 'tls') return TLS_PORT
  return user.trim() === '' ? '25' : '587'
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
