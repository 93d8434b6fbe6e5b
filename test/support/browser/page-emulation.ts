/** What a page is told about its reader: colours, network, touch; all can be changed as it runs. */
import type { Session } from './web-driver.ts'

/** `WALK_LATENCY_MS=150 npm test -- walks` walks over a line that answers so many milliseconds late. */
export const LATENCY_MS = Number(process.env['WALK_LATENCY_MS'] ?? 0)

export interface Emulation {
  readonly colorScheme?: 'light' | 'dark'
  readonly forcedColors?: boolean
  readonly offline?: boolean
  /** Whether the reader points with a finger. */
  readonly touch?: boolean
}

/** Gives a function that changes what it is given and leaves the rest as it was set before. */
export function createEmulation({ devTools }: Session): (changes: Emulation) => Promise<void> {
  let current: Emulation = {}
  return async (changes) => {
    current = { ...current, ...changes }
    const { colorScheme, forcedColors = false } = current
    const { offline, touch } = changes
    await devTools('Emulation.setEmulatedMedia', {
      features: [
        { name: 'prefers-color-scheme', value: colorScheme ?? 'light' },
        { name: 'forced-colors', value: forcedColors ? 'active' : 'none' },
      ],
    })
    if (touch !== undefined) await devTools('Emulation.setTouchEmulationEnabled', { enabled: touch, maxTouchPoints: 1 })
    if (offline !== undefined) {
      const unlimited = { latency: LATENCY_MS, downloadThroughput: -1, uploadThroughput: -1 }
      await devTools('Network.emulateNetworkConditions', { offline, ...unlimited })
    }
  }
}
