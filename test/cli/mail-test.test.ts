/**
 * `dateline mail test` against scripted servers: the dialogue, the sentence, the exit status, and no password anywhere.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { runCheaply } from '../support/service/in-process.ts'
import { type Finished } from '../../scripts/tools/program.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { openPeer, TAKES_ONE, type Step } from '../support/smtp/smtp-peer.ts'

const CLEAR = ['--mail-cleartext-login', 'on']
const PASSWORD = 'correct-horse-battery'
const GREETING: readonly Step[] = [['', '220 hi'], ['EHLO', '250-x\r\n250 AUTH PLAIN']]

/** Sends one test mail; the output must not contain the password in any form. */
async function testMail(mail: string, ...more: readonly string[]): Promise<Finished> {
  const done = await runCheaply(['mail', 'test', '--to', ' You@Example.org ', '--mail', mail, ...more])
  const secrets = [PASSWORD, `\0me\0${PASSWORD}`].flatMap((text) => [text, Buffer.from(text).toString('base64')])
  for (const secret of secrets) assert.ok(!(done.stdout + done.stderr).includes(secret))
  return done
}

it('an accepted mail ends with 0 and the reply of the server, after the whole dialogue', async () => {
  await using peer = await openPeer([...GREETING, ...TAKES_ONE])
  const mail = `smtp://me:${PASSWORD}@127.0.0.1:${peer.port}`
  const { code, stdout, stderr } = await testMail(mail, ...CLEAR, '--app-name', 'Été <1>')
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^Sign-in codes: mail goes through 127\.0\.0\.1:\d+/)
  for (const line of ['< 220 hi', '> AUTH PLAIN ***', '> RCPT TO:<you@example.org>', '< 250 queued as 4711']) {
    assert.ok(stdout.split('\n').includes(line), `${line}\n${stdout}`)
  }
  assert.match(stdout, /\nThe mail was accepted: 250 queued as 4711\n$/)
  assert.doesNotMatch(peer.messages.join(''), /(?<!\d)\d{6}(?!\d)/, 'it contains no code')
})

it('a rejected password ends with 1, the reply of the server and a sentence of advice', async () => {
  await using peer = await openPeer([...GREETING, ['AUTH', '535 5.7.8 go away'], ['QUIT', '221 bye']])
  const { code, stderr } = await testMail(`smtp://me:${PASSWORD}@127.0.0.1:${peer.port}`, ...CLEAR)
  assert.equal(code, 1)
  assert.match(stderr, /535 5\.7\.8 go away/)
  assert.equal(stderr.trim().split('\n').length, 2, stderr)
})

it('a password is not sent unencrypted, even to this machine, and the setting that allows it is named', async () => {
  await using peer = await openPeer([...GREETING, ['QUIT', '221 bye']])
  const { code, stderr } = await testMail(`smtp://me:${PASSWORD}@127.0.0.1:${peer.port}`)
  assert.deepEqual([code, peer.verbs()], [1, 'EHLO QUIT'])
  assert.match(stderr, /\(AUTH PLAIN\)[\s\S]*--mail-cleartext-login$/m)
})

it('a directory gets the mail too', async (t) => {
  const directory = join(temporaryDirectory(t), 'mails')
  const { code, stdout } = await testMail(`file:${directory}`)
  assert.equal(code, 0)
  assert.match(stdout, /The mail was accepted: written to /)
  const [file = ''] = readdirSync(directory)
  assert.match(readFileSync(join(directory, file), 'utf8'), /^Subject: Mail from Dateline works\r?$/m)
})

it('attack: a server that answers with control characters does not reach the terminal', async () => {
  await using peer = await openPeer([['', '220 hi \x1b]0;owned\x07'], ['EHLO', '550 \x1b[2J no'], ['HELO', '550 no']])
  const { stdout, stderr } = await testMail(`smtp://127.0.0.1:${peer.port}`)
  assert.doesNotMatch((stdout + stderr).replaceAll('\n', ''), /\p{Cc}/u)
})

const to = ['--to', 'you@example.org']

for (const [words, says] of [
  [[], /^dateline mail test needs --to ADDRESS\n$/],
  [['--to', 'unknown'], /expected an e-mail address/],
  [[...to, '--mail', 'smpt://x'], /--mail/],
  [[...to, '--mail', 'smtp://x', '--mail-ca', '/nowhere.pem'], /--mail-ca.*\/nowhere\.pem/],
] as const) {
  it(`dateline mail test ${words.join(' ')} is refused with 2 and one sentence`, async () => {
    const { code, stdout, stderr } = await runCheaply(['mail', 'test', ...words])
    assert.deepEqual([code, stdout, stderr.split('\n').length], [2, '', 2], stderr)
    assert.match(stderr, says)
  })
}
