/**
 * `npm run bench -- changes [STREAMS]`: what open streams of changes cost (1,000), beside a bare node:http server that sends
 * an event of the same size to as many: memory of an idle one, how soon a write reaches all, and what the writer feels of
 * them, in about a minute. The readers are a process of their own, on another core than the server where there are two.
 */
import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { cpuSeconds, residentMemory } from '../attacks/process-figures.ts'
import { CHANGE_STREAMS } from '../../src/endpoints/stream-slots.ts'
import { run, serve } from '../../test/support/service/program.ts'
import { createBenchRoom, isPinned, type BenchRoom } from './bench-processes.ts'
import type { AwaitEvents, OpenStreams, Reached } from './changes-reader.ts'
import { connectTo } from './load-connection.ts'

const STREAMS = 1_000
/**
 * So many times the streams are opened beside those that are written to. The first ones make V8's young generation grow, by
 * up to 32 MiB, once for the process and whatever it is that stays: the further ones show what a stream takes.
 */
const FURTHER = 2
const WRITES = 200
const IDLE_MS = 2_000
const REST_MS = 50

interface Server {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** Opens streams. */
  readonly path: string
  /** One for each stream that is opened, the further ones included. */
  readonly tokens: readonly string[]
  /** The request that changes a document. */
  readonly write: (n: number) => string
  /** How long the server worked on each write so far, in ms, as its log says. */
  readonly served: () => readonly number[]
}

export async function benchChanges([count = String(STREAMS)]: readonly string[]): Promise<void> {
  const cleanups: (() => void | Promise<void>)[] = []
  await using room = createBenchRoom()
  try {
    const all = Number(count) * (1 + FURTHER)
    const servers = [await startService(room, all, cleanups), await startBare(room, all)]
    console.log(`${count} streams${isPinned ? ', the server on one core, the readers on another' : ''}`)
    for (const server of servers) await measure(server, Number(count), room)
  } finally {
    for (const work of cleanups.reverse()) await work()
  }
}

async function startService({ directory }: BenchRoom, count: number, cleanups: (() => void | Promise<void>)[]): Promise<Server> {
  const words = ['--data-dir', join(directory, 'data'), '--admin-email', 'bench@example.org', '--rate-limits', 'off']
  const before = isPinned ? ['taskset', '-c', '0'] : []
  const streams = ['--streams-max', String(count), '--connections-per-address', '0']
  const { url, child, output } = await serve({ after: (work) => void cleanups.push(work as () => Promise<void>) }, [...words, ...streams], { before })
  const admin = (await run(['token', ...words.slice(0, 2), '--email', 'bench@example.org'])).stdout.trim()
  const post = async (path: string, body: object, token = ''): Promise<{ data: { id: string; token: string } }> => {
    const headers = { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) }
    return (await (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as never
  }
  const { id } = (await post('/api/v1/data?model=topic', { name: 'Streams', description: '', iconUrl: '' }, admin)).data
  const tokens: string[] = []
  while (tokens.length < count) {
    const { token } = (await post('/api/v1/auth/anonymous', {})).data
    tokens.push(...Array.from({ length: Math.min(CHANGE_STREAMS.perUserMax, count - tokens.length) }, () => token))
  }
  const write = (n: number): string => {
    const body = JSON.stringify({ description: String(n) })
    const head = `PATCH /api/v1/data/${id}?model=topic HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${admin}`
    return `${head}\r\nContent-Type: application/merge-patch+json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
  const served = (): readonly number[] => [...output().stderr.matchAll(/"method":"PATCH".*?"ms":([\d.]+)/g)].map(([, ms]) => Number(ms))
  const path = '/api/v1/changes/stream?models=topic'
  return { name: 'the service', pid: child.pid ?? 0, port: Number(new URL(url).port), path, tokens, write, served }
}

async function startBare(room: BenchRoom, count: number): Promise<Server> {
  const { pid, ready } = await room.startServer([process.execPath, join(import.meta.dirname, 'bare-streams.ts')])
  const write = (): string => 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n'
  return { name: 'bare node:http', pid, port: Number(ready), path: '/', tokens: Array.from({ length: count }, () => ''), write, served: () => [] }
}

async function measure({ name, pid, port, path, tokens: all, write, served }: Server, count: number, room: BenchRoom): Promise<void> {
  const send = createWriter(port, write)
  const reader = room.startLoad(join(import.meta.dirname, 'changes-reader.ts'))
  const alone = async (): Promise<{ readonly ms: readonly number[]; readonly cpu: number }> => {
    const [ms, cpu] = [[] as number[], cpuSeconds(pid)]
    for (let n = 0; n < WRITES; n++) {
      ms.push(await send())
      await pause(5)
    }
    return { ms, cpu: (cpuSeconds(pid) - cpu) / WRITES }
  }
  await alone()
  const before = await alone()
  const servedAlone = served()
  const tokens = all.slice(0, count)
  const memoryOf = async (one: ChildProcess, opened: readonly string[]): Promise<number> => {
    const memory = residentMemory(pid).rssMib
    await ask(one, { kind: 'open', port, path, tokens: opened })
    await pause(IDLE_MS)
    return ((residentMemory(pid).rssMib - memory) * 1024) / opened.length
  }
  const idle = await memoryOf(reader, tokens)
  const further = room.startLoad(join(import.meta.dirname, 'changes-reader.ts'))
  const idleFurther = await memoryOf(further, all.slice(count))
  further.disconnect()
  await pause(IDLE_MS)
  const idleCpu = cpuSeconds(pid)
  await pause(IDLE_MS)
  const idleShare = (cpuSeconds(pid) - idleCpu) / (IDLE_MS / 1000)
  const [reached, behind]: [number[], number[]] = [[], []]
  const cpu = cpuSeconds(pid)
  for (let n = 0; n < WRITES; n++) {
    const at = performance.timeOrigin + performance.now()
    const arrived = ask(reader, { kind: 'await', at })
    behind.push(await send())
    reached.push(...(await arrived))
    await pause(REST_MS)
  }
  const cpuBehind = (cpuSeconds(pid) - cpu) / WRITES
  const servedBehind = served().slice(servedAlone.length)
  const during: number[] = []
  for (let n = 0; n < WRITES / 4; n++) {
    await send()
    during.push(await send())
    await pause(REST_MS * 2)
  }
  send.close()
  reader.disconnect()
  const line = (what: string, text: string): void => console.log(`  ${what.padEnd(42)}${text}`)
  const micros = (seconds: number): string => `${(seconds * 1e6).toFixed(seconds < 1e-4 ? 1 : 0)} µs`
  console.log(name)
  line('memory of an idle stream', `${idle.toFixed(1)} KiB, of one of ${all.length - count} further ones ${idleFurther.toFixed(1)} KiB`)
  line('CPU of all while idle', `${(idleShare * 100).toFixed(1)} %`)
  line('from a write to a stream', quantiles(reached))
  line('CPU of a write, without and with streams', `${micros(before.cpu)}, ${micros(cpuBehind)}`)
  line('CPU of an event', micros((cpuBehind - before.cpu) / tokens.length))
  line('response to a write, without streams', quantiles(before.ms))
  line('response to a write, with streams', quantiles(behind))
  if (servedBehind.length > 0) {
    line('in the server, without streams', quantiles(servedAlone.slice(-WRITES)))
    line('in the server, with streams', quantiles(servedBehind))
  }
  line('response to a write right behind another', quantiles(during))
}

/** Gives how long a response took, in ms. */
function createWriter(port: number, write: (n: number) => string) {
  let [n, answered] = [0, (_status: number): void => {}]
  const connection = connectTo(port, (status) => answered(status))
  const send = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const start = performance.now()
      answered = (status) => (status === 200 ? resolve(performance.now() - start) : reject(new Error(`A write was answered with ${status}`)))
      connection.send(write(n++))
    })
  return Object.assign(send, { close: connection.close })
}

async function ask(reader: ChildProcess, job: OpenStreams | AwaitEvents): Promise<Reached> {
  const answered = once(reader, 'message') as Promise<[Reached]>
  reader.send(job)
  return (await answered)[0]
}

function quantiles(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, last ${at(1)} ms`
}
