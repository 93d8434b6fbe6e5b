/** The settings for connections to others, combined and checked before the service starts. */
import { readCaBundle } from '../base/ca-bundle.ts'
import type { Clock } from '../base/clock.ts'
import { SettingError } from '../base/setting-file.ts'
import type { OutboundAllow } from './outbound-allow.ts'
import { type OutboundProxy, proxyOfEnvironment } from './outbound-proxy.ts'
import type { OutboundRules } from './outbound-rules.ts'

export interface OutboundOptions {
  readonly outboundAllow: OutboundAllow
  /** `environment`: as the variables say that other programs read. */
  readonly outboundProxy: OutboundProxy | 'none' | 'environment'
  /** The path of a file. */
  readonly outboundCa: string | undefined
}

interface Surroundings {
  readonly now: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Reads the file of `--outbound-ca` and the variables of proxies. Throws a SettingError. */
export function readOutboundRules(
  { outboundAllow, outboundProxy, outboundCa }: OutboundOptions,
  { now, environment }: Surroundings,
): { readonly rules: OutboundRules; readonly warnings: readonly string[] } {
  const ca = outboundCa === undefined ? undefined : readCaBundle({ flag: '--outbound-ca', path: outboundCa }, now)
  return {
    rules: { allow: outboundAllow, proxyFor: proxyChoice(outboundProxy, environment), ca: ca?.certificates ?? [] },
    warnings: ca?.warnings ?? [],
  }
}

function proxyChoice(proxy: OutboundOptions['outboundProxy'], environment: Surroundings['environment']): OutboundRules['proxyFor'] {
  if (proxy === 'none') return () => undefined
  if (proxy !== 'environment') return () => proxy
  try {
    return proxyOfEnvironment(environment)
  } catch (error) {
    throw new SettingError(error instanceof Error ? error.message : String(error))
  }
}
