/**
 * Delivery to an independent mail server: aiosmtpd (Debian: python3-aiosmtpd), with TLS and a password. Python's own
 * mail parser reads what arrives, and lists every defect.
 */
import assert from 'node:assert/strict'
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { describe, it } from 'node:test'
import { DeliveryError } from '../../src/mail/delivery/delivery-error.ts'
import { type Mail, openMailer } from '../../src/mail/delivery/mailer.ts'
import type { Login } from '../../src/mail/smtp/smtp-auth.ts'
import type { TlsMode } from '../../src/mail/smtp/smtp-policy.ts'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../support/service/test-certificate.ts'

const PYTHON = '/usr/bin/python3'
const SERVER = new URL('../support/smtp/aiosmtpd-server.py', import.meta.url).pathname
const LOGIN = { user: 'ann@example.org', password: 'pässword: with / signs' }
/** Fits one encoded word; Python before 3.14 shows the space between two of them in an address. */
const SENDER = 'Zoë & 日本語, Inc.'
const NOW = Date.parse('2025-10-20T12:34:56Z')

/** Why these tests cannot run here; false if they can. */
function reasonToSkip(): string | false {
  try {
    execFileSync(PYTHON, ['-c', 'import aiosmtpd'], { stdio: 'ignore' })
    return false
  } catch {
    return `${PYTHON} has no aiosmtpd (Debian: apt-get install python3-aiosmtpd)`
  }
}

interface Arrived {
  readonly from: string
  readonly to: readonly string[]
  readonly encrypted: boolean
  readonly user: string
  readonly content: string
  readonly defects: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly sender: readonly (readonly string[])[]
  readonly recipients: readonly string[]
  readonly date: string
  readonly types: readonly string[]
  readonly text: string
  readonly html: string
}

interface RealServer extends AsyncDisposable {
  readonly port: number
  nextMail(): Promise<Arrived>
}

async function startServer(mode: 'starttls' | 'tls', leftOut: 'PLAIN' | 'LOGIN' | '-'): Promise<RealServer> {
  const directory = await mkdtemp(join(tmpdir(), 'dateline-smtp-'))
  const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')]
  await writeFile(certificate, TEST_CERTIFICATE)
  await writeFile(key, TEST_KEY, { mode: 0o600 })
  const args = [SERVER, certificate, key, mode, LOGIN.user, LOGIN.password, leftOut]
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(PYTHON, args, {
    stdio: ['pipe', 'pipe', process.env['SHOW_SERVER'] === undefined ? 'ignore' : 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<unknown> => {
    const { value, done } = await lines.next()
    if (done === true) return assert.fail('the server ended; SHOW_SERVER=1 shows what it says')
    return JSON.parse(value)
  }
  const { port } = (await nextLine()) as { readonly port: number }
  return {
    port,
    nextMail: async () => (await nextLine()) as Arrived,
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await once(child, 'close')
      await rm(directory, { recursive: true })
    },
  }
}

interface Overrides {
  readonly mode?: TlsMode
  readonly login?: Login
  readonly ca?: readonly string[]
}

async function send(port: number, mail: Mail, overrides: Overrides): Promise<string> {
  const { ca = [TEST_CERTIFICATE], mode = 'starttls', login = LOGIN } = overrides
  const servers = [{ host: 'localhost', port }]
  const mailer = await openMailer(
    {
      from: { name: SENDER, address: 'no-reply@localhost' },
      route: { kind: 'smtp', settings: { servers, tls: { mode, verify: true, ca }, login, cleartextLogin: false } },
    },
    { now: () => NOW, randomBytes, writeLine: () => {} },
  )
  try {
    return (await mailer.send(mail)).reply
  } finally {
    await mailer.close()
  }
}

const mailTo = (to: string, appName = 'Dateline'): Mail => ({
  id: '68f62d50a1b2c3d4e5f60718',
  to,
  ...signInMessage({ code: '042137', minutes: 15, appName, languages: [] }),
})

describe('a real mail server', { skip: reasonToSkip(), timeout: 60_000 }, () => {
  const ways = [
    ['STARTTLS and AUTH PLAIN', 'starttls', 'LOGIN', 'starttls'],
    ['STARTTLS and AUTH LOGIN', 'starttls', 'PLAIN', 'starttls'],
    ['TLS from the first byte', 'tls', '-', 'implicit'],
  ] as const
  for (const [name, offer, leftOut, mode] of ways) {
    it(`accepts a sign-in mail over ${name}`, async () => {
      await using server = await startServer(offer, leftOut)
      assert.equal(await send(server.port, mailTo('reader@example.net'), { mode }), '250 2.0.0 kept')
      const mail = await server.nextMail()
      assert.deepEqual([mail.encrypted, mail.user], [true, LOGIN.user])
      assert.deepEqual([mail.from, mail.to], ['no-reply@localhost', ['reader@example.net']])
      assert.deepEqual(mail.defects, [])
    })
  }

  const readers = [
    ['ASCII', 'Dateline', 'reader@example.net', 'reader@example.net'],
    [
      'a name of the service in another script',
      'Ежедневные новости, “Zoë” & 日本',
      'reader@example.net',
      'reader@example.net',
    ],
    ['an international domain', 'Dateline', 'reader@bücher.example', 'reader@xn--bcher-kva.example'],
  ] as const
  it('delivers what was composed, without a defect', async () => {
    await using server = await startServer('starttls', '-')
    for (const [name, appName, to, onTheWire] of readers) {
      const sent = mailTo(to, appName)
      await send(server.port, sent, {})
      const mail = await server.nextMail()
      assert.deepEqual(mail.defects, [], name)
      assert.deepEqual(mail.to, [onTheWire], name)
      assert.deepEqual(mail.recipients, [onTheWire], name)
      assert.deepEqual(mail.sender, [[SENDER, 'no-reply@localhost']], name)
      assert.equal(mail.headers['Subject'], sent.subject, name)
      assert.equal(mail.headers['Auto-Submitted'], 'auto-generated')
      assert.match(mail.headers['Message-ID'] ?? '', /^<[a-p]{32}@localhost>$/)
      assert.equal(mail.date, '2025-10-20T12:34:56+00:00')
      assert.deepEqual(mail.types, ['multipart/alternative', 'text/plain', 'text/html'])
      assert.equal(mail.text.replaceAll('\r\n', '\n').trimEnd(), sent.text.trimEnd(), name)
      assert.equal(mail.html.replaceAll('\r\n', '\n').trimEnd(), sent.html.trimEnd(), name)
      const raw = Buffer.from(mail.content, 'base64').toString()
      assert.deepEqual([...new Set(raw.match(/\b\d{6}\b/g))], ['042137'], name)
    }
  })

  it('accepts a mail to an international local part', async () => {
    await using server = await startServer('starttls', '-')
    await send(server.port, mailTo('zoë@bücher.example'), {})
    const { to, content } = await server.nextMail()
    assert.deepEqual(to, ['zoë@xn--bcher-kva.example'])
    // Python's parser reports every UTF-8 header as a defect, so the bytes are compared (RFC 6532).
    assert.match(Buffer.from(content, 'base64').toString(), /^To: zoë@xn--bcher-kva\.example\r\n/m)
  })

  const failures = [
    ['a wrong password', { login: { ...LOGIN, password: 'wrong' } }, 'auth'],
    ['a certificate of an unknown issuer', { ca: [] }, 'tls'],
  ] as const
  for (const [name, overrides, stage] of failures) {
    it(`leaves a mail waiting with ${name}`, async () => {
      await using server = await startServer('starttls', '-')
      await assert.rejects(send(server.port, mailTo('reader@example.net'), overrides), (error: unknown) => {
        assert.ok(error instanceof DeliveryError)
        assert.deepEqual([error.stage, error.temporary], [stage, true], error.message)
        assert.doesNotMatch(error.message, /042137|wrong/)
        return true
      })
    })
  }
})
