/** Python in a jail: it runs aiosmtpd, and parses every mail that arrived. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Jail } from './jail.ts'

export const PYTHON_PACKAGES = ['python3', 'python3-aiosmtpd', 'python3-dkim', 'python3-nacl']

export interface Signature {
  readonly algorithm: string
  readonly selector: string
  readonly good: boolean
}

export interface ReadMail {
  readonly defects: readonly string[]
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly types: readonly string[]
  readonly text: string | null
  readonly html: string | null
  readonly signatures: readonly Signature[]
}

/** Copies one of the programs beside this file into the jail; returns the command that runs it. */
export function pythonProgram(jail: Jail, name: 'aiosmtpd-inbox.py' | 'read-mail.py'): string[] {
  const path = `/opt/${name}`
  jail.write(path, readFileSync(join(import.meta.dirname, name), 'utf8'))
  return ['/usr/bin/python3', '-X', 'utf8', path]
}

/** Each mail as Python parses it; with DNS records (name to text) also dkimpy's verdict on its signatures. */
export function readMails(
  jail: Jail,
  mails: readonly Uint8Array[],
  records: Readonly<Record<string, string>> = {},
): ReadMail[] {
  const input = { mails: mails.map((mail) => Buffer.from(mail).toString('base64')), records }
  return JSON.parse(jail.run(pythonProgram(jail, 'read-mail.py'), JSON.stringify(input))) as ReadMail[]
}
