/** The settings as a service with those of the command would have them: with what administrators have stored in the database. */
import type { Services } from '../app/services.ts'
import { createLiveSettings, openStored } from '../app/settings/live-settings.ts'
import type { Config } from '../config/settings.ts'
import { shownSettings } from '../config/shown-settings.ts'
import type { Arguments, Terminal } from './command.ts'

export interface SettingsOfCommand {
  readonly services: Pick<Services, 'store' | 'keys'>
  /** What the command was given. */
  readonly config: Config
  readonly args: Pick<Arguments, 'settings'>
  readonly terminal: Pick<Terminal, 'environment'>
}

export function settingsInUse({ services: { store, keys }, config, args, terminal }: SettingsOfCommand): Config {
  const live = createLiveSettings(config, shownSettings(args.settings, terminal.environment))
  return live.configWith(openStored(store.settings.listSettings(), keys))
}
