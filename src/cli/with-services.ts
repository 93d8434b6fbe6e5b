/**
 * What the commands on a data directory have in common: open the services, work, close; beside a running service too.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { openServices, type Services } from '../app/services.ts'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import { readConfig } from '../config/read-config.ts'
import { readSecrets } from '../config/secrets.ts'
import type { Config } from '../config/settings.ts'
import { databaseFile, DataDirError } from '../store/sqlite/data-dir.ts'
import { EXIT, type Arguments, type Terminal } from './command.ts'

type Work = (services: Services, config: Config) => Promise<void>

/** Gives the exit code for work that was done; what goes wrong is thrown. */
export function withServices(args: Arguments, terminal: Terminal, work: Work): Promise<typeof EXIT.ok> {
  return perform(readConfig(args.settings, terminal.environment), terminal, work)
}

/**
 * The same for work on what is there already: a directory whose name is mistyped must not become a new site, with a
 * secret and a database of its own. Throws DataDirError.
 */
export async function withData(args: Arguments, terminal: Terminal, work: Work): Promise<typeof EXIT.ok> {
  const config = readConfig(args.settings, terminal.environment)
  const directory = resolve(config.dataDir)
  if (existsSync(databaseFile(directory))) return perform(config, terminal, work)
  throw new DataDirError(
    `Cannot use the data directory "${directory}": it has no database: name another with --data-dir`,
  )
}

async function perform(config: Config, terminal: Terminal, work: Work): Promise<typeof EXIT.ok> {
  const { environment, stderr } = terminal
  const directory = resolve(config.dataDir)
  const isNew = !existsSync(databaseFile(directory))
  const log = createLog({ level: 'warn', format: 'pretty', now: systemClock, write: (text) => void stderr.write(text) })
  const services = await openServices(config, readSecrets(environment), { now: systemClock, log, own: false })
  try {
    // A person who mistyped --data-dir should hear it: the running service knows nothing of this site.
    if (isNew && terminal.stderrIsTerminal) stderr.write(`Made a new site in "${directory}": it had no database\n`)
    await work(services, config)
  } finally {
    await services.store.close()
  }
  return EXIT.ok
}
