/** A client for one mail, and short settings for tests of one server. */
import assert from 'node:assert/strict'
import { DeliveryError } from '../../../src/mail/delivery/delivery-error.ts'
import { createSmtpClient, type SmtpClient, type SmtpSettings } from '../../../src/mail/smtp/smtp.ts'
import type { TlsMode } from '../../../src/mail/smtp/smtp-policy.ts'

/** The differences from a server at 127.0.0.1 to which everything may be sent unencrypted. */
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

/** Delivers one mail with its own client, and closes it, which sends QUIT. */
export async function deliverOnce(
  settings: SmtpSettings,
  ...[mail, options]: Parameters<SmtpClient['deliver']>
): Promise<{ reply: string }> {
  const client = createSmtpClient(settings)
  try {
    return await client.deliver(mail, options)
  } finally {
    await client.close()
  }
}

/** The error of a delivery that must fail. */
export async function rejection(delivery: Promise<unknown>): Promise<DeliveryError> {
  try {
    await delivery
  } catch (error) {
    assert.ok(error instanceof DeliveryError, String(error))
    return error
  }
  return assert.fail('the delivery should have failed')
}
