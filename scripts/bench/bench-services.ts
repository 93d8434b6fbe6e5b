/** The services of a data directory, in the process of a benchmark. */
import { openServices, type Services } from '../../src/app/services.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/read-config.ts'

/** Logs errors only. The caller closes the store. */
export function openBenchServices(directory: string, own = true): Promise<Services> {
  const config = readConfig(new Map([['dataDir', directory]]), {})
  const write = (text: string): void => void process.stderr.write(text)
  const log = createLog({ level: 'error', format: 'json', now: systemClock, write })
  return openServices(config, { jwtSecret: undefined }, { now: systemClock, log, own })
}
