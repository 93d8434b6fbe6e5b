/** A client for one mail, and its settings in the few words that a test of one server needs. */
import { openSmtpClient, type SmtpClient, type SmtpSettings } from '../../../src/mail/smtp/smtp.ts'
import type { TlsMode } from '../../../src/mail/smtp/smtp-policy.ts'

/** What differs from a server at 127.0.0.1 that may be told everything in clear. */
export interface Overrides extends Partial<Omit<SmtpSettings, 'servers' | 'tls'>> {
  readonly host?: string
  readonly mode?: TlsMode
  readonly verify?: boolean
  readonly ca?: readonly string[]
  readonly tlsName?: string
}

export function settingsFor(port: number, overrides: Overrides = {}): SmtpSettings {
  const { host = '127.0.0.1', mode = 'starttls-if-offered', verify = false, ca = [], tlsName, ...others } = overrides
  const tls = { mode, verify, ca, ...(tlsName === undefined ? {} : { name: tlsName }) }
  return { servers: [{ host, port }], tls, cleartextLogin: true, ...others }
}

/** Delivers one mail by a client of its own, and closes it, which says QUIT. */
export async function deliverOnce(
  settings: SmtpSettings,
  ...[mail, options]: Parameters<SmtpClient['deliver']>
): Promise<{ reply: string }> {
  const client = openSmtpClient(settings)
  try {
    return await client.deliver(mail, options)
  } finally {
    await client.close()
  }
}
