/**
 * The proxy for connections to others: `--outbound-proxy`, or the variables that curl and other programs read:
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in capitals or not. There is no standard of `NO_PROXY`: names stand for
 * themselves and all names below them, a port may follow, and CIDR blocks and `*` are understood.
 */
import { BlockList, isIP, isIPv4 } from 'node:net'
import { addAddressBlock } from '../base/address-block.ts'
import { splitCommaList } from '../base/comma-list.ts'
import { basicAuthorization, credentialsOf } from './basic-credentials.ts'

export interface OutboundProxy {
  readonly isTls: boolean
  readonly host: string
  readonly port: number
  /** The value of Proxy-Authorization. */
  readonly authorization?: string
}

export type ProxyChoice = (url: URL) => OutboundProxy | undefined

/** Reads `http://[user:password@]host[:port]` or `https://…`. Throws an Error without the password. */
export function parseOutboundProxy(text: string): OutboundProxy {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  const isRead = url !== null && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/' && url.search === ''
  if (!isRead) {
    throw new Error(`expected the URL of an HTTP proxy such as http://proxy.example.org:3128, found "${maskOutboundProxy(text)}"`)
  }
  const isTls = url.protocol === 'https:'
  const credentials = credentialsOf(url)
  return {
    isTls,
    host: bareHost(url),
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    ...(credentials === undefined ? {} : { authorization: basicAuthorization(credentials) }),
  }
}

/** The text without its password. */
export function maskOutboundProxy(text: string): string {
  return text.replace(/^([^/]*\/\/)?([^/@:]*):.*@/s, '$1$2:***@')
}

/** The host of a URL without the brackets of an IPv6 address. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

type Environment = Readonly<Record<string, string | undefined>>

/** The choice that the environment makes. Throws an Error that names the variable. */
export function proxyOfEnvironment(environment: Environment): ProxyChoice {
  const read = (name: string): OutboundProxy | undefined => {
    const variable = [name, name.toLowerCase()].find((one) => (environment[one] ?? '') !== '')
    if (variable === undefined) return undefined
    try {
      return parseOutboundProxy(environment[variable] ?? '')
    } catch (error) {
      throw new Error(`Cannot use ${variable}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const proxies = { 'https:': read('HTTPS_PROXY'), 'http:': read('HTTP_PROXY') }
  const isExempt = exemptions(environment['NO_PROXY'] || environment['no_proxy'] || '')
  return (url) => (isExempt(url) ? undefined : proxies[url.protocol as keyof typeof proxies])
}

function exemptions(list: string): (url: URL) => boolean {
  const blocks = new BlockList()
  const names = splitCommaList(list.toLowerCase()).filter((entry) => !addAddressBlock(blocks, entry))
  return (url) => {
    const host = bareHost(url).replace(/\.$/, '')
    const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
    if (isIP(host) !== 0 && blocks.check(host, isIPv4(host) ? 'ipv4' : 'ipv6')) return true
    return names.some((entry) => {
      if (entry === '*') return true
      const [, name = '', onlyPort = port] = /^\*?\.?([^:]*)(?::(\d+))?$/.exec(entry) ?? []
      return name !== '' && onlyPort === port && (host === name || host.endsWith(`.${name}`))
    })
  }
}
