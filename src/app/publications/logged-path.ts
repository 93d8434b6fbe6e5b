/** Paths of publications as the log has them: without the secrets that are in them, also where an address is mistyped. */
import { FORMATS } from './publication-formats.ts'

/** A part `p` of a path; its slashes may be escaped. */
const P = /(?:\/|%2f)(?:p|%70|%50)(?:\/|%2f)/i
/** The same in a path that leads to no publication, and what follows, which may have a secret. */
const MISTYPED = /((?:\/|%2f)(?:p|%70|%50)(?:\/|%2f)).+$/i
const NAME = /^[a-z0-9-]*(?:\.opml)?$/

const FILES: ReadonlySet<string> = new Set(FORMATS.map(({ file }) => file))
/** Most requests are for the page of the one before. */
let latest = { path: '', logged: '' }

/** A path as the log has it: without the secret that may be in it. */
export function withoutSecret(path: string): string {
  // Most paths have no part that is called so, in whatever letters.
  if (!P.test(path)) return path
  if (latest.path !== path) latest = { path, logged: loggedOf(path) }
  return latest.logged
}

function loggedOf(path: string): string {
  if (!path.startsWith('/p/')) return path.replace(MISTYPED, '$1***')
  const [, p, name = '', ...rest] = path.split('/')
  return ['', p, NAME.test(name) ? name : '***', ...rest.map((part) => (FILES.has(part) ? part : '***'))].join('/')
}
