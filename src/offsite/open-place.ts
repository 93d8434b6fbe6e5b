/** Opens the place of an address. */
import { pause } from '../base/pause.ts'
import { createOutboundClient, userAgentOf } from '../outbound/outbound-client.ts'
import type { OutboundRules } from '../outbound/outbound-rules.ts'
import { createDirectoryPlace } from './directory-place.ts'
import { keyFor, type PlaceAddress, type PlaceKeys } from './place-address.ts'
import { PlaceError, type Place } from './place.ts'
import { createS3Place } from './s3-place.ts'
import { createTransferRate } from './transfer-rate.ts'
import type { Clock } from '../base/clock.ts'

export interface OpenPlaceOptions {
  readonly keys: PlaceKeys
  readonly rules: OutboundRules
  /** Bytes per second; undefined for no bound. */
  readonly rate: number | undefined
  /** Whether objects were stored there before. */
  readonly wasUsed: boolean
  readonly now: Clock
  readonly signal?: AbortSignal | undefined
}

/** Throws a PlaceError where there is no key for it. */
export function openPlace(address: PlaceAddress, { keys, rules, rate: perSecond, wasUsed, now, signal }: OpenPlaceOptions): Place {
  const rate = createTransferRate(perSecond, pause)
  if (address.kind === 'directory') return createDirectoryPlace({ address, rate, wasUsed })
  const client = createOutboundClient({ rules, userAgent: () => userAgentOf(undefined) })
  try {
    return createS3Place({ address, key: keyFor(address, keys), client, rate, pause, now, signal })
  } catch (error) {
    throw new PlaceError('denied', error instanceof Error ? error.message : String(error), error)
  }
}
