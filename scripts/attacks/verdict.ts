/**
 * Whether an attack hurt. A machine that runs the drill is busy with the attack, too, and often with other work, which
 * is no fault of the service: what others felt is compared with a bare server that the probe measures at the same time, and
 * limits on time are stretched by how long the service waited for a core.
 */

export interface Limits {
  /** Reads by id, lists and new connections of other clients, over what the bare server took. */
  readonly othersMedianMs: number
  readonly othersP99Ms: number
  /** An administrator's query that no index serves. */
  readonly queryP99Ms: number
  /** Requests of others that failed. */
  readonly failuresMax: number
  /** Resident memory at its peak over that before the attack. */
  readonly growthMib: number
  /** Threads and handles more than before, after the attack has ended. */
  readonly threadsMax: number
  readonly handlesMax: number
  /** Of one core, after the attack has ended. */
  readonly idleCpuMax: number
  /** From SIGTERM to the end of the process. */
  readonly stopMs: number
}

export const DEFAULT_LIMITS: Limits = {
  othersMedianMs: 20,
  othersP99Ms: 300,
  queryP99Ms: 4_000,
  failuresMax: 0,
  growthMib: 100,
  threadsMax: 2,
  handlesMax: 16,
  idleCpuMax: 0.5,
  stopMs: 3_000,
}

/** Of the bare server's time, which a request to the service costs more than once in system calls and wake-ups. */
const BARE_TIMES = 3
/** A machine that is busier than this proves nothing. */
const SLOWNESS_MAX = 20
/** What a query past its deadline gets, running or waiting: wall time passes on a slow machine as well. */
export const PAST_DEADLINE: readonly string[] = ['400', '429', '503']
const SLOWNESS_OF_DEADLINES = 4
/** A write that finds no room for its body. */
const ASKED_TO_COME_BACK = '503'
/** Differences below this are noise on a machine that is shared with others. */
const NOISE_MS = 10

/** What the probe saw of one kind of request. */
export interface Felt {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Statuses or errors other than 200, and how often. */
  readonly failures: Readonly<Record<string, number>>
}

/** The kinds of requests that the probe makes. `bare` goes to a server beside the service that does nothing. */
export const PROBE_KINDS = ['item', 'list', 'new', 'query', 'save', 'bare'] as const
export type ProbeKind = (typeof PROBE_KINDS)[number]

export interface Measured {
  readonly felt: Readonly<Record<ProbeKind, Felt>>
  readonly rssBeforeMib: number
  readonly rssPeakMib: number
  readonly rssAfterMib: number
  readonly threadsBefore: number
  readonly threadsAfter: number
  readonly handlesBefore: number
  readonly handlesAfter: number
  /** Share of one core, some time after the attack. */
  readonly idleCpu: number
  /** Undefined where the service goes on running. */
  readonly stopMs: number | undefined
  /** How many times longer everything took, since the service had to wait for a core: 1 on a machine of its own. */
  readonly slowness: number
}

/** Lists what broke a limit, empty where nothing did. `leniency` multiplies every limit on time. */
export function faultsOf(measured: Measured, limits: Limits, leniency = 1): readonly string[] {
  const { felt } = measured
  const patience = leniency * measured.slowness
  const slack = (bareMs: number): number => BARE_TIMES * bareMs + NOISE_MS
  const atMost = (name: string, value: number, max: number, unit: string): string[] =>
    value <= max ? [] : [`${name}: ${shown(value)}${unit}, wanted at most ${shown(max)}${unit}`]
  const others = (['item', 'list', 'new'] as const).flatMap((kind) => [
    ...(felt[kind].count === 0 ? [`${kind}: nothing was measured`] : []),
    ...atMost(`${kind} median`, felt[kind].p50, limits.othersMedianMs * patience + slack(felt.bare.p50), ' ms'),
    ...atMost(`${kind} p99`, felt[kind].p99, limits.othersP99Ms * patience + slack(felt.bare.p99), ' ms'),
  ])
  const failures = failuresOf(measured)
  const failed = failures.reduce((sum, { count }) => sum + count, 0)
  return [
    ...others,
    ...atMost('query p99', felt.query.p99, limits.queryP99Ms * patience + slack(felt.bare.p99), ' ms'),
    ...(failed <= limits.failuresMax
      ? []
      : [`others got ${failures.map(({ kind, status, count }) => `${kind} ${status}×${count}`).join(', ')}`]),
    ...atMost('memory growth', measured.rssPeakMib - measured.rssBeforeMib, limits.growthMib, ' MiB'),
    ...atMost('threads left', measured.threadsAfter - measured.threadsBefore, limits.threadsMax, ''),
    ...atMost('handles left', measured.handlesAfter - measured.handlesBefore, limits.handlesMax, ''),
    ...atMost('CPU afterwards', measured.idleCpu, limits.idleCpuMax, ' cores'),
    ...(measured.stopMs === undefined
      ? []
      : atMost('time to stop', measured.stopMs, limits.stopMs * patience + slack(felt.bare.p99), ' ms')),
  ]
}

/** The requests of others that failed, without those that a flooded service or a slow machine excuses. */
export function failuresOf(measured: Pick<Measured, 'felt' | 'slowness'>) {
  return (['item', 'list', 'new', 'query', 'save'] as const).flatMap((kind) =>
    Object.entries(measured.felt[kind].failures)
      .filter(([status]) => kind !== 'save' || status !== ASKED_TO_COME_BACK)
      .filter(([status]) => kind !== 'query' || !missesDeadlines(measured) || !PAST_DEADLINE.includes(status))
      .map(([status, count]) => ({ kind, status, count })),
  )
}

/** Whether the machine was so slow that queries missed their deadlines whatever the service did. */
export function missesDeadlines({ slowness }: Pick<Measured, 'slowness'>): boolean {
  return slowness > SLOWNESS_OF_DEADLINES
}

/** The slowness of a thread that ran and waited for so long. */
export function slownessOf(ranSeconds: number, waitedSeconds: number): number {
  if (ranSeconds <= 0) return 1
  return Math.min(SLOWNESS_MAX, (ranSeconds + waitedSeconds) / ranSeconds)
}

/** What the probe felt, for the lines that the drill and the soak print. */
export function timesShown(felt: Measured['felt']): string {
  const times = PROBE_KINDS.map((kind) => {
    const { p50, p99, max } = felt[kind]
    return `${kind} ${p50.toFixed(1)}/${p99.toFixed(0)}/${max.toFixed(0)}`
  })
  return `p50/p99/max in ms: ${times.join(', ')}`
}

function shown(value: number): string {
  return value >= 10 ? String(Math.round(value)) : value.toFixed(1)
}
