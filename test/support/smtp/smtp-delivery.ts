/** A client for one mail, and short settings for tests of one server. */
import assert from 'node:assert/strict'
import { DeliveryError } from '../../../src/mail/delivery/delivery-error.ts'
import { createSmtpClient, type SmtpClient, type SmtpSettings } from '../../../src/mail/smtp/smtp.ts'
import type { OutgoingMail } from '../../../src/mail/smtp/smtp-envelope.ts'
import type { TlsMode } from '../../../src/mail/smtp/smtp-policy.ts'
import { openPeer, type PeerOptions, type SmtpPeer, type Step } from './smtp-peer.ts'

export const MAIL: OutgoingMail = {
  from: 'no-reply@example.org',
  to: 'reader@example.net',
  data: 'Subject: x\r\n\r\nHello\r\n',
}
export const LOGIN = { user: 'ann@example.org', password: 'correct horse battery' }
export const TOKEN = 'ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg'

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

export const base64 = (text: string): string => Buffer.from(text).toString('base64')

export interface Attempt {
  readonly peer: SmtpPeer
  readonly reply?: string
  readonly error?: DeliveryError
  readonly trace: readonly string[]
}

/** Delivers to a peer that follows the script, and waits until both have freed their sockets. Nothing shows a secret. */
export async function attempt(
  script: readonly Step[],
  overrides: Overrides = {},
  { mail = MAIL, ...options }: PeerOptions & { readonly mail?: OutgoingMail } = {},
): Promise<Attempt> {
  await using peer = await openPeer(script, options)
  const trace: string[] = []
  const settings = settingsFor(peer.port, overrides)
  const outcome = await deliverOnce(settings, mail, { trace: ({ from, text }) => trace.push(`${from}: ${text}`) }).catch(
    (error: unknown) => ({ error }),
  )
  await peer.quiet()
  if ('reply' in outcome) return { peer, reply: outcome.reply, trace }
  const { error } = outcome
  assert.ok(error instanceof DeliveryError, String(error))
  assert.match(error.message, /^Cannot deliver mail through "[^"]+" at [a-z]+: /)
  const shown = [...trace, error.message, error.reply, error.stack].join('\n')
  const secrets = [LOGIN.password, `\0${LOGIN.user}\0${LOGIN.password}`, TOKEN].flatMap((text) => [text, base64(text)])
  for (const secret of secrets) assert.ok(!shown.includes(secret), shown)
  return { peer, error, trace }
}
