/** `dateline serve`: runs the service until it is asked to stop. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { startApp, type App } from '../../app.ts'
import { loadPageAssets } from '../../app/page-assets.ts'
import { systemClock } from '../../base/clock.ts'
import { createLog, type AdjustableLog, type Log } from '../../base/log.ts'
import { createLogMemory, type LogMemory } from '../../base/log-memory.ts'
import { createLogOutput, type LogOutput } from '../../base/log-output.ts'
import { VERSION } from '../../base/version.ts'
import { ConfigError } from '../../config/config-error.ts'
import { exposureWarnings } from '../../config/exposed-files.ts'
import { readConfig } from '../../config/read-config.ts'
import { readSecrets } from '../../config/secrets.ts'
import { SETTINGS, type Config } from '../../config/settings.ts'
import { shownSettings } from '../../config/shown-settings.ts'
import { databaseFile } from '../../store/sqlite/data-dir.ts'
import { EXIT, type Arguments, type Command, type Terminal } from '../command.ts'
import { watchParent } from './parent-watch.ts'
import { inheritedSocket, notifier } from './systemd.ts'
import { requireTokenPath, writeTokenFile, type TokenFile } from './token-file.ts'

/** How long the end waits for the last lines of the log to be taken. */
const LAST_LINES_MS = 200

export const serveCommand: Command = {
  name: 'serve',
  summary: 'run the service',
  options: [],
  settings: SETTINGS.map(({ name }) => name),
  examples: [
    'dateline serve --admin-email you@example.org',
    'dateline serve --port 0 --data-dir /srv/dateline --mail smtp://mail.example.org',
  ],
  async run(args, terminal) {
    const { settings } = args
    // From here on a signal is heard: one that comes right after the ready line must not find the default handler.
    const { interrupted } = terminal
    // Who read our lines may be gone: a terminal that was closed, an app that died. The service still has to end well.
    for (const stream of [terminal.stdout, terminal.stderr]) stream.on('error', () => {})
    const config = readConfig(settings, terminal.environment)
    const secrets = readSecrets(terminal.environment)
    if (config.tokenFile !== undefined) requireTokenPath(config.tokenFile, config.dataDir)
    const isNew = !existsSync(databaseFile(config.dataDir))
    const logMemory = createLogMemory()
    const { log, output } = openLog(config, terminal, logMemory)
    // What the operator is told, such as a sign-in code, is no less important than an error.
    const writeLine = (line: string): void => output.add(`${line}\n`, 'error')
    const parent = config.exitWithParent ? watchParent(terminal.stdin) : undefined
    const notify = notifier(terminal.environment, log)
    const pageAssets = config.dashboard ? loadPageAssets() : undefined
    const handed = inheritedSocket(terminal.environment, process.pid)
    try {
      const app = await startApp(config, secrets, {
        now: systemClock,
        log,
        logMemory,
        logOutput: output,
        settings: shownSettings(settings, terminal.environment),
        writeLine,
        environment: terminal.environment,
        inheritedSocket: handed,
        pageAssets,
      })
      const tokenFile = await giveToken(config, app)
      terminal.onReload(() => reload(args, { terminal, log, app }))
      const exposed = exposureWarnings(settings, terminal.environment)
      for (const line of welcome(config, app, { isNew, hasDashboard: pageAssets !== undefined, exposed }))
        say(line, { config, terminal, log, writeLine })
      log.flush()
      terminal.stdout.write(readyLine(app, terminal))
      notify('READY=1', `STATUS=Listening on ${app.url}`)
      const reason = await Promise.race([interrupted, ...(parent === undefined ? [] : [parent.gone])])
      notify('STOPPING=1')
      log.info('stopping', { reason })
      tokenFile?.remove()
      await app.close()
      log.info('stopped')
    } finally {
      parent?.stop()
      log.flush()
    }
    await output.drained(LAST_LINES_MS)
    return terminal.end(EXIT.ok)
  },
}

/** One line on stdout, when requests are accepted: for a person on a terminal, for a program elsewhere. */
function readyLine({ url, port, instance }: App, { stdoutIsTerminal }: Terminal): string {
  if (stdoutIsTerminal) return `Dateline ${VERSION} is ready at ${url}\n`
  return `${JSON.stringify({ event: 'ready', url, port, pid: process.pid, instance, version: VERSION })}\n`
}

/** Writes a token for the app that started us. Where it cannot, the service ends: the app could do nothing with it. */
async function giveToken({ tokenFile, adminEmail }: Config, app: App): Promise<TokenFile | undefined> {
  if (tokenFile === undefined) return undefined
  try {
    const token = await app.services.accounts.instanceToken(adminEmail, systemClock())
    return writeTokenFile(tokenFile, token, app.services.newId())
  } catch (error) {
    await app.close()
    throw error
  }
}

interface Running {
  readonly terminal: Terminal
  readonly log: AdjustableLog
  readonly app: App
}

/**
 * Reads the settings again and takes what can change without a restart. Settings that cannot be used change nothing.
 */
function reload({ settings }: Arguments, { terminal, log, app }: Running): void {
  try {
    const config = readConfig(settings, terminal.environment)
    log.setLevel(config.logLevel)
    app.reload(config, shownSettings(settings, terminal.environment))
    log.info('reloaded')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    log.error('reload.failed', { reason: error.message })
  }
}

function isPretty({ logFormat }: Config, { stderrIsTerminal }: Terminal): boolean {
  return logFormat === 'auto' ? stderrIsTerminal : logFormat === 'pretty'
}

interface OpenLog {
  readonly log: AdjustableLog
  readonly output: LogOutput
}

function openLog(config: Config, terminal: Terminal, { keep }: LogMemory): OpenLog {
  const output = createLogOutput({
    sink: terminal.openLogSink(),
    onResume: (missing) => log.warn('log.dropped', { lines: missing }),
  })
  const log = createLog({
    level: config.logLevel,
    format: isPretty(config, terminal) ? 'pretty' : 'json',
    now: systemClock,
    write: output.add,
    flush: output.flush,
    keep,
  })
  terminal.watch({
    onCrash: (error) => log.error('crashed', { error }),
    onWarning: (warning) => log.warn('process.warning', { error: warning }),
    onExit: () => output.flushAtExit(LAST_LINES_MS),
  })
  return { log, output }
}

interface Speaking {
  readonly config: Config
  readonly terminal: Terminal
  readonly log: Log
  readonly writeLine: (line: string) => void
}

/** A line for the operator: plain where a person reads, an event of the log where a program does. */
function say(line: string, { config, terminal, log, writeLine }: Speaking): void {
  if (isPretty(config, terminal)) return writeLine(line)
  if (line.startsWith('Warning:')) log.warn('start', { message: line })
  else log.info('start', { message: line })
}

interface Welcome {
  readonly isNew: boolean
  readonly hasDashboard: boolean
  /** Files that other users can read or change, a sentence each. */
  readonly exposed: readonly string[]
}

/** What an operator wants to know at start; on a new data directory also the first steps. */
function welcome(
  config: Config,
  { url, port, mail }: App,
  { isNew, hasDashboard, exposed }: Welcome,
): readonly string[] {
  const dashboard = hasDashboard && port !== undefined ? [`Dashboard at ${url}/`] : []
  const lines = [
    `Listening on ${url}`,
    ...dashboard,
    `Data in ${resolve(config.dataDir)}${isNew ? ' (new)' : ''}`,
    ...mail,
  ]
  if (config.mail.kind === 'console' && !isLoopback(config.host)) {
    lines.push(`Warning: other machines can reach ${config.host}, but nobody there gets a code until --mail is set`)
  }
  for (const text of exposed) lines.push(`Warning: ${text}`)
  if (!config.rateLimits) lines.push('Warning: rate limits are off')
  if (!isNew) return lines
  return [
    ...lines,
    config.adminEmail === undefined
      ? 'To become administrator: dateline admin --email you@example.org --code (in another terminal, same --data-dir)'
      : `Administrator is ${config.adminEmail}: sign in by e-mail, or get a code with dateline admin --email ${config.adminEmail} --code`,
    'To load sample content: dateline seed (same --data-dir)',
  ]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
