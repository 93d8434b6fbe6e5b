/** Arguments in, exit code out. */
import { isatty } from 'node:tty'
import { systemClock } from './base/clock.ts'
import { leaveNodeVariables } from './base/node-variables.ts'
import { systemReason } from './base/system-error.ts'
import { endThreads } from './base/thread.ts'
import { runCommand } from './cli/commands.ts'
import { becomeUser } from './cli/data-owner.ts'
import { EXIT, type ExitCode, type Terminal } from './cli/command.ts'
import { reportOf } from './cli/error-report.ts'
import { openLogSink } from './cli/serve/log-sink.ts'
import { endBySignal, endProcess } from './cli/serve/process-end.ts'

const SAME_SIGNAL_MS = 1_000
/** For the threads of a command to end with it. */
const THREADS_MS_MAX = 300
const WAKE_MS = 60_000

leaveNodeVariables(process.env)
process.umask(0o077)
for (const stream of [process.stdout, process.stderr]) stream.on('error', (error) => outputFailed(stream, error))
// The executable loads one CommonJS script in two thirds of the time of a module, and that cannot await at its top.
void main(process.argv.slice(2)).then(leave)

async function main(words: readonly string[]): Promise<ExitCode> {
  // A command may wait for work whose timers keep no process alive, such as the copies that "repair references" updates.
  const running = setInterval(() => {}, WAKE_MS)
  try {
    return await runCommand(words, terminal())
  } catch (error) {
    const { code, text } = reportOf(error)
    process.stderr.write(`${text}\n`)
    return code
  } finally {
    clearInterval(running)
  }
}

/** Node waits for a thread that does not end before it exits. */
async function leave(code: ExitCode): Promise<void> {
  process.exitCode = code
  if (!(await endThreads(THREADS_MS_MAX))) endBySignal('SIGTERM')
}

/**
 * The reader is gone, as behind `| head -1`, or the disk is full: the program ends, as others do by SIGPIPE. A
 * command that goes on all the same listens for itself.
 */
function outputFailed(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (stream.listenerCount('error') > 1) return
  if (error.code !== 'EPIPE') process.stderr.write(`Cannot write the output: ${systemReason(error)}\n`)
  process.exit(EXIT.failed)
}

function terminal(): Terminal {
  let reload = (): void => {}
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor))
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.isTTY === true ? process.stdout.columns : undefined,
    environment: process.env,
    get interrupted() {
      return new Promise<string>((resolve) => {
        onStopSignals(resolve)
        process.on('SIGHUP', () => {
          if (isHungUp(terminals)) resolve('SIGHUP')
          else reload()
        })
      })
    },
    onReload(listener) {
      reload = listener
    },
    openLogSink: () => openLogSink(),
    become: process.geteuid?.() === 0 ? becomeUser : undefined,
    watch({ onCrash, onWarning, onExit }) {
      process.on('uncaughtExceptionMonitor', onCrash).on('exit', onExit)
      process.removeAllListeners('warning').on('warning', onWarning) // Node's own listener prints them.
    },
    end: (code) => endProcess(code, [process.stdout, process.stderr]),
  }
}

/**
 * Whether SIGHUP has its first meaning, that the terminal is gone: the program is to end then, as any would. Windows
 * knows no other, and ends the process some seconds later whatever it does.
 */
function isHungUp(terminals: readonly number[]): boolean {
  return process.platform === 'win32' || terminals.some((descriptor) => !isatty(descriptor))
}

/**
 * The first signal asks to stop; another one ends the process immediately. Ctrl-C
 * under npm sends the same signal twice in a moment, which counts as one.
 */
function onStopSignals(stop: (signal: string) => void): void {
  let first: { readonly signal: string; readonly at: number } | undefined
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      const now = systemClock()
      if (first === undefined) {
        first = { signal, at: now }
        stop(signal)
      } else if (first.signal !== signal || now - first.at > SAME_SIGNAL_MS) {
        endBySignal(signal)
      }
    })
  }
}
