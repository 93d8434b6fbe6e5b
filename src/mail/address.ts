/**
 * E-mail addresses: which ones we accept, and the one form in which we store them.
 *
 * An address is the name of an account, so two spellings of it must be one account: it is trimmed, lower-cased and
 * normalised to Unicode's composed form (RFC 6532 section 3.1). DNS maps many letters to one (UTS 46), so a domain is
 * stored as DNS knows it, in its readable form. As an address goes into SMTP commands and headers, its local part has
 * RFC 5322 `atext` and the non-ASCII characters of RFC 6531, and none with a meaning there.
 */
import { domainToASCII, domainToUnicode } from 'node:url'
import { describe } from '../base/failure.ts'

/** Limits in characters (code points), not in bytes. */
const LOCAL_CHARS_MAX = 64
const ADDRESS_CHARS_MAX = 254
const NAME_CHARS_MAX = 100

/** A sender as the setting names it: `Dateline <no-reply@example.org>`. */
export interface Mailbox {
  /** Empty when the setting is the address alone. */
  readonly name: string
  readonly address: string
}

/** The normalised address, or undefined if we do not accept it. */
export function parseEmail(text: string): string | undefined {
  const address = text.trim().toLowerCase().normalize('NFC')
  if (!isAddress(address, { domainLabelsMin: 2 })) return undefined
  return domainOf(address).split('.').some(isInternational) ? withOneSpelling(address) : address
}

/** `a@ｂücher.example` and `a@xn--bcher-kva.example` as `a@bücher.example`; undefined where DNS cannot have the name. */
function withOneSpelling(address: string): string | undefined {
  const ascii = domainToASCII(domainOf(address))
  const local = address.slice(0, -domainOf(address).length)
  // Some names, such as those with an emoji, are accepted only in their ASCII form.
  const forms = [domainToUnicode(ascii), ascii].map((domain) => `${local}${domain}`)
  return forms.find((form) => isAddress(form, { domainLabelsMin: 2 }))
}

function isInternational(label: string): boolean {
  return !isAscii(label) || label.startsWith('xn--')
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** Parses an address or `Name <address>`; the domain may have one label (`localhost`). Throws an Error. */
export function parseMailbox(text: string): Mailbox {
  const match = MAILBOX.exec(text.trim())
  const name = unquoted(match?.[1] ?? '')
  const address = match?.[2] ?? match?.[3] ?? ''
  if (!isAddress(address, { domainLabelsMin: 1 }) || CONTROLS.test(name) || lengthOf(name) > NAME_CHARS_MAX) {
    throw new Error(`Cannot read sender ${describe(text)}: expected an address or "Name <address>"`)
  }
  return { name, address }
}

/** The address with its domain in ASCII (RFC 5890 A-labels); undefined where the domain has no such form. */
export function wireAddress(address: string): string | undefined {
  const domain = domainOf(address)
  const ascii = isAscii(domain) ? domain : domainToASCII(domain)
  return ASCII_DOMAIN.test(ascii) ? `${address.slice(0, -domain.length)}${ascii}` : undefined
}

export function isAscii(text: string): boolean {
  return !NON_ASCII.test(text)
}

const NON_ASCII = /[^\0-\x7f]/
const CONTROLS = /\p{Cc}|\p{Zl}|\p{Zp}/u
const ASCII_DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i

/** `Name <address>` or `address`. */
const MAILBOX = /^(?:([^<>]*?)\s*<([^<>]*)>|([^<>]*))$/s

/**
 * The text between the dots of a local part (RFC 5322 dot-atom): atext or, beyond ASCII, anything visible that is no
 * quotation mark (QMark), no space (Z), no control or unassigned character (C) and not ignored in display (DI).
 */
const ATOM = /^(?:[\w!#$%\&'*+\/=?^`\{\|\}~\-]|[\P{ASCII}--[\p{Z}\p{C}\p{QMark}\p{DI}]])+$/v

/** Letters and digits of any script, their marks, and hyphens inside. */
const LABEL = /^[[\p{L}\p{Nd}]--\p{DI}](?:[[\p{L}\p{M}\p{Nd}\-]--\p{DI}]*[[\p{L}\p{M}\p{Nd}]--\p{DI}])?$/v

function isAddress(address: string, { domainLabelsMin }: { readonly domainLabelsMin: number }): boolean {
  // A character is at most two UTF-16 units; longer texts need no check.
  if (address.length > 2 * ADDRESS_CHARS_MAX || lengthOf(address) > ADDRESS_CHARS_MAX) return false
  const [local = '', domain, more] = address.split('@')
  if (domain === undefined || more !== undefined || lengthOf(local) > LOCAL_CHARS_MAX) return false
  // Look-alikes such as U+FF1C for "<" would become the real thing in software that normalises to NFKC.
  if (!isDotAtom(local) || !isDotAtom(local.normalize('NFKC'))) return false
  const labels = domain.split('.')
  return labels.length >= domainLabelsMin && labels.every((label) => LABEL.test(label))
}

function isDotAtom(local: string): boolean {
  return local.split('.').every((atom) => ATOM.test(atom))
}

function lengthOf(text: string): number {
  return [...text].length
}

/** `"Dateline \"B\""` without its quotes and escapes; other text as it is. */
function unquoted(name: string): string {
  const inside = /^"((?:[^"\\]|\\.)*)"$/s.exec(name)?.[1]
  return (inside?.replace(/\\(.)/gs, '$1') ?? name).replace(/ +/g, ' ').trim()
}
