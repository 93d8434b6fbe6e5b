/**
 * One delivery before the operator's eyes: the whole dialogue, and what is wrong in a sentence.
 *
 * It goes the configured way, but on a connection of its own: one that the service has open already would hide how it
 * is greeted, encrypted and logged in.
 */
import type { Clock } from '../../base/clock.ts'
import { adviceFor } from './delivery-advice.ts'
import { DeliveryError, type Trace } from './delivery-error.ts'
import type { MailSettings } from '../settings/mail-settings.ts'
import { openConfiguredMailer } from './mailer.ts'
import { trialMessage } from './trial-message.ts'

export interface TrialRequest {
  /** As `parseEmail` gives it. */
  readonly to: string
  /** Gets the dialogue line by line: `>` opens what we say, `<` what the server says, `*` what happens besides. */
  readonly onLine: (line: string) => void
  /** Ends the attempt. */
  readonly signal?: AbortSignal
}

export interface TrialTools {
  readonly settings: MailSettings
  readonly appName: string
  readonly newId: () => string
  readonly now: Clock
  readonly randomBytes: (size: number) => Uint8Array
  /** Shows the operator one line. */
  readonly writeLine: (line: string) => void
}

/** `words` are those of the receiving side, or what went wrong. Texts may hold control characters. */
export type TrialOutcome =
  | { readonly kind: 'taken'; readonly words: string }
  | { readonly kind: 'failed'; readonly words: string; readonly advice: string }

const SIGNS = { client: '>', server: '<', note: '*' } as const

/** Sends one mail that holds no code. Rejects where a directory for mail cannot be made. */
export async function tryDelivery(
  { to, onLine, signal }: TrialRequest,
  { settings, appName, newId, ...tools }: TrialTools,
): Promise<TrialOutcome> {
  const trace: Trace = ({ from, text }) => onLine(`${SIGNS[from]} ${text}`)
  const mailer = await openConfiguredMailer(settings, tools)
  try {
    const mail = { id: newId(), to, ...trialMessage(appName) }
    const { reply } = await mailer.send(mail, { trace, ...(signal === undefined ? {} : { signal }) })
    return { kind: 'taken', words: reply }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { kind: 'failed', words: error.message, advice: adviceFor(error) }
  } finally {
    await mailer.close()
  }
}
