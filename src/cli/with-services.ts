/** What the commands on a data directory have in common: open the services, work, close; beside a running service too. */
import { openServices, type Services } from '../app/services.ts'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import { readConfig } from '../config/read-config.ts'
import { readSecrets } from '../config/secrets.ts'
import type { Config } from '../config/settings.ts'
import { EXIT, type Arguments, type Terminal } from './command.ts'

/** Gives the exit code for work that was done; what goes wrong is thrown. */
export async function withServices(
  { settings }: Arguments,
  { environment, stderr }: Terminal,
  work: (services: Services, config: Config) => Promise<void>,
): Promise<typeof EXIT.ok> {
  const config = readConfig(settings, environment)
  const log = createLog({ level: 'warn', format: 'pretty', now: systemClock, write: (text) => void stderr.write(text) })
  const services = await openServices(config, readSecrets(environment), { now: systemClock, log, own: false })
  try {
    await work(services, config)
  } finally {
    await services.store.close()
  }
  return EXIT.ok
}
