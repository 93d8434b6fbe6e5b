/** The address to which invitations lead. It comes from a setting, so that no request makes a mail of the service lead elsewhere. */
import { describe } from '../../base/failure.ts'
import { parseSiteUrl } from '../../base/site-url.ts'
import { codeRunsOf } from '../message/code-runs.ts'

/** Returns it ending in a slash. Throws an Error that says what is expected. */
export function parseInvitationUrl(text: string): string {
  const url = parseSiteUrl(text)
  if (codeRunsOf(url).length > 0) {
    throw new Error(`expected a URL without six digits alone, which look like a sign-in code, found ${describe(text)}`)
  }
  return url
}
