/**
 * The program as a process of its own, run by the Node that runs the tests: from the bundle that `npm test` makes of the
 * sources and names in TEST_BUNDLE, else from the sources. With TEST_PROGRAM it is that executable, which gets no variable
 * at all but those of the test. It has one thread, of which hundreds are started, where DATELINE_THREADS does not say
 * otherwise.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Cleanup } from './temporary-directory.ts'

const COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled')
const MAIN = process.env['TEST_BUNDLE'] ?? join(import.meta.dirname, '../../src/main.ts')
/** The executable that is tested in place of the sources. */
export const EXECUTABLE = process.env['TEST_PROGRAM']
/** What starts the program, before its own words. */
export const COMMAND: readonly [string, ...string[]] = EXECUTABLE === undefined ? [process.execPath, MAIN] : [EXECUTABLE]
const [PROGRAM, ...WORDS] = COMMAND
/** Of each stream the end: the log of a service under attack has no end. */
const OUTPUT_CHARS_KEPT = 64 * 1024 * 1024
const THREADS = { DATELINE_THREADS: process.env['DATELINE_THREADS'] ?? '1' }
/** The executable reads the settings of the machine otherwise. */
const NO_FILE = EXECUTABLE === undefined ? {} : { DATELINE_CONFIG: 'none' }

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Whether the reader of stdout is gone before the first line. */
  readonly unread?: boolean
  /** A command that ends in `exec`, which gets the program and its words. Of `serve` alone. */
  readonly before?: readonly string[]
}

/** Runs a command to its end. */
export async function run(
  words: readonly string[],
  { input = '', environment = {}, unread = false }: RunOptions = {},
): Promise<Finished> {
  const child = spawn(PROGRAM, [...WORDS, ...words], { env: programEnvironment(environment) })
  const finished = finish(child)
  if (unread) child.stdout?.destroy()
  child.stdin?.on('error', () => {}) // A command that refuses its arguments does not read its input.
  child.stdin?.end(input)
  return finished
}

/** Resolves with the output of a process and its exit code when it has ended. */
export async function finish(child: ChildProcess): Promise<Finished> {
  const output = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output() }
}

export interface RunningService {
  readonly child: ChildProcess
  /** Resolves with the first event of this name in the log that is there or comes. */
  logged(event: string): Promise<Readonly<Record<string, unknown>>>
  readonly url: string
  readonly ready: Readonly<Record<string, unknown>>
  readonly output: () => { readonly stdout: string; readonly stderr: string }
  /** Sends the signal and waits for the end; gives the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts `serve`, on a free port where the words have none, and waits for its ready line. */
export async function serve(t: Cleanup, words: readonly string[], options: RunOptions = {}): Promise<RunningService> {
  const [program = PROGRAM, ...before] = [...(options.before ?? []), PROGRAM]
  const port = words.includes('--port') ? [] : ['--port', '0']
  const child = spawn(program, [...before, ...WORDS, 'serve', ...port, ...words], {
    env: programEnvironment(options.environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collect(child)
  const closed = once(child, 'close') as Promise<[number | null]>
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const ready = await new Promise<Record<string, unknown>>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [line, rest] = output().stdout.split('\n')
      if (rest !== undefined) resolve(JSON.parse(line ?? '') as Record<string, unknown>)
    })
    void closed.then(() => reject(new Error(`The service ended before it was ready:\n${output().stderr}`)))
  })
  return {
    child,
    url: String(ready['url']),
    ready,
    output,
    logged: (event) => loggedEvent(child, output, event),
    async end(signal) {
      child.kill(signal)
      const [code] = await closed
      return code
    },
  }
}

async function loggedEvent(
  child: ChildProcess,
  output: () => { readonly stderr: string },
  event: string,
): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const line = output()
      .stderr.split('\n')
      .find((one) => one.endsWith('}') && (JSON.parse(one) as { event: string }).event === event)
    if (line !== undefined) return JSON.parse(line) as Record<string, unknown>
    assert.equal(child.exitCode, null, `the service ended without the event ${event}`)
    if (child.stderr !== null) await Promise.race([once(child.stderr, 'data'), once(child, 'close')])
  }
}

/** The executable gets what the test gives it and no more. */
export function programEnvironment(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return EXECUTABLE === undefined ? cleanEnvironment(own) : { ...THREADS, ...NO_FILE, ...own }
}

/** No setting of the machine that runs the tests may reach the program. */
export function cleanEnvironment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  // Dozens of processes run the same sources; Node may keep what it compiled.
  return { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE, ...THREADS, ...NO_FILE, ...own }
}

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => void (stdout = (stdout + text).slice(-OUTPUT_CHARS_KEPT)))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => void (stderr = (stderr + text).slice(-OUTPUT_CHARS_KEPT)))
  return () => ({ stdout, stderr })
}
