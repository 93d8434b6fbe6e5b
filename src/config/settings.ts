/**
 * Every setting once: name, meaning, default, and how its text is parsed. The flag of `dataDir` is `--data-dir`, its
 * variable `DATELINE_DATA_DIR`. Secrets are not in the Config (secrets.ts), so that a Config can be shown.
 */
import { DAY_MS, type DurationRange, HOUR_MS, MINUTE_MS, parseDuration } from '../base/duration.ts'
import { LOG_LEVELS, type LogLevel } from '../base/log-level.ts'
import { parseSiteUrl } from '../base/site-url.ts'
import { parseEndpoints, parseNodeUrl, parsePrefix } from '../cluster/etcd-target.ts'
import { parseOrigins, type CorsPolicy } from '../http/cors.ts'
import { NO_PROXIES, parseProxies } from '../http/client-address.ts'
import { parseHosts } from '../http/foreign-pages.ts'
import { parseUnixAddress } from '../http/listening.ts'
import { parseEmail, parseMailbox } from '../mail/address.ts'
import { parseAppName } from '../mail/templates/app-name.ts'
import { parseInvitationUrl } from '../mail/templates/invitation-url.ts'
import { MAIL_TLS, type MailTls } from '../mail/settings/mail-settings.ts'
import { maskMailTarget, parseMailHost, parseMailTarget } from '../mail/settings/mail-target.ts'
import { maskPlaces, parsePlaces, type PlaceAddress, type PlaceKeys } from '../offsite/place-address.ts'
import { DEFAULT_RETENTION, parseRetention, showRetention, type Retention } from '../offsite/retention.ts'
import { type OutboundAllow, parseOutboundAllow } from '../outbound/outbound-allow.ts'
import { maskOutboundProxy, type OutboundProxy, parseOutboundProxy } from '../outbound/outbound-proxy.ts'
import { FLAG_BASE_URL } from '../content/seeds/seeds.ts'
import { isStandIn } from '../models/guest.ts'
import { oneOf, onOff, optional, parsed, readPath, text, whole, type Setting } from './setting-kinds.ts'

const NONE = 'none'
const OFFSITE_EVERY: DurationRange = { min: 10 * MINUTE_MS, max: 30 * DAY_MS }
const RATE_BYTES_MIN = 10_000
const HOURS_MAX = 24 * 366 * 10
const THREADS_MAX = 16
const BACKUP_EVERY: DurationRange = { min: MINUTE_MS, max: 365 * DAY_MS }

export const DECLARED = {
  config: {
    parse: (given: string) => (given === NONE ? undefined : readPath(given)),
    initial: undefined,
    shown: '/etc/dateline/dateline.json, where it exists',
    meaning: `JSON file of further settings, such as {"port": 8081}; ${NONE} reads no file`,
  } as Setting<string | undefined>,
  host: text('127.0.0.1', 'address to listen on; 0.0.0.0 for all'),
  port: whole(8080, { max: 65_535, meaning: 'port to listen on; 0 takes any free one' }),
  listen: optional(parseUnixAddress, 'unix:PATH, a Unix socket to listen on in place of host and port'),
  tlsCert: optional(readPath, 'PEM file of the TLS certificate, followed by its intermediate certificates'),
  tlsKey: optional(readPath, 'PEM file of the private key of the certificate'),
  allowedHosts: {
    parse: parseHosts,
    initial: [],
    shown: 'those of this machine',
    meaning: 'further host names of the service, such as those that a proxy passes on, separated by commas',
  } as Setting<readonly string[]>,
  dataDir: text('./dateline-data', 'directory of the database and the secrets'),
  adminEmail: optional(readAdminEmail, 'e-mail address of an administrator to create or promote at start', [
    'OVERRIDE_ADMIN_EMAIL',
  ]),
  mail: {
    mask: maskMailTarget,
    ...parsed(
      parseMailTarget,
      'console:',
      'how mail leaves: console:, file:DIR, exec:COMMAND, smtp://[user[:password]@]host[:port][,host…] or smtps://…',
    ),
  },
  mailFrom: parsed(parseMailbox, 'Dateline <no-reply@localhost>', 'sender of the mail'),
  mailPorts: {
    parse: readPorts,
    initial: [25, 465, 587, 1025, 2525],
    shown: '25,465,587,1025,2525',
    meaning: 'ports of mail servers that administrators may set in the dashboard, separated by commas',
  } as Setting<readonly number[]>,
  mailTls: {
    parse: oneOf<MailTls>(MAIL_TLS, '').parse,
    initial: undefined,
    shown: 'starttls, on this machine starttls-if-offered',
    meaning: 'encryption to an smtp:// server: starttls, which must be offered, starttls-if-offered, or none',
  } as Setting<MailTls | undefined>,
  mailCa: optional(readPath, 'PEM file of a private authority that certifies the mail server'),
  mailTlsName: optional(readHost, 'name in the certificate of the mail server, where it is not its host'),
  mailCleartextLogin: onOff(false, 'allows sending password or token to the mail server unencrypted; on or off'),
  mailPasswordFile: optional(readPath, 'file with the password for the mail server'),
  mailTokenFile: optional(readPath, 'file with an OAuth token for the mail server (XOAUTH2), read at each login'),
  mailDkimKey: optional(readPath, 'PEM file of the RSA or Ed25519 key that signs mail (DKIM)'),
  mailDkimSelector: optional(text('', '').parse, 'selector of that key: SELECTOR._domainkey in the DNS of the sender'),
  appName: parsed(parseAppName, 'Dateline', 'name of the service in mail'),
  publicUrl: optional(parseSiteUrl, 'URL of the site as its readers know it, such as https://news.example.org/'),
  invitationUrl: optional(
    parseInvitationUrl,
    'URL of the dashboard, such as https://news.example.org/: with it, new publishers and administrators are invited by a ' +
      'mail that leads there; none sends no such mail',
  ),
  rateLimits: onOff(true, 'limits on how often a client may call; on or off'),
  corsOrigins: {
    parse: parseOrigins,
    initial: 'local',
    shown: 'any port of localhost and 127.0.0.1',
    meaning: 'web origins that may use the API, separated by commas',
    synonyms: ['CORS_ALLOWED_ORIGIN'],
  } as Setting<CorsPolicy>,
  trustedProxies: {
    parse: parseProxies,
    initial: NO_PROXIES,
    shown: 'none',
    meaning: 'addresses and CIDR blocks of proxies whose X-Forwarded-For is used, separated by commas',
  },
  authHeader: optional(
    parseHeaderName,
    'header in which a trusted proxy names the e-mail address of the user who is signed in there, such as X-Auth-Email',
  ),
  connectionsPerAddress: whole(512, {
    meaning: 'open connections of one client address; trusted proxies have no limit; 0 is no limit',
  }),
  dashboard: onOff(true, 'serves the dashboard at / and the reference of the API at /docs; on or off'),
  dashboardImages: oneOf(
    ['on-request', 'on', 'off'],
    'pictures of content in the dashboard, which browsers fetch from the hosts that documents name: on-request shows them ' +
      'to readers who ask, on to all, off to none',
  ),
  review: onOff(false, 'lets only administrators publish: publishers hand in drafts for review; on or off'),
  publicRemoteConfig: onOff(false, 'lets the remote configuration be read without signing in; on or off'),
  hideInactive: onOff(
    false,
    'hides headlines, topics and sources that are not active from lists of readers; on or off',
  ),
  printSetup: onOff(false, 'prints the address of the first set-up on stdout also where that is no terminal; on or off'),
  tokenFile: optional(readPath, 'file to write an administrator token to, for the app that starts the service'),
  exitWithParent: onOff(false, 'ends the service with the program that started it; on or off'),
  logFormat: oneOf(['auto', 'pretty', 'json'], 'form of the log: pretty, json, or auto, which is pretty on a terminal'),
  logLevel: {
    ...oneOf<LogLevel>(LOG_LEVELS, 'least important level that is logged: debug, info, warn or error'),
    initial: 'info',
    shown: 'info',
  },
  tokenHours: whole(720, {
    min: 1,
    max: HOURS_MAX,
    meaning: 'hours that a sign-in lasts',
    synonyms: ['JWT_EXPIRY_HOURS'],
  }),
  tokenIssuer: { ...text('http://localhost:8080', 'issuer named in tokens'), synonyms: ['JWT_ISSUER'] },
  codeMinutes: whole(15, { min: 1, max: 1440, meaning: 'minutes that a sign-in code lasts' }),
  codeAttempts: whole(5, {
    min: 1,
    max: 10,
    meaning: 'wrong attempts of one client address after which a code is void for it; three times as many of all clients void it',
  }),
  codesPerEmail: whole(5, { meaning: 'sign-in codes per e-mail address in 15 minutes; 0 is no limit' }),
  codesPerAddress: whole(60, { meaning: 'sign-in codes per client address in an hour; 0 is no limit' }),
  wrongCodesPerAddress: whole(60, { meaning: 'wrong codes per client address in an hour; 0 is no limit' }),
  wrongCodesPerEmail: whole(100, {
    meaning: 'wrong attempts at codes of one e-mail address in a day; 0 is no limit',
  }),
  guestsPerAddress: whole(60, { meaning: 'guest sign-ins per client address in an hour; 0 is no limit' }),
  dataPerUser: whole(1200, {
    meaning:
      'data requests per user in a minute; 0 is no limit. One more is counted for each 64 KiB or 2,048 names and values of a ' +
      'body and of the documents that its references insert. The same holds for each 4,096 characters of a filter, and for ' +
      'about each hundred documents that are read for changes and pulls',
  }),
  publicationsPerAddress: whole(600, {
    meaning: 'requests for publications per client address in a minute; 0 is no limit. Name a CDN in trustedProxies, or all its readers count as one',
  }),
  publicationSeconds: whole(60, {
    max: 86_400,
    meaning: 'seconds for which browsers and CDNs may keep a public publication without asking again; 0 lets them ask each time',
  }),
  publicationsIndexed: onOff(false, 'lets search engines index public publications; on or off'),
  websubHub: optional(parseSiteAddress, 'URL of a WebSub hub that is told when a public publication changes, such as https://hub.example.org/'),
  pageSize: whole(20, { min: 1, max: 1000, meaning: 'items of a page when the request has no limit' }),
  pageSizeMax: whole(100, { min: 1, max: 1000, meaning: 'largest number of items of a page' }),
  threads: {
    parse: (given: string) => (given === 'auto' ? given : whole(1, { min: 1, max: THREADS_MAX, meaning: '' }).parse(given)),
    initial: 'auto',
    shown: 'auto',
    meaning:
      'threads that serve requests on one port of Linux or FreeBSD; auto is the number of cores, at most 4, and one where ' +
      'memory is below 512 MiB',
  } as Setting<number | 'auto'>,
  streamsMax: whole(1000, {
    max: 100_000,
    meaning: 'streams of changes that can be open, waiting requests included; one client address can have half of them; 0 is none',
  }),
  cacheMb: whole(32, {
    max: 4096,
    meaning: 'mebibytes of memory for pages and documents that are read often; 0 remembers none',
  }),
  queryDeadlineMs: whole(2000, {
    min: 10,
    max: 60_000,
    meaning: 'time limit in milliseconds for a query that no index serves',
  }),
  backupEvery: {
    parse: (given: string) => (given === 'off' ? undefined : parseDuration(given, BACKUP_EVERY)),
    initial: 'daily',
    shown: '24h',
    meaning: 'time from one automatic backup to the next, such as 6h; off makes none',
  } as Setting<number | 'daily' | undefined>,
  backupKeep: whole(7, {
    min: 1,
    max: 1000,
    meaning: 'automatic backups to keep in backups/ of the data directory',
  }),
  offsite: {
    parse: readOffsite,
    initial: { places: [] },
    shown: NONE,
    meaning:
      'places for encrypted backups outside of this machine, separated by spaces: s3://[KEYID@]bucket/prefix, with ' +
      '?endpoint=https://host, region=NAME and style=path or virtual, or file:///directory; see the guide backups',
    mask: maskPlaces,
  } as Setting<OffsiteTarget>,
  offsiteKeysFile: optional(readPath, 'file with a line KEYID:SECRET for each access key of the buckets in offsite'),
  offsiteEvery: {
    parse: (given: string) => parseDuration(given, OFFSITE_EVERY),
    initial: 6 * HOUR_MS,
    shown: '6h',
    meaning: 'time from one snapshot in offsite to the next; changes follow every minute',
  } as Setting<number>,
  offsiteKeep: {
    parse: parseRetention,
    initial: DEFAULT_RETENTION,
    shown: showRetention(DEFAULT_RETENTION),
    meaning: 'snapshots to keep in offsite: the latest, and the last ones of so many days, weeks and months',
  } as Setting<Retention>,
  backupRate: {
    parse: (given: string) => (given === 'off' ? undefined : readRate(given)),
    initial: undefined,
    shown: 'off',
    meaning: 'bytes per second that offsite backups may send and read, such as 500kB or 2MB; off is no bound',
  } as Setting<number | undefined>,
  auditDays: whole(180, {
    max: 3650,
    meaning: 'days to keep records of the audit trail; 0 keeps them forever',
  }),
  guestDays: whole(90, { max: 3650, meaning: 'days without a request after which a guest is deleted; 0 keeps all' }),
  guestsMb: whole(0, {
    max: 1_048_576,
    meaning:
      'mebibytes that all guests together may store; 0 is 5 % of the disk, at most 1024. Near the limit, large guests are ' +
      'deleted, and then those that have been idle longest; at the limit, guests can add nothing',
  }),
  mediaMax: whole(0, {
    max: 16_777_216,
    meaning: 'mebibytes that all pictures together may take; 0 is a tenth of the disk, at most 10240',
  }),
  historyDays: whole(90, {
    min: 1,
    max: 3650,
    meaning: 'days to keep earlier versions of content and the log of changes; the last 100,000 changes stay longer',
  }),
  trashDays: whole(30, { max: 3650, meaning: 'days to keep deleted content in the trash; 0 deletes it immediately, with its history' }),
  cluster: optional(parseEndpoints, 'URLs of the etcd servers that several nodes share, separated by commas; see the guide clustering'),
  clusterCa: optional(readPath, 'PEM file of the authority that certifies the etcd servers, and the other nodes'),
  clusterCert: optional(readPath, 'PEM file of the certificate for etcd, where it asks its clients for one'),
  clusterKey: optional(readPath, 'PEM file of the private key of that certificate'),
  clusterUser: optional(text('', '').parse, 'user of etcd, where its access control is on'),
  clusterPasswordFile: optional(readPath, 'file with the password of that user'),
  clusterPrefix: parsed(parsePrefix, '/dateline/', 'keys of this site in etcd; each site has its own'),
  clusterNodeUrl: optional(parseNodeUrl, 'URL under which the other nodes reach this one, such as https://n1.example.org'),
  outboundAllow: {
    parse: parseOutboundAllow,
    initial: parseOutboundAllow(''),
    shown: 'none',
    meaning:
      'host names, IP addresses and CIDR blocks of private networks from which feeds may be fetched, separated by commas; ' +
      'public servers need none',
  } as Setting<OutboundAllow>,
  outboundProxy: {
    parse: (given: string) => (given === 'environment' || given === 'none' ? given : parseOutboundProxy(given)),
    initial: 'environment',
    shown: 'environment',
    meaning:
      'proxy through which feeds are fetched, http://[user:password@]host:port; environment is that of HTTPS_PROXY, ' +
      'HTTP_PROXY and NO_PROXY; none is no proxy',
    mask: maskOutboundProxy,
  } as Setting<OutboundProxy | 'environment' | 'none'>,
  outboundCa: optional(readPath, 'PEM file of a private authority that certifies servers of feeds, or the proxy'),
  feedsFolder: optional(readPath, 'folder in which other programs put files of feeds, for a site that fetches none; for this purpose alone'),
  flagBaseUrl: parsed(readBaseUrl, FLAG_BASE_URL, 'URL or path of the flags of seeded countries'),
} as const satisfies Readonly<Record<string, Setting<unknown>>>

/** Places of off-site backups. Stored keys come with them; those of the operator's file do not. */
export interface OffsiteTarget {
  readonly places: readonly PlaceAddress[]
  readonly keys?: () => PlaceKeys
}

type Declared = typeof DECLARED
export type SettingName = keyof Declared
export type Config = { readonly [name in SettingName]: Declared[name] extends Setting<infer T> ? T : never }

export interface SettingInfo {
  readonly name: SettingName
  readonly flag: string
  readonly environment: readonly string[]
  readonly shown: string
  readonly meaning: string
  readonly isSwitch: boolean
}

export const SETTINGS: readonly SettingInfo[] = (Object.entries(DECLARED) as [SettingName, Setting<unknown>][]).map(
  ([name, { shown, meaning, synonyms = [], isSwitch = false }]) => ({
    name,
    flag: `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    environment: [`DATELINE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`, ...synonyms],
    shown,
    meaning,
    isSwitch,
  }),
)

export type Environment = Readonly<Record<string, string | undefined>>

/** The e-mail address of an administrator, which has to receive mail: a stand-in would be that of a guest. */
function readAdminEmail(given: string): string {
  const email = parseEmail(given)
  if (email === undefined) throw new Error(`expected an e-mail address, found "${given}"`)
  if (isStandIn(email)) throw new Error(`expected an e-mail address that receives mail, found the reserved "${given}"`)
  return email
}

/** Headers that clients or every proxy set anyway: none of them can name a user. */
const COMMON_HEADERS = /^(?:authorization|cookie|forwarded|from|host|origin|referer|user-agent|via|x-forwarded-(?!email$).*)$/i

/** The name of a header of a proxy (RFC 9110 section 5.1), in lower case. */
function parseHeaderName(given: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(given) && !COMMON_HEADERS.test(given)) return given.toLowerCase()
  throw new Error(`expected the name of a header of its own, such as X-Auth-Email, found "${given}"`)
}

function readPorts(given: string): readonly number[] {
  const { parse } = whole(0, { min: 1, max: 65_535, meaning: '' })
  return given.split(',').map((port) => parse(port.trim()))
}

function readHost(given: string): string {
  const host = parseMailHost(given)
  if (host === undefined) throw new Error(`expected the name or the IP address of a host, found "${given}"`)
  return host
}

/** The URL of a service of others, as it is. */
function parseSiteAddress(given: string): string {
  parseSiteUrl(given)
  return given.trim()
}

function readOffsite(given: string): OffsiteTarget {
  return { places: given === NONE ? [] : parsePlaces(given) }
}

/** Bytes of a text such as `2MB`. */
function readRate(given: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})(B|kB|MB)$/.exec(given.trim()) ?? []
  const bytes = Number(digits) * ({ B: 1, kB: 1e3, MB: 1e6 }[unit] ?? Number.NaN)
  if (bytes >= RATE_BYTES_MIN) return bytes
  throw new Error(`expected bytes per second from ${RATE_BYTES_MIN / 1e3}kB on, such as 500kB or 2MB, found "${given}"`)
}

/** A URL, or a path for a site that serves the flags itself: seeds store it. */
function readBaseUrl(given: string): string {
  if (/^(?:https?:\/\/[^\s/]|\/)\S*$/.test(given)) return given
  throw new Error(`expected a URL such as ${FLAG_BASE_URL} or a path, found "${given}"`)
}
