/**
 * `npm run bench -- backup [MB]`: how long writes to a service take while its database of MB megabytes (default 1,000)
 * is backed up by another process, beside how long they take without. Headlines are replaced at a steady rate from
 * another process; a write that is late because one before it was late counts from when it was due.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fillDirectory } from './bench/filled-service.ts'

const MB_DEFAULT = 1_000
/** What a sample headline takes with its part of the indexes. */
const BYTES_PER_HEADLINE = 3_250
const IDS_REPLACED = 1_000
const WRITES_PER_SECOND = 150
const QUIET_MS = 15_000
/** The log that grew meanwhile has to be moved; that counts as well. */
const AFTER_MS = 5_000

export async function benchBackup([megabytes = String(MB_DEFAULT)]: readonly string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-bench-'))
  let service: ChildProcess | undefined
  try {
    const { token, world } = await fillDirectory(directory, Math.round((Number(megabytes) * 1e6) / BYTES_PER_HEADLINE))
    // Bodies of these are read first.
    const ids = world.ids.filter((_, i) => i % Math.ceil(world.ids.length / IDS_REPLACED) === 0)
    const words = ['src/main.ts', 'serve', '--port', '0', '--data-dir', directory, '--rate-limits', 'off']
    service = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] })
    const port = await readyPort(service)
    const size = statSync(join(directory, 'dateline.db')).size
    console.log(`database of ${(size / 1e6).toFixed(0)} MB, ${WRITES_PER_SECOND} headlines replaced a second`)
    const writer = writeSteadily(port, { token, ids })
    await pause(2_000)
    writer.take()
    await pause(QUIET_MS)
    report('without a backup', writer.take())
    const start = performance.now()
    const backup = spawn(process.execPath, ['src/main.ts', 'backup', '--data-dir', directory], { stdio: 'inherit' })
    const [code] = (await once(backup, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`The backup ended with ${code}`)
    const seconds = (performance.now() - start) / 1000
    report(`during a backup of ${seconds.toFixed(1)} s`, writer.take())
    const log = statSync(join(directory, 'dateline.db-wal')).size
    await pause(AFTER_MS)
    report(`after it, with ${(log / 1e6).toFixed(0)} MB in the log`, writer.take())
    await writer.stop()
  } finally {
    service?.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
}

async function readyPort(service: ChildProcess): Promise<number> {
  if (service.stdout === null) throw new Error('The service has no output')
  for await (const line of createInterface({ input: service.stdout }))
    return (JSON.parse(line) as { port: number }).port
  throw new Error('The service ended before it was ready')
}

interface Target {
  readonly token: string
  readonly ids: readonly string[]
}

function writeSteadily(port: number, { token, ids }: Target): { take(): number[]; stop(): Promise<void> } {
  let [latencies, isOver, sent] = [[] as number[], false, 0]
  const url = (id: string): string => `http://127.0.0.1:${port}/api/v1/data/${id}?model=headline`
  const authorization = `Bearer ${token}`
  const replace = async (due: number): Promise<void> => {
    const id = ids[(sent++ * 7919) % ids.length] ?? ''
    const stored = bodies.get(id)
    const body = JSON.stringify({ ...stored, title: `Replaced ${sent} of ${String(stored?.['title'])}` })
    const response = await fetch(url(id), {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    })
    if (response.status !== 200) throw new Error(await response.text())
    await response.arrayBuffer()
    latencies.push(performance.now() - due)
  }
  const bodies = new Map<string, Record<string, unknown>>()
  const running = (async () => {
    for (const id of ids) {
      const response = await fetch(url(id), { headers: { authorization } })
      bodies.set(id, ((await response.json()) as { data: Record<string, unknown> }).data)
    }
    const under = new Set<Promise<void>>()
    for (let due = performance.now(); !isOver; due += 1000 / WRITES_PER_SECOND) {
      await pause(Math.max(0, due - performance.now()))
      const write: Promise<void> = replace(due).finally(() => under.delete(write))
      under.add(write)
    }
    await Promise.all(under)
  })()
  return {
    take() {
      const taken = latencies
      latencies = []
      return taken
    },
    async stop() {
      isOver = true
      await running
    },
  }
}

function report(name: string, latencies: number[]): void {
  latencies.sort((a, b) => a - b)
  const at = (share: number): string => (latencies[Math.floor(share * (latencies.length - 1))] ?? 0).toFixed(1)
  console.log(
    `${name.padEnd(44)} ${String(latencies.length).padStart(6)} writes, ms: median ${at(0.5)}, 99 % ${at(0.99)}, ` +
      `99.9 % ${at(0.999)}, longest ${at(1)}`,
  )
}
