import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Mail, type Mailer, type MailerTools, openMailer } from '../../src/mail/delivery/mailer.ts'
import type { MailRoute } from '../../src/mail/settings/mail-settings.ts'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { rejection, settingsFor } from '../support/smtp/smtp-delivery.ts'
import { openPeer, SEND } from '../support/smtp/smtp-peer.ts'

const NOW = Date.parse('2025-10-20T12:34:56.789Z')
const signIn = (code: string) => signInMessage({ code, minutes: 15, appName: 'Dateline', languages: [] })
const MAIL: Mail = { id: '68f62d50a1b2c3d4e5f60718', to: 'reader@example.net', ...signIn('042137') }

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

const textsIn = (directory: string): string[] =>
  readdirSync(directory)
    .sort()
    .map((name) => readFileSync(join(directory, name), 'utf8'))

interface Opened {
  readonly mailer: Mailer
  /** What arrived. */
  sent(): readonly string[]
}

async function openFile(t: Cleanup, overrides?: Partial<MailerTools>): Promise<Opened & { readonly directory: string }> {
  const directory = join(temporaryDirectory(t), 'new', 'mails')
  return { mailer: await open({ kind: 'file', directory }, overrides), sent: () => textsIn(directory), directory }
}

/** The four kinds, each with a view of what it sent. */
const KINDS: Readonly<Record<string, (t: Cleanup) => Promise<Opened>>> = {
  async console() {
    const lines: string[] = []
    return { mailer: await open({ kind: 'console' }, { writeLine: (line) => lines.push(line) }), sent: () => lines }
  },
  file: openFile,
  async exec(t) {
    const directory = temporaryDirectory(t)
    const args = ['-c', 'cat > "$0/$$"; echo "given to a program"', directory]
    const command = { program: '/bin/sh', args, environment: { PATH: '/usr/bin:/bin' } }
    return { mailer: await open({ kind: 'exec', command }), sent: () => textsIn(directory) }
  },
  async smtp(t) {
    const peer = await openPeer([['', '220 hi'], ['EHLO', '250 x'], ...SEND])
    t.after(async () => await peer[Symbol.asyncDispose]())
    return { mailer: await open({ kind: 'smtp', settings: settingsFor(peer.port) }), sent: () => peer.messages }
  },
}

for (const [kind, openKind] of Object.entries(KINDS)) {
  describe(`the ${kind} mailer`, () => {
    it('delivers a mail and says where it went, without the code', async (t) => {
      const { mailer, sent } = await openKind(t)
      const { reply } = await mailer.send(MAIL)
      assert.match(reply, /^(?:printed to the service log|given to a program|written to \S+\.eml|250 queued)$/)
      assert.doesNotMatch(reply, /042137/)
      assert.equal(sent().length, 1)
      assert.match(sent()[0] ?? '', /042137/)
      assert.match(sent()[0] ?? '', /reader@example\.net/)
    })

    const refused: ReadonlyArray<readonly [string, Partial<Mail>]> = [
      ['a recipient with a line break', { to: 'reader@example.net\r\nBcc: x@y.z' }],
      ['a recipient that is not normalised', { to: 'Reader@example.net' }],
      ['two recipients', { to: 'a@example.net,b@example.net' }],
      ['an escape sequence in the recipient', { to: '\x1b[2Ja@example.net' }],
      ['a subject with a line break', { subject: 'x\r\nBcc: x@y.z' }],
    ]
    for (const [name, change] of refused) {
      it(`rejects ${name} permanently, and sends nothing`, async (t) => {
        const { mailer, sent } = await openKind(t)
        const error = await rejection(mailer.send({ ...MAIL, ...change }))
        assert.deepEqual([error.stage, error.temporary], ['compose', false])
        assert.doesNotMatch(error.message, /042137|y\.z/)
        assert.deepEqual(sent(), [])
      })
    }
  })
}

describe('the console mailer', () => {
  it('prints one line, with the code or else the subject', async (t) => {
    const { mailer, sent } = await KINDS['console']!(t)
    await mailer.send(MAIL)
    const { code: _code, ...withoutCode } = MAIL
    await mailer.send({ ...withoutCode, subject: 'A test mail' })
    const [first, second] = ['sign-in code 042137', 'A test mail']
    assert.deepEqual(sent(), [`Mail to reader@example.net: ${first}`, `Mail to reader@example.net: ${second}`])
  })
})

describe('the file mailer', () => {
  it('makes its directory and its files for the owner only, and leaves nothing unfinished', async (t) => {
    const { mailer, directory } = await openFile(t)
    await mailer.send(MAIL)
    const [name = '', ...others] = readdirSync(directory)
    assert.deepEqual(others, [])
    assert.equal(statSync(directory).mode & 0o777, 0o700)
    assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600)
  })

  it('names files by time, also when the clock stands still or goes back, and without user input', async (t) => {
    let clock = NOW
    const { mailer, directory, sent } = await openFile(t, { now: () => clock })
    for (const [count, time] of [NOW, NOW, NOW, NOW - 60_000, NOW + 1].entries()) {
      clock = time
      await mailer.send({ ...MAIL, to: `reader${count}@example.net` })
    }
    for (const name of readdirSync(directory)) assert.match(name, /^2025-10-20T12-34-56\.\d{3}Z-\d{4}-[a-p]{24}\.eml$/)
    assert.deepEqual(sent().map((text) => /^To: reader(\d)@/m.exec(text)?.[1]), ['0', '1', '2', '3', '4'])
  })

  it('accepts many mails at once', async (t) => {
    const { mailer, sent } = await openFile(t)
    await Promise.all(Array.from({ length: 30 }, () => mailer.send(MAIL)))
    assert.equal(sent().length, 30)
  })

  it('is rejected at start where a file has that name', async (t) => {
    const directory = join(temporaryDirectory(t), 'mails')
    writeFileSync(directory, '')
    const message = /Cannot use --mail "file:.*mails": expected a directory .* \(a file with this name exists already\)/
    await assert.rejects(open({ kind: 'file', directory }), message)
  })

  it('reports a removed directory as temporary', async (t) => {
    const { mailer, directory } = await openFile(t)
    rmSync(directory, { recursive: true })
    const error = await rejection(mailer.send(MAIL))
    assert.deepEqual([error.stage, error.temporary], ['file', true])
    assert.match(error.message, /^Cannot write mail to ".*mails": no such file or directory$/)
  })
})

it('the Message-ID is the same when a mail is sent again, whatever its code, and another for another mail', async (t) => {
  const { mailer, sent } = await openFile(t)
  for (const change of [{}, {}, signIn('999999'), { id: '68f62d50a1b2c3d4e5f60719' }]) await mailer.send({ ...MAIL, ...change })
  const [first, ...others] = sent().map((message) => /^Message-ID: (.*)\r$/m.exec(message)?.[1])
  assert.match(first ?? '', /^<[a-p]{32}@example\.org>$/)
  assert.deepEqual(others.map((id) => id === first), [true, true, false])
})

it('the smtp mailer passes the signal on', async (t) => {
  const { mailer } = await KINDS['smtp']!(t)
  await assert.rejects(mailer.send(MAIL, { signal: AbortSignal.abort() }), /the service is stopping/)
})
