/** The URL of a site as a setting names it. It never comes from a request, whose `Host` a client chooses. */
import { describe } from './failure.ts'

const URL_CHARS_MAX = 300

/** Returns an http or https URL ending in a slash. Throws an Error that says what is expected. */
export function parseSiteUrl(text: string): string {
  const url = URL.parse(text.trim())
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !/^https?:$/.test(url.protocol) || url.href.length > URL_CHARS_MAX) {
    throw new Error(`expected a URL such as https://news.example.org/, without user, query and fragment, found ${describe(text)}`)
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
