/**
 * Runs a program with a message on its standard input, and reports how it ended. A program may hang, print without end,
 * or have children that outlive it: so it leads its own process group, which is killed as a whole, its output is read
 * and dropped after the first bytes, and its pipes are closed soon after its end.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { MINUTE_MS } from '../../base/duration.ts'
import type { ErrorKind } from './delivery-error.ts'

export const PROGRAM_TIMEOUTS = {
  /** From the start of the program to its end. */
  run: MINUTE_MS,
  /** From SIGTERM to SIGKILL, and from there until we give up waiting. */
  kill: 2_000,
  /** From the end of the program to the end of its output, which a child may hold open. */
  drain: 500,
}
const KEPT_BYTES_MAX = 2_000
/** A program that prints more is broken, or is not a mail program. */
const OUTPUT_BYTES_MAX = 1_000_000

/** Windows has no process groups, and ends lines by CRLF. */
const hasGroups = process.platform !== 'win32'

interface ProgramRun {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly input: string
  readonly timeouts: typeof PROGRAM_TIMEOUTS
}

/** `output` is the start of what it printed: on stderr, else on stdout. */
type ProgramEnd =
  | { readonly kind: 'not-started'; readonly cause: unknown }
  /** We ended it. */
  | { readonly kind: 'stopped'; readonly reason: string; readonly errorKind: ErrorKind | undefined; readonly output: string }
  | { readonly kind: 'exited'; readonly status: number; readonly output: string }
  /** Something else ended it. */
  | { readonly kind: 'killed'; readonly signal: string; readonly output: string }

export function runProgram(run: ProgramRun, signal: AbortSignal | undefined): Promise<ProgramEnd> {
  const { program, args, env } = run
  try {
    const child = spawn(program, [...args], { env, stdio: 'pipe', detached: hasGroups, windowsHide: true })
    return endOf(child, run, signal)
  } catch (cause) {
    return Promise.resolve({ kind: 'not-started', cause })
  }
}

function endOf(child: ChildProcess, { input, timeouts }: ProgramRun, signal?: AbortSignal): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>()
  const timers: NodeJS.Timeout[] = []
  const after = (ms: number, work: () => void): void => void timers.push(setTimeout(work, ms))
  let stopped: { readonly reason: string; readonly errorKind: ErrorKind | undefined } | undefined
  let exit: { readonly status: number | null; readonly signal: string | null } | undefined

  const finish = (): void => {
    for (const timer of timers) clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    for (const stream of child.stdio) stream?.destroy()
    const output = errors() || texts()
    if (stopped !== undefined) resolve({ kind: 'stopped', ...stopped, output })
    else if (typeof exit?.status === 'number') resolve({ kind: 'exited', status: exit.status, output })
    else resolve({ kind: 'killed', signal: exit?.signal ?? 'a signal', output })
  }
  const stop = (reason: string, errorKind?: ErrorKind): void => {
    if (stopped !== undefined || exit !== undefined) return
    stopped = { reason, errorKind }
    signalGroup(child, 'SIGTERM')
    after(timeouts.kill, () => {
      signalGroup(child, 'SIGKILL')
      // A set-user-ID program of another user does not get our signals.
      after(timeouts.kill, finish)
    })
  }
  let printedBytes = 0
  const count = (bytes: number): void => {
    printedBytes += bytes
    if (printedBytes > OUTPUT_BYTES_MAX) stop(`it printed more than ${OUTPUT_BYTES_MAX} bytes`, 'noisy')
  }
  const onAbort = (): void => stop('the service is stopping')
  const [errors, texts] = [keepStart(child.stderr, count), keepStart(child.stdout, count)]

  signal?.addEventListener('abort', onAbort)
  after(timeouts.run, () => stop(`it took longer than ${timeouts.run} ms`, 'slow'))
  child.once('error', (cause) => {
    resolve({ kind: 'not-started', cause })
    finish()
  })
  child.once('exit', (status, killedBy) => {
    exit = { status, signal: killedBy }
    // Kills the rest of the group. After a normal end it may go on: Exim delivers that way.
    if (stopped !== undefined) signalGroup(child, 'SIGKILL')
    after(timeouts.drain, finish)
  })
  child.once('close', finish)
  // A program that does not read the message closes the pipe; its exit status says what that means.
  child.stdin?.on('error', () => {})
  // Unix programs end lines by LF; sendmail and msmtp add the CR of the wire.
  child.stdin?.end(hasGroups ? input.replaceAll('\r\n', '\n') : input)
  return promise
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(hasGroups ? -child.pid : child.pid, signal)
  } catch {
    // It has ended, or belongs to another user.
  }
}

/** Reads a stream to its end. The returned function gives the start of it. */
function keepStart(stream: NodeJS.ReadableStream | null, count: (bytes: number) => void): () => string {
  const kept: Buffer[] = []
  let keptBytes = 0
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, KEPT_BYTES_MAX - keptBytes)
    kept.push(part)
    keptBytes += part.length
    count(chunk.length)
  })
  stream?.on('error', () => {})
  return () => {
    const text = Buffer.concat(kept).toString('utf8').trim()
    // A code that is cut through would not be masked.
    return keptBytes < KEPT_BYTES_MAX ? text : text.replace(/\d+$/, '')
  }
}
