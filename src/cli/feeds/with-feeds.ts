/** Commands that fetch feeds: the services, and what fetches as the service does, with the settings of the command. */
import { openFeedFetching } from '../../app/feed-service.ts'
import type { Services } from '../../app/services.ts'
import { systemClock } from '../../base/clock.ts'
import { createLog } from '../../base/log.ts'
import type { SettingName } from '../../config/settings.ts'
import { readOutboundRules } from '../../outbound/outbound-settings.ts'
import type { Arguments, Terminal } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { settingsInUse } from '../settings-in-use.ts'
import { withData } from '../with-services.ts'

export const FETCH_SETTINGS: readonly SettingName[] = [...DATA_SETTINGS, 'outboundAllow', 'outboundProxy', 'outboundCa', 'publicUrl']

export interface FeedsOfCommand extends ReturnType<typeof openFeedFetching> {
  readonly services: Services
}

/** Does the work on existing data. Throws DataDirError, and SettingError for what cannot be fetched with. */
export function withFeeds(args: Arguments, terminal: Terminal, work: (feeds: FeedsOfCommand) => Promise<void>): ReturnType<typeof withData> {
  const { environment, stderr } = terminal
  return withData(args, terminal, async (services, config) => {
    const { rules, warnings } = readOutboundRules(config, { now: systemClock, environment })
    for (const warning of warnings) stderr.write(`${warning}\n`)
    const inUse = settingsInUse({ services, config, args, terminal })
    const log = createLog({ level: 'error', format: 'pretty', now: systemClock, write: (text) => void stderr.write(text) })
    await work({ services, ...openFeedFetching({ live: () => inUse, rules, services, now: systemClock, log }) })
  })
}
