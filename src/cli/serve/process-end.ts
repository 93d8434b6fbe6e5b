/**
 * Ends a process whose work is done, within a second, whatever hangs in it. Before it exits, Node waits for its threads
 * and for the system calls of its thread pool. Where one never returns (native code, a network disk), the process ends
 * by a signal, which waits for nothing.
 */
import type { Writable } from 'node:stream'
import { pause, within } from '../../base/pause.ts'
import { endThreads } from '../../base/thread.ts'
import type { ExitCode } from '../command.ts'

/** For the last lines of the log to be written. */
const WRITE_MS_MAX = 250
const THREADS_MS_MAX = 300
const CALLS_MS_MAX = 200
const CALLS_POLL_MS = 20

/** Ends with the code, or by SIGTERM where a thread or a system call hangs. */
export async function endProcess(code: ExitCode, streams: readonly Writable[]): Promise<never> {
  process.exitCode = code
  await within(WRITE_MS_MAX, Promise.all(streams.map(written)))
  const areEnded = await endThreads(THREADS_MS_MAX)
  if (areEnded && (await callsReturn())) process.exit(code)
  return endBySignal('SIGTERM')
}

/** Ends the process immediately by the default action of a signal, as for a second Ctrl-C. */
export function endBySignal(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  // The first process of a container does not die by its own signals.
  process.abort()
}

async function callsReturn(): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < CALLS_MS_MAX; waitedMs += CALLS_POLL_MS) {
    if (!process.getActiveResourcesInfo().some((name) => CALL.test(name))) return true
    await pause(CALLS_POLL_MS)
  }
  return false
}

/** Node's names: `FSReqPromise`, `GetAddrInfoReqWrap`. */
const CALL = /^(?:FSReq|GetAddrInfo|GetNameInfo|CloseReq)/

function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()))
}
