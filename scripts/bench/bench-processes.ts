/**
 * The processes of a benchmark: servers on the first core, the load on the second, where `taskset` and two cores are
 * there. Each of them ends with this process.
 */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface RunningServer {
  readonly pid: number
  /** What the server printed when it was ready. */
  readonly ready: string
}

export const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0

/** Processes and a directory that are gone after the run. */
export function createBenchRoom() {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-bench-'))
  const children: ChildProcess[] = []
  const start = (core: number, words: readonly string[], stdio: StdioOptions): ChildProcess => {
    const [command = '', ...rest] = [...(isPinned ? ['taskset', '-c', String(core)] : []), ...words]
    const child = spawn(command, rest, { cwd: join(import.meta.dirname, '../..'), stdio })
    children.push(child)
    return child
  }
  return {
    directory,
    /** Starts a server, and waits for the line that it prints. The log of a service is written and read by nothing. */
    async startServer(words: readonly string[], { hasLog = false, isReady = (line: string) => line !== '' } = {}): Promise<RunningServer> {
      const server = start(0, words, ['pipe', 'pipe', hasLog ? 'ignore' : 'inherit'])
      if (server.stdout === null || server.pid === undefined) throw new Error(`Cannot start ${words.join(' ')}`)
      for await (const line of createInterface({ input: server.stdout })) {
        if (isReady(line)) return { pid: server.pid, ready: line }
      }
      throw new Error(`${words.join(' ')} ended before it was ready`)
    },
    /** Ends a server as its operator does. */
    async stopServer(pid: number): Promise<void> {
      const server = children.find((child) => child.pid === pid)
      if (server === undefined) throw new Error(`No server has the process id ${pid}`)
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    },
    /** A program of Node that takes one job after the other as messages. */
    startLoad(program: string): ChildProcess {
      return start(1, [process.execPath, program], ['ignore', 'inherit', 'inherit', 'ipc'])
    },
    async [Symbol.asyncDispose]() {
      const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      const ended = running.map((child) => once(child, 'exit'))
      for (const child of running) child.kill('SIGKILL')
      await Promise.all(ended)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export type BenchRoom = ReturnType<typeof createBenchRoom>
