/** `dateline serve`: runs the service until it is asked to stop. */
import { startApp, type App, type AppOptions } from '../../app.ts'
import { loadPageAssets } from '../../app/page-assets.ts'
import { systemClock } from '../../base/clock.ts'
import type { AdjustableLog } from '../../base/log.ts'
import { createLogMemory } from '../../base/log-memory.ts'
import { ConfigError } from '../../config/config-error.ts'
import { exposureWarnings } from '../../config/exposed-files.ts'
import { readConfig } from '../../config/read-config.ts'
import { readSecrets } from '../../config/secrets.ts'
import { serviceLinkWarnings } from '../../config/service-links.ts'
import { SETTINGS, type Config } from '../../config/settings.ts'
import { shownSettings } from '../../config/shown-settings.ts'
import { hasDatabaseFile } from '../../store/db/data-dir.ts'
import { EXIT, type Arguments, type Command, type ExitCode, type Terminal } from '../command.ts'
import { watchParent } from './parent-watch.ts'
import { openServiceLog } from './service-log.ts'
import { readyLine, setupLine, startLines, terminalLines } from './start-messages.ts'
import { inheritedSocket, notifier } from './systemd.ts'
import { requireTokenPath, writeTokenFile, type TokenFile } from './token-file.ts'

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
    const { environment } = terminal
    // From here on signals are heard: one right after the ready line must not find the default handler.
    const { interrupted } = terminal
    // The reader of our output may be gone, such as a closed terminal: the service still has to end well.
    for (const stream of [terminal.stdout, terminal.stderr]) stream.on('error', () => {})
    const config = readConfig(settings, environment)
    const secrets = readSecrets(environment)
    if (config.tokenFile !== undefined) requireTokenPath(config.tokenFile, config.dataDir)
    const isNew = !hasDatabaseFile(config.dataDir)
    const logMemory = createLogMemory()
    const { log, output, writeLine, isQuiet, tell, started, drained } = openServiceLog(config, terminal, logMemory)
    const parent = config.exitWithParent ? watchParent(terminal.stdin) : undefined
    const notify = notifier(environment, log)
    const pageAssets = config.dashboard ? loadPageAssets() : undefined
    try {
      const socket = inheritedSocket(environment, process.pid)
      const options: AppOptions = {
        now: systemClock,
        log,
        logMemory,
        logOutput: output,
        settings: shownSettings(settings, environment),
        writeLine,
        environment,
        inheritedSocket: socket,
        pageAssets,
      }
      let app = await startApp(config, secrets, options)
      let tokenFile = await giveToken(config, app)
      terminal.onReload(() => reload(args, { terminal, log, app }))
      const cautions = [...serviceLinkWarnings(environment), ...exposureWarnings(settings, environment)]
      const setupUrl = terminal.stdoutIsTerminal || config.printSetup ? await app.setupUrl() : undefined
      const facts = { isNew, hasDashboard: pageAssets !== undefined, hasSetupUrl: setupUrl !== undefined, cautions }
      const linesOf = isQuiet ? terminalLines : startLines
      linesOf(app.config, app, facts).forEach(tell)
      log.flush()
      started()
      // Never through the log: its file would let every reader of it become administrator. A program reads the first line.
      const lines = [setupLine(setupUrl), readyLine(app, terminal)]
      terminal.stdout.write((terminal.stdoutIsTerminal ? lines : lines.reverse()).join(''))
      notify('READY=1', `STATUS=Listening on ${app.url}`)
      const asked = Promise.race([interrupted, ...(parent === undefined ? [] : [parent.gone])])
      const replaced = (): Promise<undefined> => app.replaced.then(() => undefined)
      let reason: string | undefined
      while ((reason = await Promise.race([asked, replaced()])) === undefined) {
        // A socket that was handed over is closed with the server: what starts us hands over the next one.
        if (socket !== undefined) return await leave(app, terminal)
        log.info('starting_again', { reason: await app.replaced })
        tokenFile?.remove()
        await app.close()
        const again = app.again()
        const port = app.port ?? config.port
        app = await startApp({ ...again.config, port }, secrets, { ...options, ...again.options })
        tokenFile = await giveToken(config, app)
        notify(`STATUS=Listening on ${app.url}`)
      }
      notify('STOPPING=1')
      log.info('stopping', { reason })
      tokenFile?.remove()
      await app.close()
      log.info('stopped')
    } finally {
      parent?.stop()
      log.flush()
    }
    await drained()
    return terminal.end(EXIT.ok)
  },
}

async function leave(app: App, terminal: Terminal): Promise<ExitCode> {
  await app.close()
  return terminal.end(EXIT.failed)
}

/** Writes a token for the app that started us. Where that fails, the service ends: the app cannot use it. */
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
