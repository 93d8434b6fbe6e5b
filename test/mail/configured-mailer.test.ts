/** From the text of the settings to the bytes at a server. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { readConfig } from '../../src/config/read-config.ts'
import { SETTINGS, type SettingName } from '../../src/config/settings.ts'
import { openMailer } from '../../src/mail/delivery/mailer.ts'
import { readMailSettings } from '../../src/mail/settings/mail-settings.ts'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { freePorts } from '../../scripts/tools/free-ports.ts'
import { AUTHORITY, GOOD_SERVER } from '../support/smtp/mail-certificates.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { openPeer, type SmtpPeer, type Step } from '../support/smtp/smtp-peer.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const DIRECTORY = temporaryDirectory({ after })

function file(name: string, content: string): string {
  const path = join(DIRECTORY, name)
  writeFileSync(path, content, { mode: 0o600 })
  return path
}

const CA = file('ca.pem', AUTHORITY)
const SEND: readonly Step[] = [
  ['MAIL FROM:<no-reply@example.org>', '250 ok'],
  ['RCPT', '250 ok'],
  ['DATA', '354 go'],
  ['.', '250 2.0.0 queued'],
  ['QUIT', '221 bye'],
]
const offering = (auth: string): readonly Step[] => [
  ['', '220 hi'],
  ['EHLO', '250-x\r\n250 STARTTLS'],
  ['STARTTLS', '220 go', 'tls'],
  ['EHLO', `250-x\r\n250 ${auth}`],
]

async function send(given: Partial<Record<SettingName, string>>): Promise<string> {
  const settings = { mailFrom: 'no-reply@example.org', ...given }
  const names = SETTINGS.map(({ name }) => name).filter((name) => name in settings)
  const texts = new Map(names.map((name) => [name, String((settings as Record<string, string>)[name])]))
  const tools = { now: () => NOW, environment: {} }
  const { now } = tools
  const mailer = await openMailer(readMailSettings(readConfig(texts, {}), tools), {
    now,
    randomBytes: (size) => new Uint8Array(size),
    writeLine: () => {},
  })
  try {
    const content = signInMessage({ code: '042137', minutes: 15, appName: 'Dateline', languages: [] })
    return (await mailer.send({ id: '68f62d50a1b2c3d4e5f60718', to: 'reader@example.net', ...content })).reply
  } finally {
    await mailer.close()
  }
}

function said(peer: SmtpPeer, verb: string): string {
  return peer.heard.find(({ line }) => line.startsWith(verb))?.line ?? ''
}

it('a private authority and a password from a file', async () => {
  await using peer = await openPeer([...offering('AUTH PLAIN'), ['AUTH', '235 ok'], ...SEND], { identity: GOOD_SERVER })
  const mailPasswordFile = file('password', 'hunter2\n')
  const mail = `smtp://ann%40example.org@localhost:${peer.port}`
  assert.equal(await send({ mail, mailPasswordFile, mailCa: CA, mailTls: 'starttls' }), '250 2.0.0 queued')
  const response = said(peer, 'AUTH PLAIN').split(' ')[2] ?? ''
  assert.equal(Buffer.from(response, 'base64').toString(), '\0ann@example.org\0hunter2')
})

it('of several hosts the first that answers, and a signature that names the domain of the sender', async () => {
  const [port = 0] = await freePorts(1)
  await using peer = await openPeer([['', '220 hi'], ['EHLO', '250 x'], ...SEND])
  const { privateKey } = generateKeyPairSync('ed25519')
  const mailDkimKey = file('dkim.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  const mail = `smtp://127.0.0.1:${port},127.0.0.1:${peer.port}`
  assert.equal(await send({ mail, mailDkimKey, mailDkimSelector: 'date1' }), '250 2.0.0 queued')
  assert.match(peer.messages[0] ?? '', /^DKIM-Signature: v=1; a=ed25519-sha256; .*\r\n d=example\.org; s=date1;\r\n/)
})
