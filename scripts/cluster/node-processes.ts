/** Nodes of a cluster as processes of this program that can be killed, paused and started again on their ports. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanEnvironment, run, type Finished } from '../tools/program.ts'
import { WITH_PARENT } from '../tools/with-parent.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const READY_MS_MAX = 180_000
const STOP_MS_MAX = 60_000
/** A node that takes longer to say that it is ready is asked again. */
const RESPONSE_MS_MAX = 5_000
const POLL_MS = 50
const LOG_CHARS_SHOWN = 2_000

export interface NodePlan {
  readonly port: number
  readonly dataDir: string
  /** The file that gets what the node prints. */
  readonly log: string
  /** URLs of the etcd servers, as this node reaches them; none where it runs alone. */
  readonly etcd: readonly string[]
  /** Where the other nodes reach it, if not at its port. */
  readonly nodeUrl?: string | undefined
}

export interface NodesOptions {
  readonly plans: readonly NodePlan[]
  /** Settings of all nodes. */
  readonly words: readonly string[]
  /** Options of node itself, and variables. */
  readonly nodeOptions?: readonly string[] | undefined
  readonly environment?: Readonly<Record<string, string>> | undefined
}

export function createNodes({ plans, words, nodeOptions = [], environment = {} }: NodesOptions) {
  const running = new Map<number, ChildProcess>()
  const planOf = (i: number): NodePlan => {
    const plan = plans[i]
    if (plan === undefined) throw new Error(`There is no node ${i}`)
    return plan
  }
  const logOf = (i: number): string => readFileSync(planOf(i).log, 'utf8')
  const clusterWords = (i: number): readonly string[] => planOf(i).etcd.length === 0 ? [] : ['--cluster', planOf(i).etcd.join()]
  const dataDir = (i: number): string => planOf(i).dataDir
  /** Runs a command on the data directory of a node to its end. Throws where it fails. */
  const command = async (i: number, ...given: readonly string[]): Promise<Finished> => {
    const finished = await run([...given, '--data-dir', dataDir(i)])
    if (finished.code !== 0) throw new Error(`${given.join(' ')} ended with ${finished.code}: ${finished.stderr}`)
    return finished
  }
  const start = (i: number): void => {
    const { port, log: file, nodeUrl } = planOf(i)
    const log = openSync(file, 'a')
    const own = ['--port', String(port), '--data-dir', dataDir(i), ...clusterWords(i), ...(nodeUrl === undefined ? [] : ['--cluster-node-url', nodeUrl])]
    const [program = '', ...before] = [...WITH_PARENT, process.execPath, ...nodeOptions]
    const child = spawn(program, [...before, MAIN, 'serve', ...own, ...words], {
      stdio: ['ignore', log, log],
      env: cleanEnvironment(environment),
    })
    closeSync(log)
    running.set(i, child)
  }
  const urlOf = (i: number): string => `http://127.0.0.1:${planOf(i).port}`
  /** Ends a node and gives its exit code; null where a signal ended it. */
  const end = async (i: number, signal: NodeJS.Signals): Promise<number | null> => {
    const child = running.get(i)
    running.delete(i)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const closed = once(child, 'exit') as Promise<[number | null]>
    child.kill('SIGCONT')
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
    const [code] = await closed
    clearTimeout(timer)
    return code
  }
  return {
    count: plans.length,
    ports: plans.map(({ port }) => port),
    urls: plans.map((_, i) => urlOf(i)),
    command,
    start,
    end,
    clusterWords,
    dataDir,
    pause: (i: number): void => void running.get(i)?.kill('SIGSTOP'),
    resume: (i: number): void => void running.get(i)?.kill('SIGCONT'),
    pidOf: (i: number): number => running.get(i)?.pid ?? 0,
    /** Nodes that ended by themselves, with the end of their logs. */
    ended: (): readonly string[] =>
      [...running].flatMap(([i, { exitCode, signalCode }]) =>
        exitCode === null && signalCode === null
          ? []
          : [`node ${i} ended with ${exitCode ?? signalCode}: ${logOf(i).slice(-LOG_CHARS_SHOWN)}`],
      ),
    logOf,
    /** Waits until a node serves requests. */
    async ready(i: number): Promise<void> {
      for (const begun = performance.now(); !(await isReady(urlOf(i))); await pause(POLL_MS)) {
        const child = running.get(i)
        if (child?.exitCode !== null || performance.now() - begun > READY_MS_MAX) {
          throw new Error(`Node ${i} is not ready: ${logOf(i).slice(-LOG_CHARS_SHOWN)}`)
        }
      }
    },
    async stop(): Promise<void> {
      await Promise.all(plans.map((_, i) => end(i, 'SIGKILL')))
    },
  }
}

export type Nodes = ReturnType<typeof createNodes>

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(RESPONSE_MS_MAX) })).ok
  } catch {
    return false
  }
}
