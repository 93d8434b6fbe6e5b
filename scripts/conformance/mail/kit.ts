/** What every case uses: the account, the certificates, our client and composer, and Python to read what arrived. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { adviceFor } from '../../../src/mail/delivery/delivery-advice.ts'
import { DeliveryError } from '../../../src/mail/delivery/delivery-error.ts'
import { composeMessage } from '../../../src/mail/message/message.ts'
import { createSmtpClient, type SmtpClient, type SmtpSettings } from '../../../src/mail/smtp/smtp.ts'
import type { OutgoingMail } from '../../../src/mail/smtp/smtp-envelope.ts'
import type { MailContent } from '../../../src/mail/templates/templates.ts'
import type { Certificates } from './certificates.ts'
import type { Jail } from './jail.ts'
import { readMails } from './python.ts'
import { type Account, nextMail, type Receiver } from './receiver.ts'

const LOG_MS_MAX = 5_000
const POLL_MS = 20

/**
 * The comma and the letters of two scripts get encoded. Shorter than one encoded word: Python before 3.14 shows the
 * gap.
 */
const SENDER = { name: 'Zoë & 日本語, Inc.', address: 'no-reply@example.org' }

export const ASCII_READER = 'reader@example.net'
export const UTF8_READER = 'jörg@bücher.example'

export interface Kit {
  readonly account: Account
  readonly certificates: Certificates
  /** For files of the run. */
  readonly directory: string
  /** With the servers and Python. */
  readonly jail: Jail
}

/** One line of the report. Fails by throwing; what it returns is shown beside `ok`. */
export interface Case {
  readonly name: string
  run(): Promise<void>
}

/** The differences from STARTTLS with a verified certificate, and a login with the right password. */
export type Overrides = Partial<Omit<SmtpSettings, 'login' | 'tls'>> & {
  readonly tls?: Partial<SmtpSettings['tls']>
  readonly login?: SmtpSettings['login'] | null
}

/** A client for the port of this machine; to be closed. */
export function clientFor(kit: Kit, port: number, overrides: Overrides = {}): SmtpClient & AsyncDisposable {
  const { account, certificates } = kit
  const { tls, login, ...more } = overrides
  const client = createSmtpClient({
    servers: [{ host: 'localhost', port }],
    tls: { mode: 'starttls', verify: true, ca: [certificates.ca], ...tls },
    cleartextLogin: false,
    ...(login === null ? {} : { login: login ?? account }),
    ...more,
  })
  return { ...client, [Symbol.asyncDispose]: () => client.close() }
}

/** Delivers one mail over its own connection; returns the server's reply. */
export async function deliverOnce(kit: Kit, port: number, mail: OutgoingMail, overrides?: Overrides): Promise<string> {
  await using client = clientFor(kit, port, overrides)
  return (await client.deliver(mail)).reply
}

/** The content as a composed mail. */
export function mailOf(content: MailContent, to = ASCII_READER): OutgoingMail {
  const letters = (): string =>
    randomBytes(16)
      .toString('hex')
      .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '')
  const { subject, text, html, language } = content
  const names = { messageId: letters(), boundary: letters() }
  const data = composeMessage({ from: SENDER, to, subject, text, html, language, date: Date.now(), ...names })
  return { from: SENDER.address, to, data }
}

/** Waits for the mail and asserts that it is what was sent, byte by byte, behind the headers of the server. */
export async function assertArrives(receiver: Receiver, { data }: OutgoingMail): Promise<Buffer> {
  const arrived = await nextMail(receiver)
  const bytes = Buffer.from(data)
  // No server adds headers behind ours, because ours are complete.
  const end = arrived.subarray(-bytes.length)
  assert.equal(end.toString('latin1'), bytes.toString('latin1'), 'the mail that arrived is not the one that was sent')
  return arrived
}

/** Asserts that Python parses the arrived mails without a defect, and finds what was composed. */
export function assertReadable(
  { jail }: Kit,
  mails: readonly { readonly arrived: Buffer; readonly content: MailContent; readonly to: string }[],
): void {
  const read = readMails(jail, mails.map(({ arrived }) => arrived))
  for (const [i, { content, to }] of mails.entries()) {
    const { subject, text, html, code } = content
    const found = read[i] ?? assert.fail('Python read too few mails')
    assert.deepEqual(found.defects, [], `Python finds defects in ${JSON.stringify(subject)}`)
    assert.deepEqual(found.types, ['multipart/alternative', 'text/plain', 'text/html'])
    assert.equal(found.headers['subject'], subject)
    assert.equal(found.headers['to'], to)
    assert.equal(asLines(found.text), asLines(text))
    assert.equal(asLines(found.html), asLines(html))
    if (code === undefined) continue
    // A phone shows the subject and the first line.
    assert.ok(found.headers['subject']?.includes(code), 'no code in the subject')
    assert.ok(found.text?.trimStart().split('\n')[0]?.includes(code), 'no code in the first line')
  }
}

export interface ExpectedError {
  readonly stage: DeliveryError['stage']
  readonly temporary: boolean
  /** Found in the message, which has the server's reply. */
  readonly message: RegExp
  /** Found in the advice for the operator. */
  readonly advice: RegExp
}

/** Asserts that a delivery fails in this way, without a secret in the error. Returns the error. */
export async function assertFails(
  { account }: Kit,
  delivery: Promise<unknown>,
  { stage, temporary, message, advice }: ExpectedError,
): Promise<DeliveryError> {
  const error = await delivery.then(
    (reply) => assert.fail(`it was delivered: ${JSON.stringify(reply)}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DeliveryError, `expected a DeliveryError, got ${String(error)}`)
  assert.match(error.message, message)
  assert.match(adviceFor(error), advice)
  assert.deepEqual({ stage: error.stage, temporary: error.temporary }, { stage, temporary }, error.message)
  assert.ok(!error.message.includes(account.password), 'the message contains the password')
  return error
}

/** Waits for the log, which servers write after the client has its reply. */
export async function untilLogged(log: () => string, pattern: RegExp): Promise<void> {
  const deadline = performance.now() + LOG_MS_MAX
  while (!pattern.test(log())) {
    if (performance.now() > deadline) throw new Error(`the log never matched ${pattern}`)
    await pause(POLL_MS)
  }
}

function asLines(text: string | null): string | undefined {
  return text?.replaceAll('\r\n', '\n').trimEnd()
}
