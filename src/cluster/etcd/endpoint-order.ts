/**
 * Which of several servers is called. One is used until it fails; then the next one is, and the failed one rests: 50 ms
 * after the first failure, doubling up to a second, in a random part, so that the nodes of a cluster do not return to a
 * server all at once. A second is short enough for an election, which takes etcd one to two seconds.
 */
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'

const REST_FIRST_MS = 50
const REST_MAX_MS = 1_000
const DOUBLINGS_MAX = 8

export interface Chance {
  readonly now: Clock
  readonly random: Random
}

export function createEndpointOrder(urls: readonly string[], { now, random }: Chance) {
  const endpoints = urls.map((url) => ({ url, failures: 0, restsUntil: 0 }))
  // Nodes begin at different servers, so that these share the load.
  let at = Math.floor(random() * endpoints.length)
  const current = (): (typeof endpoints)[number] => endpoints[at] as (typeof endpoints)[number]
  return {
    get current(): string {
      return current().url
    },
    /** How long the current server still rests; 0 where it may be called. */
    restMs: (): number => Math.max(0, current().restsUntil - now()),
    succeeded(url: string): void {
      if (current().url === url) current().failures = 0
    },
    /** Moves on from a server that failed; to the one that rests the least. */
    failed(url: string): void {
      const failed = endpoints.find((one) => one.url === url)
      if (failed === undefined) return
      const rest = Math.min(REST_MAX_MS, REST_FIRST_MS * 2 ** Math.min(failed.failures++, DOUBLINGS_MAX))
      failed.restsUntil = now() + rest / 2 + (random() * rest) / 2
      if (current() !== failed) return
      const others = endpoints.map((_, i) => (at + 1 + i) % endpoints.length)
      at = others.reduce((best, one) => (restOf(one) < restOf(best) ? one : best))
    },
  }

  function restOf(index: number): number {
    return Math.max(0, (endpoints[index]?.restsUntil ?? 0) - now())
  }
}
