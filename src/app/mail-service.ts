/** The parts that send sign-in codes: templates, courier, mailer. */
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { startCourier } from '../auth/courier.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config, Environment } from '../config/settings.ts'
import { describeMail } from '../mail/settings/mail-description.ts'
import { readMailSettings, type MailSettings } from '../mail/settings/mail-settings.ts'
import { openMailer } from '../mail/delivery/mailer.ts'
import { sendTestMail, type TestMailRequest, type TestMailResult } from '../mail/delivery/test-delivery.ts'
import { TemplateError } from '../mail/templates/template-error.ts'
import { openTemplates, type Templates } from '../mail/templates/templates.ts'
import { SYSTEM } from '../store/actor.ts'
import type { Services } from './services.ts'

/** The operator's own mail templates, in the data directory. */
const TEMPLATES_DIRECTORY = 'templates'

export interface MailSetup {
  readonly settings: MailSettings
  readonly templateDirectory: string
  readonly templates: Templates
}

/** Reads all mail settings, before anything is opened. Throws MailSettingError and TemplateError. */
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

interface MailServiceParts {
  readonly config: Config
  readonly services: Pick<Services, 'store' | 'keys' | 'newId'>
  readonly now: Clock
  readonly log: Log
  readonly writeLine: (line: string) => void
}

/** Starts the delivery. Rejects where a directory for mail cannot be made. */
export async function startMail(setup: MailSetup, parts: MailServiceParts) {
  const { config, services, now, log, writeLine } = parts
  let { templates } = setup
  const mailer = await openMailer(setup.settings, { now, randomBytes, writeLine })
  const testMails = new Set<Promise<unknown>>()
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
    /** How mail is sent: lines for the operator. */
    description: describeMail(setup.settings),
    /** Sends one mail without a code. */
    async sendTestMail({ signal, ...request }: TestMailRequest): Promise<TestMailResult> {
      const sending = sendTestMail(
        { ...request, signal: AbortSignal.any([stopping.signal, ...(signal === undefined ? [] : [signal])]) },
        { settings: setup.settings, appName: config.appName, newId: services.newId, now, randomBytes, writeLine },
      )
      testMails.add(sending)
      try {
        return await sending
      } finally {
        testMails.delete(sending)
      }
    },
    /** To be called before the server waits for its requests: those of running test mails wait for a result. */
    abortTestMails: (): void => stopping.abort(),
    /** Reads changed templates. Invalid ones are logged, and the previous ones stay in use. */
    reloadTemplates(): void {
      try {
        templates = openTemplates(setup.templateDirectory)
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error
        log.error('templates.kept', { reason: error.message })
      }
    },
    /** Aborts running deliveries and quits the sessions with mail servers. */
    async stop(): Promise<void> {
      stopping.abort()
      await Promise.allSettled(testMails)
      await courier.stop()
      await mailer.close()
    },
  }
}
