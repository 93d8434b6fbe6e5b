/**
 * DKIM signatures (RFC 6376): the sender's domain vouches for a message. Each header is named once more than it is
 * there, so that a second Subject or From cannot be added (section 8.15). There is no `t=` and no `x=`: readers look
 * for digits in our mails, and the codes expire by themselves.
 */
import { createHash } from 'node:crypto'
import { describe } from '../../base/failure.ts'
import { wireAddress } from '../address.ts'
import { codeRunsOf } from './code-runs.ts'
import { DkimError, parseDkimKey } from './dkim-key.ts'
import { base64Lines } from './transfer-encoding.ts'

const SIGNED = `from to subject date message-id auto-submitted x-auto-response-suppress content-language mime-version
  content-type`.split(/\s+/)
/** Headers that must not be added on the way. Servers may add others, such as `Sender`. */
const ABSENT = ['cc', 'reply-to']

/** Adds a header to a composed message. */
export type Signer = (message: string) => string

interface DkimIdentity {
  readonly keyPem: string
  /** The public key is published at `SELECTOR._domainkey.DOMAIN`. */
  readonly selector: string
  /** The domain of the sender. */
  readonly domain: string
}

/** Checks the key and the names, once; throws a DkimError. The signer adds `DKIM-Signature` on top of a message. */
export function createDkimSigner({ keyPem, selector, domain }: DkimIdentity): Signer {
  const key = parseDkimKey(keyPem)
  const identity = `d=${parseDomain(domain)}; s=${parseSelector(selector)}`
  return (message) => {
    const end = message.indexOf('\r\n\r\n')
    const fields = message.slice(0, end).split(/\r\n(?![ \t])/)
    const names = [...fields.map(nameOf).filter((name) => SIGNED.includes(name)), ...SIGNED, ...ABSENT]
    if (end === -1 || names.filter((name) => name === 'from').length !== 2) {
      throw new Error('Cannot sign message: it must have one From header, and an empty line before its body')
    }
    const hash = createHash('sha256')
      .update(relaxedBody(message.slice(end + 4)))
      .digest('base64')
    const unsigned = [
      `DKIM-Signature: v=1; a=${key.algorithm}; c=relaxed/relaxed;`,
      ` ${identity};`,
      ...foldedNames(names),
      `${base64Lines(hash, ' bh=').join('\r\n ')};`,
      ' b=',
    ].join('\r\n')
    const signature = key.sign(relaxedFields(fields, names) + relaxedHeader(unsigned))
    const lines = base64Lines(signature, ' b=').join('\r\n ')
    return `${unsigned.slice(0, -' b='.length)}${lines}\r\n${message}`
  }
}

const nameOf = (field: string): string => field.slice(0, field.indexOf(':')).toLowerCase()

/** The relaxed form of a header field (section 3.4.2): `Subject:  Hello` gives `subject:Hello`, without its CRLF. */
export function relaxedHeader(field: string): string {
  const colon = field.indexOf(':')
  const value = field
    .slice(colon + 1)
    .replace(/\r\n(?=[ \t])/g, '')
    .replace(/[ \t]+/g, ' ')
  return `${field.slice(0, colon).trimEnd().toLowerCase()}:${value.trim()}`
}

/** The relaxed form of a body (section 3.4.4). An empty one stays empty; any other ends with one CRLF. */
export function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''))
  const last = lines.findLastIndex((line) => line !== '')
  return lines
    .slice(0, last + 1)
    .map((line) => `${line}\r\n`)
    .join('')
}

/**
 * The fields that the names of `h=` stand for, relaxed and ended by CRLF (section 5.4.2): a name that is there twice
 * takes the last field of that name and then the one above it. A name without a field proves that there is none.
 */
export function relaxedFields(fields: readonly string[], names: readonly string[]): string {
  const left = fields.map(relaxedHeader)
  return names
    .map((name) => {
      const at = left.findLastIndex((field) => field.startsWith(`${name.toLowerCase()}:`))
      return at === -1 ? '' : `${left.splice(at, 1)[0] ?? ''}\r\n`
    })
    .join('')
}

/** `h=from:from:to:…;`, in lines that are broken before a colon. */
function foldedNames(names: readonly string[]): readonly string[] {
  const lines = [' h=']
  for (const [index, name] of names.entries()) {
    const part = index === 0 ? name : `:${name}`
    const line = lines.at(-1) ?? ''
    if (line.length + part.length < NAMES_LINE_CHARS_MAX) lines.splice(-1, 1, line + part)
    else lines.push(` ${part}`)
  }
  return [...lines.slice(0, -1), `${lines.at(-1) ?? ''};`]
}

const NAMES_LINE_CHARS_MAX = 76

function parseDomain(domain: string): string {
  const wire = wireAddress(`x@${domain}`)?.slice('x@'.length).toLowerCase()
  if (wire === undefined) {
    throw new DkimError(`Cannot sign mail for the domain ${describe(domain)}: expected a name such as example.org`)
  }
  return wire
}

/** RFC 6376 section 3.1: labels of a domain name. */
const SELECTOR = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?){0,9}$/i

function parseSelector(selector: string): string {
  const problem = `Cannot sign mail with the DKIM selector ${describe(selector)}: expected `
  if (!SELECTOR.test(selector)) throw new DkimError(`${problem}letters, digits, hyphens and dots, such as "dateline"`)
  if (codeRunsOf(selector).length > 0) {
    throw new DkimError(`${problem}no six digits alone, which look like a sign-in code, such as "k${selector}"`)
  }
  return selector
}
