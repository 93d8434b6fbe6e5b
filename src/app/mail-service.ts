/** Everything that a sign-in code passes on its way out: templates, courier, mailer. */
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { startCourier, type Courier } from '../auth/courier.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config, Environment } from '../config/settings.ts'
import { describeMail } from '../mail/settings/mail-description.ts'
import { readMailSettings, type MailSettings } from '../mail/settings/mail-settings.ts'
import { openMailer } from '../mail/delivery/mailer.ts'
import { tryDelivery, type TrialOutcome, type TrialRequest } from '../mail/delivery/trial-delivery.ts'
import { TemplateError } from '../mail/templates/template-error.ts'
import { openTemplates, type Templates } from '../mail/templates/templates.ts'
import { SYSTEM } from '../store/actor.ts'
import type { Services } from './services.ts'

/** Where the operator's own mail templates are, in the data directory. */
const TEMPLATES_DIRECTORY = 'templates'

export interface MailSetup {
  readonly settings: MailSettings
  readonly templateDirectory: string
  readonly templates: Templates
}

/** Reads all that is set about mail, before anything is opened. Throws MailSettingError and TemplateError. */
export function readMailSetup(
  config: Config,
  options: { readonly now: Clock; readonly environment: Environment },
): MailSetup {
  const templateDirectory = join(resolve(config.dataDir), TEMPLATES_DIRECTORY)
  return {
    settings: readMailSettings(config, options),
    templateDirectory,
    templates: openTemplates(templateDirectory),
  }
}

export interface MailService extends Pick<Courier, 'wake' | 'idle'> {
  /** How mail leaves, and what is to be known about that: lines for the operator. */
  readonly description: readonly string[]
  /** Makes one attempt with a mail that holds no code, and tells how it went. */
  tryMail(request: TrialRequest): Promise<TrialOutcome>
  /** Ends test mails under way, whose askers wait: to be called before the server waits for its requests. */
  endTrials(): void
  /** Takes changed templates. Those that cannot be used are logged, and the ones before stay in use. */
  reloadTemplates(): void
  /** Ends attempts under way and takes leave of mail servers. */
  stop(): Promise<void>
}

export interface MailServiceParts {
  readonly config: Config
  readonly services: Pick<Services, 'store' | 'keys' | 'newId'>
  readonly now: Clock
  readonly log: Log
  readonly writeLine: (line: string) => void
}

/** Starts to deliver. Rejects where a directory for mail cannot be made. */
export async function startMail(setup: MailSetup, parts: MailServiceParts): Promise<MailService> {
  const { config, services, now, log, writeLine } = parts
  let { templates } = setup
  const mailer = await openMailer(setup.settings, { now, randomBytes, writeLine })
  const trials = new Set<Promise<unknown>>()
  const stopping = new AbortController()
  const courier = startCourier({
    store: services.store.as(SYSTEM),
    mailer,
    signIn: (mail) => templates.signIn(mail),
    sealKey: services.keys.seal,
    codeMinutes: config.codeMinutes,
    appName: config.appName,
    now,
    random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
    log,
  })
  return {
    wake: courier.wake,
    idle: courier.idle,
    description: describeMail(setup.settings),
    async tryMail({ signal, ...request }) {
      const trial = tryDelivery(
        { ...request, signal: AbortSignal.any([stopping.signal, ...(signal === undefined ? [] : [signal])]) },
        { settings: setup.settings, appName: config.appName, newId: services.newId, now, randomBytes, writeLine },
      )
      trials.add(trial)
      try {
        return await trial
      } finally {
        trials.delete(trial)
      }
    },
    endTrials: () => stopping.abort(),
    reloadTemplates() {
      try {
        templates = openTemplates(setup.templateDirectory)
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error
        log.error('templates.kept', { reason: error.message })
      }
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(trials)
      await courier.stop()
      await mailer.close()
    },
  }
}
