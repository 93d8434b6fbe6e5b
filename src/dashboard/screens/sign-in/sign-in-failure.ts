/** Messages for a failed sign-in. The statuses that mean something here have messages of their own. */
import { BadRequest, Forbidden, TooManyRequests, Unauthorized } from '../../../client/client.ts'
import { isRefusal } from '../../browser-passkeys.ts'
import { t } from '../../texts.ts'
import { errorText } from '../../kit/states.ts'

/** `step` is what was asked for: a code, or to be let in with it. */
export function signInMessage(error: unknown, step: 'code' | 'enter'): string {
  if (error instanceof Unauthorized) return t('signIn.unknownAddress')
  if (error instanceof Forbidden) return t('signIn.noDashboard')
  if (error instanceof TooManyRequests) return t('signIn.tooOften')
  if (error instanceof BadRequest && step === 'enter') return t('signIn.wrongCode')
  return errorText(error)
}

/** The same where a passkey was asked for. */
export function passkeyMessage(error: unknown): string {
  if (isRefusal(error)) return t('signIn.passkeyNotUsed')
  return error instanceof Unauthorized ? t('signIn.passkeyUnknown') : signInMessage(error, 'enter')
}

/** How long to wait before the next try; none where the service does not say. */
export function waitOf(error: unknown): number {
  return error instanceof TooManyRequests ? (error.retryAfterSeconds ?? 0) * 1000 : 0
}
