/** The log of the service on stderr, and lines for the operator beside it. */
import { systemClock } from '../../base/clock.ts'
import { createLog } from '../../base/log.ts'
import type { LogMemory } from '../../base/log-memory.ts'
import { createLogOutput } from '../../base/log-output.ts'
import type { Config } from '../../config/settings.ts'
import type { Terminal } from '../command.ts'

/** How long the end waits for the last lines of the log to be taken. */
const LAST_LINES_MS = 200

/** Whether a program reads the log, and not a person. */
export function writesJsonLog({ logFormat }: Pick<Config, 'logFormat'>, { stderrIsTerminal }: Pick<Terminal, 'stderrIsTerminal'>): boolean {
  return logFormat === 'auto' ? !stderrIsTerminal : logFormat === 'json'
}

export function openServiceLog(config: Config, terminal: Terminal, { keep }: LogMemory) {
  const { logLevel } = config
  const isPretty = !writesJsonLog(config, terminal)
  /** On a terminal the start takes two lines: events below a warning are only kept in memory until it is over. */
  const isQuiet = terminal.stderrIsTerminal && terminal.stdoutIsTerminal && isPretty && logLevel !== 'debug'
  let isStarting = isQuiet
  const output = createLogOutput({
    sink: terminal.openLogSink(),
    onResume: (missing) => log.warn('log.dropped', { lines: missing }),
  })
  const log = createLog({
    level: logLevel,
    format: isPretty ? 'pretty' : 'json',
    now: systemClock,
    write(line, level) {
      if (!isStarting || level === 'warn' || level === 'error') output.add(line, level)
    },
    flush: output.flush,
    keep,
  })
  terminal.watch({
    onCrash: (error) => log.error('crashed', { error }),
    onWarning: (warning) => log.warn('process.warning', { error: warning }),
    onExit: () => output.flushAtExit(LAST_LINES_MS),
  })
  /** What the operator must see, such as a sign-in code, is as important as an error. It is not kept: the log has readers. */
  const print = (line: string): void => output.add(line, 'error')
  const printed = createLog({ level: 'info', format: 'json', now: systemClock, write: print })
  const writeLine = (line: string): void => (isPretty ? print(`${line}\n`) : printed.info('printed', { message: line }))
  return {
    log,
    output,
    writeLine,
    isQuiet,
    started(): void {
      isStarting = false
    },
    /** A line at start: plain where a person reads, an event of the log where a program does. */
    tell(line: string): void {
      if (isPretty) return writeLine(line)
      if (line.startsWith('Warning:')) log.warn('start', { message: line })
      else log.info('start', { message: line })
    },
    drained: (): Promise<unknown> => output.drained(LAST_LINES_MS),
  }
}
