/** A client for tests: names lead where a test says, and the addresses of this machine are allowed unless it says otherwise. */
import { parseOutboundAllow } from '../../../src/outbound/outbound-allow.ts'
import { type Arrival, createOutboundClient, type OutboundGet, type OutboundLimits } from '../../../src/outbound/outbound-client.ts'
import { OutboundError } from '../../../src/outbound/outbound-error.ts'
import type { OutboundProxy } from '../../../src/outbound/outbound-proxy.ts'

export interface ClientSetup {
  readonly allow?: string
  readonly proxy?: OutboundProxy
  readonly ca?: readonly string[]
  /** The addresses of each name, one list for each look-up; the last one stays. `silent`: no look-up ends. */
  readonly names?: 'silent' | Readonly<Record<string, readonly (readonly string[])[]>>
  readonly limits?: Partial<OutboundLimits>
}

export function clientOf({ allow = '127.0.0.0/8', proxy, ca = [], names = {}, limits = {} }: ClientSetup = {}) {
  const lookups: string[] = []
  const client = createOutboundClient({
    rules: { allow: parseOutboundAllow(allow), proxyFor: () => proxy, ca },
    userAgent: () => 'Dateline/test',
    limits,
    resolve: async (host) => {
      if (names === 'silent') return new Promise(() => {})
      const answers = names[host] ?? [['127.0.0.1']]
      const turn = lookups.filter((one) => one === host).length
      lookups.push(host)
      const found = answers[Math.min(turn, answers.length - 1)] ?? []
      if (found.length === 0) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
      return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    },
  })
  return { client, lookups }
}

/** The response, or the error as `kind: message`. */
export async function attempt(setup: ClientSetup, request: string | Omit<OutboundGet, 'accept'>): Promise<Arrival | string> {
  return attemptWith(clientOf(setup).client, request)
}

export async function attemptWith(
  client: ReturnType<typeof createOutboundClient>,
  request: string | Omit<OutboundGet, 'accept'>,
): Promise<Arrival | string> {
  try {
    return await client.get({ accept: '*/*', ...(typeof request === 'string' ? { address: request } : request) })
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return `${error.kind}: ${error.message}`
  }
}

