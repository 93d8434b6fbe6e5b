/**
 * Where the etcd servers of a site are, and how to sign in to them: the settings of a cluster as etcd's client wants
 * them. Files are read once, at the start, so that a wrong path is reported then.
 */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { splitCommaList } from '../base/comma-list.ts'
import { exposureOf, keyExposureOf } from '../base/file-mode.ts'
import { readRegularFile } from '../base/regular-file.ts'
import { systemReason } from '../base/system-error.ts'

const ENDPOINTS_MAX = 9
const PREFIX_CHARS_MAX = 100
const PEM_BYTES_MAX = 1024 * 1024
const PASSWORD_BYTES_MAX = 4096

/** A setting of the cluster that cannot be used; one sentence, without secrets. */
export class ClusterSettingError extends Error {
  override readonly name = 'ClusterSettingError'
}

export interface EtcdTarget {
  /** `https://host:port`, or all of them `http://`. */
  readonly endpoints: readonly string[]
  /** Begins and ends with a slash. All keys of the site are below it. */
  readonly prefix: string
  /** PEM. Undefined trusts the authorities of the system. */
  readonly ca: string | undefined
  /** PEM, for servers that want a certificate of their clients. */
  readonly cert: string | undefined
  readonly key: string | undefined
  readonly login: { readonly user: string; readonly password: string } | undefined
}

export interface ClusterSettings {
  readonly cluster: readonly string[] | undefined
  readonly clusterPrefix: string
  readonly clusterCa: string | undefined
  readonly clusterCert: string | undefined
  readonly clusterKey: string | undefined
  readonly clusterUser: string | undefined
  readonly clusterPasswordFile: string | undefined
}

/** Parses `https://e1:2379,https://e2:2379`. Throws an Error that says what is wanted. */
export function parseEndpoints(list: string): readonly string[] {
  const endpoints = splitCommaList(list).map(parseEndpoint)
  if (endpoints.length === 0) throw new Error('expected URLs of etcd servers, such as https://e1:2379, found none')
  if (endpoints.length > ENDPOINTS_MAX) {
    throw new Error(`expected at most ${ENDPOINTS_MAX} URLs of etcd servers, found ${endpoints.length}`)
  }
  const twice = endpoints.find((url, i) => endpoints.indexOf(url) !== i)
  if (twice !== undefined) throw new Error(`expected each etcd server once, found "${twice}" twice`)
  if (new Set(endpoints.map((url) => url.split(':', 1)[0])).size > 1) {
    throw new Error('expected all URLs with https:// or all with http://, found both')
  }
  return endpoints
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`expected the URL of an etcd server, such as https://e1:2379, found "${withoutLogin(text)}"`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      'expected URLs without user and password: name them with --cluster-user and --cluster-password-file',
    )
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new Error(`expected a URL without a path, found "${text}": --cluster-prefix says where the site is in etcd`)
  }
  // The default ports of http and https are not those of etcd.
  return `${url.protocol}//${url.hostname}:${url.port === '' ? '2379' : url.port}`
}

function withoutLogin(text: string): string {
  return text.replace(/\/\/.*@/, '//***@')
}

/** Parses the place of a site in etcd: `/dateline/`. Throws an Error that says what is wanted. */
export function parsePrefix(text: string): string {
  const prefix = text.endsWith('/') ? text : `${text}/`
  if (prefix.length <= PREFIX_CHARS_MAX && /^(?:\/[a-z0-9][a-z0-9._-]*)+\/$/.test(prefix)) return prefix
  throw new Error(`expected a prefix of keys such as /dateline/news/, found "${text.slice(0, PREFIX_CHARS_MAX)}"`)
}

/** Parses the URL under which the other nodes reach this one. Throws an Error that says what is wanted. */
export function parseNodeUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url !== undefined && url.username + url.password + url.search + url.hash === ''
  if (!isPlain || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/') {
    throw new Error(`expected a URL such as https://n1.example.org:8080, found "${withoutLogin(text)}"`)
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new Error(`expected https:// for "${url.hostname}": nodes send each other the whole database and its keys`)
  }
  return url.origin
}

/** Whether a host of a URL is this machine. */
function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Undefined where the service runs alone. Throws ClusterSettingError for what cannot be used. */
export function readEtcdTarget(settings: ClusterSettings): EtcdTarget | undefined {
  const { cluster: endpoints, clusterPrefix, clusterCa, clusterCert, clusterKey } = settings
  if (endpoints === undefined) {
    const needless = NEED_CLUSTER.find(([name]) => settings[name] !== undefined)
    if (needless !== undefined) throw new ClusterSettingError(`Cannot use ${needless[1]} without --cluster`)
    return undefined
  }
  const isTls = endpoints.every((url) => url.startsWith('https:'))
  const forTls = FOR_TLS.find(([name]) => settings[name] !== undefined)
  if (!isTls && forTls !== undefined) {
    throw new ClusterSettingError(
      `Cannot use ${forTls[1]} with http:// in --cluster: write https://, or leave out the certificates`,
    )
  }
  const isLocal = endpoints.every((url) => isLoopbackHost(new URL(url).hostname))
  if (!isTls && settings.clusterUser !== undefined && !isLocal) {
    throw new ClusterSettingError(
      'Cannot use --cluster-user with http:// in --cluster: the password would be sent in the clear',
    )
  }
  if ((clusterCert === undefined) !== (clusterKey === undefined)) {
    throw new ClusterSettingError('Cannot use one of --cluster-cert and --cluster-key alone: expected both')
  }
  const [ca, cert] = [certificates('--cluster-ca', clusterCa), certificates('--cluster-cert', clusterCert)]
  const key = clusterKey === undefined ? undefined : readSecret('--cluster-key', clusterKey, keyExposureOf)
  if (cert !== undefined && key !== undefined) requirePair(cert, key)
  return { endpoints, prefix: clusterPrefix, ca, cert, key, login: loginOf(settings) }
}

const FOR_TLS = [
  ['clusterCa', '--cluster-ca'],
  ['clusterCert', '--cluster-cert'],
  ['clusterKey', '--cluster-key'],
] as const
const NEED_CLUSTER = [
  ...FOR_TLS,
  ['clusterUser', '--cluster-user'],
  ['clusterPasswordFile', '--cluster-password-file'],
] as const

function loginOf({ clusterUser: user, clusterPasswordFile: file }: ClusterSettings): EtcdTarget['login'] {
  if ((user === undefined) !== (file === undefined)) {
    throw new ClusterSettingError('Cannot use one of --cluster-user and --cluster-password-file alone: expected both')
  }
  if (user === undefined || file === undefined) return undefined
  const password = readSecret('--cluster-password-file', file, exposureOf, PASSWORD_BYTES_MAX).replace(/\r?\n$/, '')
  if (password !== '') return { user, password }
  throw new ClusterSettingError(
    `Cannot use --cluster-password-file "${file}": expected a password, found an empty file`,
  )
}

function certificates(flag: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const pem = readFile(flag, path, PEM_BYTES_MAX)
  try {
    new X509Certificate(pem)
    return pem
  } catch {
    throw new ClusterSettingError(
      `Cannot use ${flag} "${path}": expected a PEM file of certificates, found something else`,
    )
  }
}

function requirePair(cert: string, key: string): void {
  try {
    createSecureContext({ cert, key })
  } catch {
    throw new ClusterSettingError(
      'Cannot use --cluster-key: expected the unencrypted PEM key of --cluster-cert, found another',
    )
  }
}

function readSecret(
  flag: string,
  path: string,
  exposure: (path: string) => string | undefined,
  bytesMax = PEM_BYTES_MAX,
): string {
  const text = readFile(flag, path, bytesMax)
  const problem = exposure(path)
  if (problem === undefined) return text
  throw new ClusterSettingError(`Cannot use ${flag} "${path}": ${problem}: run chmod 600 "${path}"`)
}

function readFile(flag: string, path: string, bytesMax: number): string {
  try {
    return readRegularFile(path, bytesMax).toString()
  } catch (error) {
    throw new ClusterSettingError(`Cannot use ${flag}: the file "${path}" cannot be read: ${systemReason(error)}`)
  }
}
