/**
 * A service that is killed with SIGKILL and started again while clients send work, and commands that are killed. A drill is its work
 * and its checks; the way to start, kill and look is here.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../src/store/db/database.ts'
import { faultsOf } from '../../src/store/schema/database-check.ts'
import { COMMAND, finish, programEnvironment, run, serve, type RunningService } from '../tools/program.ts'
import { readDatabase } from '../tools/read-database.ts'
import type { Random } from '../tools/random.ts'
import { temporaryDirectory, type Cleanup } from '../tools/temporary-directory.ts'

const ADMIN = 'admin@example.org'
/** Until a client looks again whether another process is there. */
const RETRY_MS = 20

/** What a drill is run with. */
export interface Drill {
  readonly cleanup: Cleanup
  /** The same decisions for the same seed. */
  readonly random: Random
}

export interface KilledSite {
  readonly data: string
  /** The token of an administrator. */
  readonly admin: string
  /** Resolves while it serves. */
  url(): Promise<string>
  /** One request of the administrator. Rejects where the service is killed meanwhile. */
  call(method: string, path: string, body?: object): Promise<Response>
  /** Kills the process, and resolves when another is ready in its place. */
  kill(): Promise<void>
  /** The same so many times, each after a random time of at most so many milliseconds. */
  killRepeatedly(random: Random, kills: number, msMax: number, afterEach?: (n: number) => Promise<void>): Promise<void>
  /** So many clients send work until the signal, one piece after the other. Work that a kill cuts off is sent again. */
  keepSending(clients: number, signal: AbortSignal, send: (client: number) => Promise<void>): Promise<void>
  readonly isStarting: boolean
  readonly kills: number
  /** When each of the processes was ready. */
  readonly readyAt: readonly number[]
  /** How long the slowest start took: the measure of how busy the machine is. */
  readonly startMs: number
}

export interface SiteOptions {
  /** A data directory that is there already. */
  readonly data?: string
  /** Settings beside those that every site has. */
  readonly words?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

export async function startKilledSite(cleanup: Cleanup, options: SiteOptions = {}): Promise<KilledSite> {
  const { data = join(temporaryDirectory(cleanup), 'data'), words: more = [], environment = {} } = options
  const words = ['--data-dir', data, '--admin-email', ADMIN, '--rate-limits', 'off', '--log-level', 'error', ...more]
  const readyAt: number[] = []
  let [startMs, kills, isStarting] = [0, 0, false]
  const start = async (): Promise<RunningService> => {
    const begun = performance.now()
    const service = await serve(cleanup, words, { environment })
    readyAt.push(Date.now())
    startMs = Math.max(startMs, performance.now() - begun)
    return service
  }
  let running = start()
  await running
  const { code, stdout, stderr } = await run(['token', '--data-dir', data, '--email', ADMIN])
  assert.equal(code, 0, stderr)
  const admin = stdout.trim()
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
  const site: KilledSite = {
    data,
    admin,
    readyAt,
    url: async () => (await running).url,
    call: async (method, path, body) =>
      fetch(`${(await running).url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
    async kill() {
      const killed = running
      isStarting = true
      kills++
      running = (async () => {
        await (await killed).end('SIGKILL')
        return start()
      })()
      await running
      isStarting = false
    },
    async killRepeatedly(random, times, msMax, afterEach) {
      for (let n = 0; n < times; n++) {
        await pause(random.below(msMax))
        await site.kill()
        await afterEach?.(n)
      }
    },
    async keepSending(clients, signal, send) {
      const client = async (_: unknown, nth: number): Promise<void> => {
        while (!signal.aborted) await untilServed(() => send(nth), signal)
      }
      await Promise.all(Array.from({ length: clients }, client))
    },
    get isStarting() {
      return isStarting
    },
    get kills() {
      return kills
    },
    get startMs() {
      return startMs
    },
  }
  return site
}

/** Does work again until the service was there for it: fetch rejects with a TypeError that has a cause where it is not. */
export async function untilServed<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  while (signal?.aborted !== true) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TypeError && error.cause instanceof Error)) throw error
      await pause(RETRY_MS)
    }
  }
  return undefined
}

/** Reads the database of a site, which has to be sound. */
export function inSoundDatabase<T>(data: string, read: (database: Database) => T): T {
  return readDatabase(data, (database) => {
    assert.deepEqual(faultsOf(database), [])
    return read(database)
  })
}

export interface CommandEnd {
  /** None where it was killed. */
  readonly code: number | null
  readonly stderr: string
  readonly ms: number
}

/** Runs a command, and kills it after so many milliseconds or when `arm` says so; `arm` returns what ends its watch. */
export async function runAndKill(
  words: readonly string[],
  killMs?: number,
  arm?: (kill: () => void) => (() => void) | undefined,
): Promise<CommandEnd> {
  const begun = performance.now()
  const [program, ...first] = COMMAND
  const child = spawn(program, [...first, ...words], { stdio: ['ignore', 'ignore', 'pipe'], env: programEnvironment({}) })
  const kill = (): void => void child.kill('SIGKILL')
  const disarm = arm?.(kill)
  const timer = killMs === undefined ? undefined : setTimeout(kill, killMs)
  const { code, stderr } = await finish(child)
  clearTimeout(timer)
  disarm?.()
  return { code, stderr, ms: performance.now() - begun }
}

/** Calls `kill` at the given change of a directory; gives what ends the watch. */
export function killAfter(directory: string, changes: number, kill: () => void): (() => void) | undefined {
  if (changes === 0) return undefined
  let left = changes
  return watchNames(directory, () => {
    if (--left === 0) kill()
  })
}

/** Names that come and go, which is where the steps are; what is written to files does not count. */
export function watchNames(directory: string, onChange: () => void): () => void {
  const watcher = watch(directory, (event) => {
    if (event === 'rename') onChange()
  })
  return () => watcher.close()
}
