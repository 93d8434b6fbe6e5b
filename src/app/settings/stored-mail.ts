/** Sends mail as the settings in use say, whenever they change. Stored ones that cannot be used leave those of the start. */
import type { Log } from '../../base/log.ts'
import { systemReason } from '../../base/system-error.ts'
import type { Config } from '../../config/settings.ts'
import type { MailSettings } from '../../mail/settings/mail-settings.ts'
import { MAIL_NAMES } from '../../models/editable-settings.ts'
import type { LiveSettings } from './live-settings.ts'

interface StoredMailOptions {
  readonly live: Pick<LiveSettings, 'config' | 'stored' | 'onChange' | 'configWith'>
  readonly mail: { use(settings: MailSettings): Promise<void>; stop(): Promise<void> }
  readonly readMail: (config: Config) => MailSettings
  readonly log: Log
}

/** Resolves when the stored ones are in use, with a function that tells why they are not. Stops the mail where no settings can be used. */
export async function useStoredMail({ live, mail, readMail, log }: StoredMailOptions): Promise<() => string | undefined> {
  let problem: string | undefined
  /** Texts of the stored settings that are in use; none at the start. */
  let used = '[]'

  const apply = async (): Promise<void> => {
    const rows = live.stored().filter(({ name }) => MAIL_NAMES.some((one) => one === name))
    const wanted = JSON.stringify(rows.map(({ name, value }) => [name, value]))
    if (wanted === used) return
    used = wanted
    try {
      await mail.use(readMail(live.config()))
      problem = undefined
      log.info('mail.settings_used', { stored: rows.map(({ name }) => name) })
    } catch (error) {
      problem = systemReason(error)
      log.error('mail.settings_not_used', { reason: problem })
      await mail.use(readMail(live.configWith(new Map())))
    }
  }
  // The operator's own settings may have become unreadable as well: then the mail server stays that of before.
  live.onChange(() => void apply().catch((error: unknown) => log.error('mail.settings_not_used', { reason: systemReason(error) })))
  try {
    await apply()
  } catch (error) {
    await mail.stop()
    throw error
  }
  return () => problem
}
