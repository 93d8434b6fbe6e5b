/** The parts that send sign-in codes and invitations: templates, courier, mailer. */
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { startCourier } from '../auth/courier.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { systemRandom } from '../base/random.ts'
import type { Config, Environment } from '../config/settings.ts'
import { describeMail } from '../mail/settings/mail-description.ts'
import { readMailSettings, type MailSettings } from '../mail/settings/mail-settings.ts'
import { DeliveryError } from '../mail/delivery/delivery-error.ts'
import { openMailer } from '../mail/delivery/mailer.ts'
import { switchedMailer } from '../mail/delivery/switched-mailer.ts'
import { sendTestMail, type MailSource, type TestMailRequest, type TestMailResult } from '../mail/delivery/test-delivery.ts'
import { TemplateError } from '../mail/templates/template-error.ts'
import { invitationMail } from '../mail/templates/invitation-mail.ts'
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

/** Reads all mail settings, before anything is opened. Throws SettingError and TemplateError. */
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

interface MailServiceOptions {
  readonly codeMinutes: number
  /** The name of the service, which may change. */
  readonly appName: () => string
  readonly services: Pick<Services, 'store' | 'keys' | 'newId'>
  readonly now: Clock
  readonly log: Log
  readonly writeLine: (line: string) => void
  readonly isOnDuty: (() => boolean) | undefined
}

/** With the reason why the stored settings are not used; undefined where they are. */
export type MailService = Awaited<ReturnType<typeof startMail>> & { readonly problem: () => string | undefined }

/** Starts the delivery. Rejects where a directory for mail cannot be made. */
export async function startMail(setup: MailSetup, options: MailServiceOptions) {
  const { codeMinutes, appName, services, now, log, writeLine, isOnDuty } = options
  const tools = { now, randomBytes, writeLine }
  let { templates, settings } = setup
  const mailer = switchedMailer(await openMailer(settings, tools))
  const testMails = new Set<Promise<unknown>>()
  const stopping = new AbortController()
  const courier = startCourier({
    store: services.store.as(SYSTEM),
    mailer,
    signIn: (mail) => templates.signIn({ ...mail, appName: appName() }),
    invitation(invitation) {
      // It was made while there was a mail server. A line of the log would reach the operator, and not its reader.
      if (settings.route.kind === 'console') throw notSetUp()
      return invitationMail(invitation, appName())
    },
    sealKey: services.keys.seal,
    codeMinutes,
    now,
    random: systemRandom,
    log,
    isOnDuty,
  })
  return {
    wake: courier.wake,
    idle: courier.idle,
    failingSince: courier.failingSince,
    /** How mail is sent: lines for the operator. */
    description: (): readonly string[] => describeMail(settings),
    /** Whether codes are printed to the log. */
    isConsole: (): boolean => settings.route.kind === 'console',
    /** From now on mail is sent in this way. Rejects where a directory for mail cannot be made. */
    async use(next: MailSettings): Promise<void> {
      mailer.replace(await openMailer(next, tools))
      settings = next
      courier.serverChanged()
    },
    /** Sends one mail without a code: as mail is sent now, or from another source. */
    async sendTestMail({ signal, ...request }: TestMailRequest, source?: MailSource): Promise<TestMailResult> {
      const sending = sendTestMail(
        { ...request, signal: AbortSignal.any([stopping.signal, ...(signal === undefined ? [] : [signal])]) },
        { settings, appName: appName(), ...source, newId: services.newId, ...tools },
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

function notSetUp(): DeliveryError {
  return new DeliveryError('Cannot send the invitation: mail is not set up', { stage: 'compose', temporary: false, kind: 'not-set-up' })
}
