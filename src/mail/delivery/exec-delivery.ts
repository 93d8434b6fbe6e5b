/**
 * Delivery by a program of the operator's: sendmail, msmtp, or a script of a site whose mail goes another way.
 *
 * The program is started without a shell, gets the message on its standard input, and says by its exit status what
 * became of it. What a user sent reaches it only there and in two environment variables, never as an argument, where
 * an address that opens with a hyphen would be an option. It gets none of our own environment but what programs need
 * to find their files, for that is where the secrets of a service often are.
 *
 * A program may hang, print without end, or have children that outlive it. So it leads a process group of its own,
 * which is ended as a whole, with SIGTERM and then SIGKILL; what it prints is read and dropped; and its pipes are let
 * go soon after its end, whoever still holds the other ends.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { MINUTE_MS } from '../../base/duration.ts'
import { systemReason } from '../../base/system-error.ts'
import { wireAddress } from '../address.ts'
import { DeliveryError, type DeliveryErrorParts, type DeliveryProblem, safeText, type Trace } from './delivery-error.ts'

const TIMEOUTS = {
  /** From the start of the program to its end. */
  run: MINUTE_MS,
  /** From SIGTERM to SIGKILL, and from there until we no longer wait. */
  kill: 2_000,
  /** From the end of the program to the end of its output, which a child of it may hold open. */
  drain: 500,
}
/** What is kept of each of its outputs. */
const KEPT_BYTES_MAX = 2_000
/** A program that prints more is no mail program, or one gone mad. */
const OUTPUT_BYTES_MAX = 1_000_000
const REPLY_LINES_MAX = 3

/** The variables that a program gets of our environment. */
const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TZ'] as const

const DELIVERED = 0
/** EX_TEMPFAIL of sysexits.h. */
const TRY_LATER = 75

/** What the other numbers of sysexits.h mean, which sendmail and its kin keep to. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  64: 'wrong arguments',
  65: 'wrong input',
  66: 'no input',
  67: 'recipient unknown',
  68: 'host unknown',
  69: 'service unavailable',
  70: 'internal error',
  71: 'error of the system',
  72: 'a file of the system is missing',
  73: 'cannot create a file',
  74: 'input or output failed',
  75: 'try later',
  76: 'error of the protocol',
  77: 'permission denied',
  78: 'wrong configuration',
}

export interface ExecCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Our own environment; the program gets a few variables of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** In milliseconds; shorter ones for tests. */
  readonly timeouts?: Partial<typeof TIMEOUTS>
}

export interface ExecMail {
  readonly from: string
  readonly to: string
  /** As `composeMessage` gives it. */
  readonly message: string
}

export interface ExecOptions {
  /** Ends the program, with a temporary error. */
  readonly signal?: AbortSignal | undefined
  readonly trace?: Trace | undefined
}

/** Hands over one mail; resolves with what the program printed. Rejects with a DeliveryError. */
export async function deliverByProgram(
  command: ExecCommand,
  mail: ExecMail,
  { signal, trace = () => {} }: ExecOptions = {},
): Promise<string> {
  const refused = (text: string, parts: Omit<DeliveryErrorParts, 'stage'>): DeliveryError =>
    new DeliveryError(`Cannot deliver mail through the program ${JSON.stringify(command.program)}: ${text}`, {
      stage: 'exec',
      ...parts,
    })
  trace({ from: 'note', text: `starting ${JSON.stringify(command.program)}` })
  if (signal?.aborted === true) throw refused('the service is stopping', { temporary: true })
  const { code, killedBy, ending, failure, output } = await finished(command, mail, signal)
  const lines = firstLines(output)
  for (const text of lines) trace({ from: 'server', text })
  const reply = lines.length === 0 ? {} : { reply: lines.join(' / ') }
  const found = lines.length === 0 ? '' : `, got ${JSON.stringify(reply.reply)}`
  // Nothing is wrong with the mail where the program cannot be started or did not come to its own end.
  if (failure !== undefined) {
    const text = `it cannot be started (${systemReason(failure)})`
    throw refused(text, { temporary: true, problem: 'start', cause: failure })
  }
  if (ending !== undefined) {
    throw refused(`${ending.text}${found}`, { temporary: true, problem: ending.problem, ...reply })
  }
  if (code === null) {
    throw refused(`it was ended by ${killedBy ?? 'something'}${found}`, {
      temporary: true,
      problem: 'killed',
      ...reply,
    })
  }
  const words = STATUS_WORDS[code]
  const status = `status ${code}${words === undefined ? '' : ` (${words})`}`
  trace({ from: 'note', text: `it ended with ${status}` })
  if (code === DELIVERED) return reply.reply ?? 'the program took it'
  throw refused(`it ended with ${status}${found}`, {
    temporary: code === TRY_LATER,
    problem: 'status',
    exitStatus: code,
    ...reply,
  })
}

/** How the program came to its end. */
interface Finished {
  code: number | null
  killedBy: NodeJS.Signals | null
  /** Why we ended it, if we did. */
  ending: { readonly text: string; readonly problem?: DeliveryProblem } | undefined
  /** Why it could not be started, if so. */
  failure: unknown
  /** The opening of what it printed: of its errors if there are any, else of the rest. */
  output: string
}

function finished(command: ExecCommand, mail: ExecMail, signal: AbortSignal | undefined): Promise<Finished> {
  const { run, kill, drain } = { ...TIMEOUTS, ...command.timeouts }
  const end: Finished = { code: null, killedBy: null, ending: undefined, failure: undefined, output: '' }
  let child: ChildProcess
  try {
    child = spawn(command.program, [...command.args], {
      env: environmentFor(command, mail),
      stdio: 'pipe',
      detached: hasGroups,
      windowsHide: true,
    })
  } catch (failure) {
    return Promise.resolve({ ...end, failure })
  }
  return new Promise((resolve) => {
    const timers: NodeJS.Timeout[] = []
    const after = (ms: number, work: () => void): void => void timers.push(setTimeout(work, ms))
    const finish = (): void => {
      for (const timer of timers) clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      for (const stream of child.stdio) stream?.destroy()
      resolve({ ...end, output: errors() || words() })
    }
    let hasExited = false
    const endIt = (text: string, problem?: DeliveryProblem): void => {
      if (end.ending !== undefined || hasExited) return
      end.ending = problem === undefined ? { text } : { text, problem }
      signalGroup(child, 'SIGTERM')
      after(kill, () => {
        signalGroup(child, 'SIGKILL')
        // A program that runs as somebody else, by set-user-ID, need not hear us.
        after(kill, finish)
      })
    }
    let printedBytes = 0
    const count = (bytes: number): void => {
      printedBytes += bytes
      if (printedBytes > OUTPUT_BYTES_MAX) endIt(`it printed more than ${OUTPUT_BYTES_MAX} bytes`, 'noisy')
    }
    const onAbort = (): void => endIt('the service is stopping')
    const [errors, words] = [keepOpening(child.stderr, count), keepOpening(child.stdout, count)]

    signal?.addEventListener('abort', onAbort)
    after(run, () => endIt(`it took longer than ${run} ms`, 'slow'))
    child.once('error', (error) => {
      end.failure = error
      finish()
    })
    child.once('exit', (code, killedBy) => {
      hasExited = true
      Object.assign(end, { code, killedBy })
      // What is left of the group goes with its leader. After a normal end it may stay: exim delivers that way.
      if (end.ending !== undefined) signalGroup(child, 'SIGKILL')
      after(drain, finish)
    })
    child.once('close', finish)
    // A program that does not read the message closes the pipe; its exit status says what that means.
    child.stdin?.on('error', () => {})
    // Programs of Unix end lines by LF; sendmail and msmtp put the CR of the wire back.
    child.stdin?.end(hasGroups ? mail.message.replaceAll('\r\n', '\n') : mail.message)
  })
}

/** Windows has no process groups, and ends lines by CRLF. */
const hasGroups = process.platform !== 'win32'

function environmentFor({ environment }: ExecCommand, { from, to }: ExecMail): Record<string, string> {
  const passed = PASSED_ON.flatMap((name): [string, string][] => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value]]
  })
  return {
    ...Object.fromEntries(passed),
    DATELINE_MAIL_FROM: wireAddress(from) ?? from,
    DATELINE_MAIL_TO: wireAddress(to) ?? to,
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(hasGroups ? -child.pid : child.pid, signal)
  } catch {
    // It is gone, or it is not ours to end.
  }
}

/** Reads a stream to its end, and gives its opening. */
function keepOpening(stream: NodeJS.ReadableStream | null, count: (bytes: number) => void): () => string {
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
    // Where a code is cut through, what is left of it would not be known for one.
    return keptBytes < KEPT_BYTES_MAX ? text : text.replace(/\d+$/, '')
  }
}

/** The first lines that say something, fit for the log. */
function firstLines(output: string): readonly string[] {
  return output
    .split(/\r\n|\r|\n/)
    .map((line) => safeText(line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '), []))
    .filter((line) => line !== '')
    .slice(0, REPLY_LINES_MAX)
}
