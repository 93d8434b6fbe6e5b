/** The requests that go on during a soak, and the other clients of the drill of attacks as such a load. */
import { startBareServer, startProbe } from '../attacks/probe.ts'
import type { RunningTarget } from '../attacks/target.ts'
import { failuresOf, PROBE_KINDS } from '../attacks/verdict.ts'

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
export async function startOthers({ site, others }: RunningTarget): Promise<Load> {
  const bare = await startBareServer()
  const probe = startProbe({
    ...{ port: site.port, pid: site.pid, barePort: bare.port, headlineIds: site.headlineIds },
    ...{ readers: others.readers.map(({ token }) => token), administrator: others.administrator.token },
  })
  probe.begin()
  return {
    async minute(slowness) {
      const { felt } = await probe.end()
      probe.begin()
      const kinds = PROBE_KINDS.map((kind) => `${kind} ${felt[kind].p50.toFixed(1)}/${felt[kind].p99.toFixed(0)}/${felt[kind].max.toFixed(0)}`)
      return {
        requests: PROBE_KINDS.reduce((sum, kind) => sum + (kind === 'bare' ? 0 : felt[kind].count), 0),
        p99: Math.max(felt.item.p99, felt.list.p99, felt.new.p99),
        shown: `p50/p99/max in ms: ${kinds.join(', ')}`,
        failures: failuresOf({ felt, slowness }).map(({ kind, status, count }) => `${kind} ${status} (${count} times)`),
      }
    },
    async [Symbol.asyncDispose]() {
      await probe[Symbol.asyncDispose]()
      bare[Symbol.dispose]()
    },
  }
}
