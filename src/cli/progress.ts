/** The progress of a long command: one line, on a terminal only. */
import type { Terminal } from './command.ts'

/** `what` begins the line: `Backing up … 42 %`. */
export function progressOn({ stderr, stderrIsTerminal }: Terminal, what: string) {
  let shown = ''
  const write = (text: string): void => {
    if (!stderrIsTerminal || text === shown) return
    // Back to the beginning of the line, and clear it (ECMA-48: CR, EL).
    stderr.write(`\r\u001b[K${text}`)
    shown = text
  }
  return {
    /** `share` is from 0 to 1. */
    show: (share: number): void => write(`${what} … ${Math.floor(share * 100)} %`),
    /** Clears the line. */
    end: (): void => write(''),
  }
}

/** Aborts when the process is asked to end, so that a command can clean up. */
export function abortOn(interrupted: Promise<string>): AbortSignal {
  const controller = new AbortController()
  void interrupted.then(() => controller.abort())
  return controller.signal
}
