/** Commands on a data directory: open the services, work, close; beside a running service too. */
import { resolve } from 'node:path'
import { openServices, type Services } from '../app/services.ts'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import { readIdentity } from '../cluster/node-identity.ts'
import { readConfig } from '../config/read-config.ts'
import { readSecrets } from '../config/secrets.ts'
import type { Config } from '../config/settings.ts'
import { hasDatabaseFile, requireDatabaseFile, type DataDirLock } from '../store/db/data-dir.ts'
import { openNodeServices } from './cluster/beside-node.ts'
import { EXIT, type Arguments, type Terminal } from './command.ts'

type Work = (services: Services, config: Config) => Promise<void>

/** Does the work and returns the exit code for success. Creates a data directory that is missing. */
export async function withServices(args: Arguments, terminal: Terminal, work: Work): Promise<typeof EXIT.ok> {
  const config = readConfig(args.settings, terminal.environment)
  const directory = resolve(config.dataDir)
  const isNew = !hasDatabaseFile(directory)
  const services = await openForCommand(config, terminal, { own: false })
  try {
    // A mistyped --data-dir must not go unnoticed: the running service knows nothing of this site.
    if (isNew && terminal.stderrIsTerminal) terminal.stderr.write(`Made a new site in "${directory}": it had no database\n`)
    await work(services, config)
  } finally {
    await services.store.close()
  }
  return EXIT.ok
}

/** The same for work on existing data. Throws DataDirError where there is none, as when --data-dir is mistyped. */
export async function withData(args: Arguments, terminal: Terminal, work: Work): Promise<typeof EXIT.ok> {
  const directory = resolve(readConfig(args.settings, terminal.environment).dataDir)
  requireDatabaseFile(directory)
  return withServices(args, terminal, work)
}

/** The services, with warnings on stderr. `own` takes the directory for this process alone; a node's are openNodeServices(). */
export function openForCommand(
  config: Config,
  terminal: Terminal,
  { own }: { readonly own: boolean | DataDirLock },
): Promise<Services> {
  const { environment, stderr } = terminal
  const identity = readIdentity(resolve(config.dataDir))
  if (identity !== undefined) return openNodeServices(config, identity, terminal)
  const log = createLog({ level: 'warn', format: 'pretty', now: systemClock, write: (text) => void stderr.write(text) })
  return openServices(config, readSecrets(environment), { now: systemClock, log, own })
}
