/** The requests that go on during a soak, and the other clients of the drill of attacks as such a load. */
import { startProbe } from '../attacks/probe.ts'
import type { RunningTarget } from '../attacks/target.ts'
import { failuresOf, PROBE_KINDS, timesShown } from '../attacks/verdict.ts'

export interface MinuteOfLoad {
  readonly requests: number
  /** In ms, of reads by id, lists and new connections. */
  readonly p99: number
  readonly shown: string
  readonly failures: readonly string[]
}

/** Requests that go on beside the attacks, or alone. */
export interface Load extends AsyncDisposable {
  /** What happened since the last call, on a machine of this slowness. */
  minute(slowness: number): Promise<MinuteOfLoad>
}

/** The other clients of the drill of attacks. */
export async function startOthers(running: RunningTarget): Promise<Load> {
  const probe = await startProbe(running)
  probe.begin()
  return {
    async minute(slowness) {
      const { felt } = await probe.end()
      probe.begin()
      return {
        requests: PROBE_KINDS.reduce((sum, kind) => sum + (kind === 'bare' ? 0 : felt[kind].count), 0),
        p99: Math.max(felt.item.p99, felt.list.p99, felt.new.p99),
        shown: timesShown(felt),
        failures: failuresOf({ felt, slowness }).map(({ kind, status, count }) => `${kind} ${status} (${count} times)`),
      }
    },
    [Symbol.asyncDispose]: () => probe[Symbol.asyncDispose](),
  }
}
