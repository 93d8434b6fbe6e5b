import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { DeliveryError } from '../../src/mail/delivery/delivery-error.ts'
import { type Mail, type Mailer, type MailerTools, openMailer } from '../../src/mail/delivery/mailer.ts'
import type { MailRoute } from '../../src/mail/settings/mail-settings.ts'
import type { SmtpSettings } from '../../src/mail/smtp/smtp.ts'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { openPeer, type Step } from '../support/smtp/smtp-peer.ts'

const NOW = Date.parse('2025-10-20T12:34:56.789Z')
const MAIL: Mail = {
  id: '68f62d50a1b2c3d4e5f60718',
  to: 'reader@example.net',
  ...signInMessage({ code: '042137', minutes: 15, appName: 'Dateline', languages: [] }),
}

/** Counts up, so that no two draws are equal. */
function countingBytes(): (size: number) => Uint8Array {
  let draws = 0
  return (size) => Uint8Array.from({ length: size }, (_, at) => (at === 0 ? draws++ : at))
}

function open(route: MailRoute, overrides: Partial<MailerTools> = {}): Promise<Mailer> {
  const from = { name: 'Dateline', address: 'no-reply@example.org' }
  const tools = { now: () => NOW, randomBytes: countingBytes(), writeLine: () => {} }
  return openMailer({ from, route }, { ...tools, ...overrides })
}

const SCRIPT: readonly Step[] = [
  ['', '220 hi'],
  ['EHLO', '250 x'],
  ['MAIL FROM:<no-reply@example.org>', '250 ok'],
  ['RCPT TO:<reader@example.net>', '250 ok'],
  ['DATA', '354 go'],
  ['.', '250 2.0.0 queued'],
  ['QUIT', '221 bye'],
]

interface Opened extends AsyncDisposable {
  readonly mailer: Mailer
  /** What arrived. */
  sent(): Promise<readonly string[]>
}

/** The four kinds, each with a view of what it sent. */
const KINDS: Readonly<Record<string, (overrides?: Partial<MailerTools>) => Promise<Opened>>> = {
  console: async (overrides) => {
    const lines: string[] = []
    const mailer = await open({ kind: 'console' }, { writeLine: (line) => lines.push(line), ...overrides })
    return { mailer, sent: async () => lines, [Symbol.asyncDispose]: async () => {} }
  },
  file: async (overrides) => {
    const directory = await mkdtemp(join(tmpdir(), 'dateline-mail-'))
    const mailer = await open({ kind: 'file', directory }, overrides)
    const sent = async (): Promise<string[]> =>
      Promise.all((await readdir(directory)).map((name) => readFile(join(directory, name), 'utf8')))
    return { mailer, sent, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
  },
  exec: async (overrides) => {
    const directory = await mkdtemp(join(tmpdir(), 'dateline-mail-'))
    const args = ['-c', 'cat > "$0/$$"; echo "given to a program"', directory]
    const command = { program: '/bin/sh', args, environment: { PATH: '/usr/bin:/bin' } }
    const mailer = await open({ kind: 'exec', command }, overrides)
    const sent = async (): Promise<string[]> =>
      Promise.all((await readdir(directory)).map((name) => readFile(join(directory, name), 'utf8')))
    return { mailer, sent, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
  },
  smtp: async (overrides) => {
    const peer = await openPeer(SCRIPT)
    const settings: SmtpSettings = {
      servers: [{ host: '127.0.0.1', port: peer.port }],
      tls: { mode: 'starttls-if-offered', verify: false },
      cleartextLogin: false,
    }
    const mailer = await open({ kind: 'smtp', settings }, overrides)
    return { mailer, sent: async () => peer.messages, [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose]() }
  },
}

for (const [kind, openKind] of Object.entries(KINDS)) {
  describe(`the ${kind} mailer`, () => {
    it('delivers a mail and says where it went, without the code', async () => {
      await using opened = await openKind()
      const { reply } = await opened.mailer.send(MAIL)
      assert.match(reply, /^(?:printed to the service log|given to a program|written to \S+\.eml|250 2\.0\.0 queued)$/)
      assert.doesNotMatch(reply, /042137/)
      const sent = await opened.sent()
      assert.equal(sent.length, 1)
      assert.match(sent[0] ?? '', /042137/)
      assert.match(sent[0] ?? '', /reader@example\.net/)
    })

    const refused: ReadonlyArray<readonly [string, Partial<Mail>]> = [
      ['a recipient with a line break', { to: 'reader@example.net\r\nBcc: x@y.z' }],
      ['a recipient that is not normalised', { to: 'Reader@example.net' }],
      ['two recipients', { to: 'a@example.net,b@example.net' }],
      ['an escape sequence in the recipient', { to: '\x1b[2Ja@example.net' }],
      ['a subject with a line break', { subject: 'x\r\nBcc: x@y.z' }],
    ]
    for (const [name, change] of refused) {
      it(`rejects ${name} permanently, and sends nothing`, async () => {
        await using opened = await openKind()
        await assert.rejects(opened.mailer.send({ ...MAIL, ...change }), (error: unknown) => {
          assert.ok(error instanceof DeliveryError)
          assert.deepEqual([error.stage, error.temporary], ['compose', false])
          assert.doesNotMatch(error.message, /042137|y\.z/)
          return true
        })
        assert.deepEqual(await opened.sent(), [])
      })
    }
  })
}

describe('the console mailer', () => {
  it('prints one line, with the code or else the subject', async () => {
    await using opened = await KINDS['console']!()
    await opened.mailer.send(MAIL)
    const { code: _code, ...withoutCode } = MAIL
    await opened.mailer.send({ ...withoutCode, subject: 'A test mail' })
    assert.deepEqual(await opened.sent(), [
      'Mail to reader@example.net: sign-in code 042137',
      'Mail to reader@example.net: A test mail',
    ])
  })
})

describe('the file mailer', () => {
  it('makes its directory and its files for the owner only, and leaves nothing unfinished', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'dateline-mail-'))
    const directory = join(parent, 'new', 'mails')
    const mailer = await open({ kind: 'file', directory })
    await mailer.send(MAIL)
    const names = await readdir(directory)
    assert.equal(names.length, 1)
    assert.equal((await stat(directory)).mode & 0o777, 0o700)
    assert.equal((await stat(join(directory, names[0]!))).mode & 0o777, 0o600)
    await rm(parent, { recursive: true })
  })

  it('names files by time, also when the clock stands still or goes back, and without user input', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'dateline-mail-'))
    const times = [NOW, NOW, NOW, NOW - 60_000, NOW + 1]
    let clock = NOW
    const mailer = await open({ kind: 'file', directory }, { now: () => clock })
    for (const [count, time] of times.entries()) {
      clock = time
      await mailer.send({ ...MAIL, to: `reader${count}@example.net` })
    }
    const names = (await readdir(directory)).sort()
    for (const name of names) assert.match(name, /^2025-10-20T12-34-56\.\d{3}Z-\d{4}-[a-p]{24}\.eml$/)
    const recipients = await Promise.all(
      names.map(async (name) => /^To: reader(\d)@/m.exec(await readFile(join(directory, name), 'utf8'))?.[1]),
    )
    assert.deepEqual(recipients, ['0', '1', '2', '3', '4'])
    await rm(directory, { recursive: true })
  })

  it('accepts many mails at once', async () => {
    await using opened = await KINDS['file']!()
    await Promise.all(Array.from({ length: 30 }, () => opened.mailer.send(MAIL)))
    assert.equal((await opened.sent()).length, 30)
  })

  it('is rejected at start where a file has that name', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'dateline-mail-'))
    await writeFile(join(parent, 'mails'), '')
    await assert.rejects(
      open({ kind: 'file', directory: join(parent, 'mails') }),
      /Cannot use --mail "file:.*mails": expected a directory .*, found none \(a file with this name exists already\)/,
    )
    await rm(parent, { recursive: true })
  })

  it('reports a removed directory as temporary', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'dateline-mail-'))
    const directory = join(parent, 'mails')
    const mailer = await open({ kind: 'file', directory })
    await rm(directory, { recursive: true })
    await assert.rejects(mailer.send(MAIL), (error: unknown) => {
      assert.ok(error instanceof DeliveryError)
      assert.deepEqual([error.stage, error.temporary], ['file', true])
      assert.match(error.message, /^Cannot write mail to ".*mails": no such file or directory$/)
      return true
    })
    await rm(parent, { recursive: true })
  })
})

describe('the Message-ID', () => {
  const messageIdOf = (message: string): string | undefined => /^Message-ID: (.*)\r$/m.exec(message)?.[1]

  it('is the same when a mail is sent again, and another for another mail', async () => {
    await using opened = await KINDS['file']!()
    await opened.mailer.send(MAIL)
    await opened.mailer.send(MAIL)
    await opened.mailer.send({ ...MAIL, id: '68f62d50a1b2c3d4e5f60719' })
    const ids = (await opened.sent()).map(messageIdOf)
    assert.match(ids[0] ?? '', /^<[a-p]{32}@example\.org>$/)
    assert.equal(new Set(ids).size, 2)
  })

  it('does not depend on the code', async () => {
    await using opened = await KINDS['file']!()
    await opened.mailer.send(MAIL)
    await opened.mailer.send({ ...MAIL, ...signInMessage({ code: '999999', minutes: 15, appName: 'Dateline', languages: [] }) })
    const ids = (await opened.sent()).map(messageIdOf)
    assert.equal(ids.length, 2)
    assert.equal(new Set(ids).size, 1)
  })
})

describe('the smtp mailer', () => {
  it('passes the signal on', async () => {
    await using opened = await KINDS['smtp']!()
    await assert.rejects(opened.mailer.send(MAIL, { signal: AbortSignal.abort() }), /the service is stopping/)
  })
})
