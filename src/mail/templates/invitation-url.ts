/**
 * The address to which invitations lead. It comes from a setting and never from a request, whose `Host` a client chooses: so
 * no request makes a mail of the service lead elsewhere.
 */
import { describe } from '../../base/failure.ts'
import { codeRunsOf } from '../message/code-runs.ts'

const URL_CHARS_MAX = 300

/** Returns it ending in a slash. Throws an Error that says what is expected. */
export function parseInvitationUrl(text: string): string {
  const url = URL.parse(text.trim())
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !/^https?:$/.test(url.protocol) || url.href.length > URL_CHARS_MAX) {
    throw new Error(`expected a URL such as https://news.example.org/, without user, query and fragment, found ${describe(text)}`)
  }
  if (codeRunsOf(url.href).length > 0) {
    throw new Error(`expected a URL without six digits alone, which look like a sign-in code, found ${describe(text)}`)
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
