/**
 * The other clients, in a thread of their own so that the attacker's work does not count as theirs: reads by id, lists,
 * new connections and an administrator's query and writes, at fixed times whether or not the last response is there, and the same
 * of a bare server for comparison. It samples the memory of the service as well.
 */
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { percentile } from '../tools/percentile.ts'
import { send, dataPath, type Request } from './loopback-client.ts'
import { residentMemory } from './process-figures.ts'
import type { ProbeFigures, ProbeSetup } from './probe.ts'
import { PROBE_KINDS, type Felt, type ProbeKind } from './verdict.ts'

const PERIOD_MS: Readonly<Record<ProbeKind, number>> = { item: 50, list: 100, new: 200, query: 1_000, save: 500, bare: 50 }
const MEMORY_PERIOD_MS = 100
/** Fewer than a client address may have open. */
const CONNECTIONS_MAX = 64

interface Sample {
  readonly kind: ProbeKind
  readonly ms: number
  /** undefined where the status was 200. */
  readonly failure: string | undefined
}

const { port, pid, barePort, readers, administrator, headlineIds } = workerData as ProbeSetup
let agent = newAgent()
let samples: Promise<Sample>[] = []
let rssPeakMib = 0
let timers: NodeJS.Timeout[] = []
let turn = 0

const LIST = dataPath({
  model: 'headline',
  limit: '10',
  filter: { status: 'active' },
  sort: 'updatedAt:desc',
})
/** No index serves it, so that it runs where long queries run. */
const QUERY = dataPath({ model: 'headline', limit: '5', filter: { excerpt: { $regex: 'cheerf.lly$' } } })

function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX })
}

function requestOf(kind: ProbeKind): Request {
  const token = readers[++turn % readers.length]
  const item = dataPath({ model: 'headline' }, `/${headlineIds[turn % headlineIds.length]}`)
  switch (kind) {
    case 'item':
      return { path: item, token, agent }
    case 'list':
      return { path: LIST, token, agent }
    case 'new':
      return { path: item, token }
    case 'query':
      return { path: QUERY, token: administrator, agent }
    case 'save':
      return { method: 'PATCH', path: item, token: administrator, agent, body: { title: `Corrected ${turn}` } }
    case 'bare':
      return { path: '/', agent }
  }
}

async function sample(kind: ProbeKind): Promise<Sample> {
  const { status, text, ms } = await send(kind === 'bare' ? barePort : port, requestOf(kind))
  return { kind, ms, failure: status === 200 ? undefined : status === 0 ? text : String(status) }
}

function begin(): void {
  samples = []
  rssPeakMib = 0
  const memory = (): void => {
    try {
      rssPeakMib = Math.max(rssPeakMib, residentMemory(pid).rssMib)
    } catch {
      // The service has ended: the requests say so.
    }
  }
  timers = [
    ...PROBE_KINDS.map((kind) => setInterval(() => samples.push(sample(kind)), PERIOD_MS[kind])),
    setInterval(memory, MEMORY_PERIOD_MS),
  ]
}

async function end(): Promise<ProbeFigures> {
  timers.forEach(clearInterval)
  const done = await Promise.all(samples)
  // Connections of ours would count as handles that the attack has left.
  agent.destroy()
  agent = newAgent()
  const feltBy = (kind: ProbeKind): Felt => {
    const ofKind = done.filter((one) => one.kind === kind)
    const times = ofKind.map(({ ms }) => ms)
    const failures: Record<string, number> = {}
    for (const { failure } of ofKind)
      if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1
    return {
      count: ofKind.length,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      max: Math.max(0, ...times),
      failures,
    }
  }
  const felt = Object.fromEntries(PROBE_KINDS.map((kind) => [kind, feltBy(kind)])) as Record<ProbeKind, Felt>
  return { felt, rssPeakMib }
}

assert.ok(parentPort !== null)
const parent = parentPort
parent.on('message', (message: 'begin' | 'end' | 'close') => {
  if (message === 'begin') begin()
  else if (message === 'end') void end().then((figures) => parent.postMessage(figures))
  else {
    timers.forEach(clearInterval)
    agent.destroy()
    parent.close()
  }
})
