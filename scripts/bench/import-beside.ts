/**
 * `npm run bench -- import-beside [N]`: N headlines (default 30,000) are imported alone, beside a service that is idle, and beside
 * one that gets 200 writes a second, in turns: how fast the import is, and how long the writes of others take.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { finish } from '../tools/program.ts'
import { median, percentile } from '../tools/percentile.ts'
import { createBenchRoom } from './bench-processes.ts'
import { startTarget, type Target } from './bench-target.ts'
import { writeHeadlines } from './import-bench.ts'

const HEADLINES_DEFAULT = 30_000
const ROUNDS = 3
const WRITE_EVERY_MS = 5

export async function benchImportBeside([count = String(HEADLINES_DEFAULT)]: readonly string[]): Promise<void> {
  await using room = createBenchRoom()
  const [file = ''] = writeHeadlines(room.directory, Number(count), 1)
  const rate = async (name: string): Promise<number> => {
    const begun = performance.now()
    const words = ['src/main.ts', 'import', '--data-dir', join(room.directory, name), '--model', 'headline', '--keep', file]
    const { code } = await finish(spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] }))
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`)
    return (Number(count) * 1_000) / (performance.now() - begun)
  }
  const rates = { alone: [] as number[], idle: [] as number[], busy: [] as number[] }
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rates.alone.push(await rate('alone'))
    for (const kind of ['idle', 'busy'] as const) {
      const target = await startTarget(room, { name: kind, count: 0 })
      const ending = new AbortController()
      const writes = kind === 'busy' ? writeTopics(target, times, ending.signal) : undefined
      rates[kind].push(await rate(kind))
      ending.abort()
      await writes
      process.kill(target.pid)
    }
    for (const name of Object.keys(rates)) rmSync(join(room.directory, name), { recursive: true, force: true })
  }
  const alone = median(rates.alone)
  for (const [name, all] of Object.entries(rates)) {
    const ratios = all.map((one, i) => one / (rates.alone[i] ?? alone))
    console.log(`${name.padEnd(8)} ${Math.round(median(all))} rows/s, ${median(ratios).toFixed(2)} of alone (${ratios.map((one) => one.toFixed(2)).join(', ')})`)
  }
  const [p50 = 0, p99 = 0] = [0.5, 0.99].map((share) => percentile(times, share))
  console.log(`writes of others: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${times.length}; wanted p99 at most 50 ms`)
}

/** Creates topics, each at its time whether or not the one before it has ended. */
async function writeTopics({ port, adminToken }: Target, times: number[], signal: AbortSignal): Promise<void> {
  const writes: Promise<void>[] = []
  for (let i = 0; !signal.aborted; i++) {
    writes.push(writeTopic(`http://127.0.0.1:${port}/api/v1/data?model=topic`, { token: adminToken, name: `Topic ${i}` }, times))
    await pause(WRITE_EVERY_MS)
  }
  await Promise.all(writes)
}

async function writeTopic(url: string, { token, name }: { readonly token: string; readonly name: string }, times: number[]): Promise<void> {
  const begun = performance.now()
  const body = JSON.stringify({ name, description: 'A topic', iconUrl: 'https://images.example/topic.png', status: 'active' })
  const response = await fetch(url, { method: 'POST', body, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } })
  if (response.status !== 201) throw new Error(`A write was answered with ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
  times.push(performance.now() - begun)
}
