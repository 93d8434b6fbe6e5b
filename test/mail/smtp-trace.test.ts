import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSmtpClient } from '../../src/mail/smtp/smtp.ts'
import { deliverOnce, LOGIN, type Overrides, settingsFor } from '../support/smtp/smtp-delivery.ts'
import { openPeer, type PeerOptions, QUIT, type Step, TRANSACTION } from '../support/smtp/smtp-peer.ts'

const MAIL = { from: 'a@b.example', to: 'c@d.example', data: 'Subject: 123456\r\n\r\nHello\r\n' }

async function traced(script: readonly Step[], overrides: Overrides = {}, options: PeerOptions = {}): Promise<string[]> {
  await using peer = await openPeer(script, options)
  const lines: string[] = []
  const trace = ({ from, text }: { from: string; text: string }): void => {
    assert.doesNotMatch(text, /[\r\n]/)
    lines.push(`${from}: ${text}`.replaceAll(String(peer.port), 'PORT'))
  }
  await deliverOnce(settingsFor(peer.port, overrides), MAIL, { trace }).catch(() => {})
  const traced = lines.length
  await peer.quiet()
  assert.equal(lines.length, traced, 'nothing is traced once the outcome is known')
  return lines
}

describe('the trace of a delivery', () => {
  for (const chunks of ['whole', 'bytes', 'joined'] as const) {
    it(`is the whole dialogue, with replies ${chunks}, and neither the password nor the message`, async () => {
      const script: Step[] = [
        ['', '220-hi\r\n220 there'],
        ['EHLO', '250-x\r\n250 STARTTLS'],
        ['STARTTLS', '220 go', 'tls'],
        ['EHLO', '250-x\r\n250-AUTH PLAIN\r\n250 PIPELINING'],
        ['AUTH', '235 welcome'],
        ...TRANSACTION,
        QUIT,
      ]
      const lines = await traced(script, { mode: 'starttls', login: LOGIN }, { chunks })
      assert.deepEqual(
        lines.map((line) => line.replace(/^(note: TLSv1\.3, )\w+;/, '$1CIPHER;')),
        [
          'note: connecting to 127.0.0.1:PORT',
          'note: connected to 127.0.0.1',
          'server: 220-hi',
          'server: 220 there',
          'client: EHLO [127.0.0.1]',
          'server: 250-x',
          'server: 250 STARTTLS',
          'client: STARTTLS',
          'server: 220 go',
          'note: TLSv1.3, CIPHER; certificate of "CN=Dateline test mail server", issued by ' +
            '"CN=Dateline test mail server", valid from Jan  1 00:00:00 2020 GMT to Jan  1 00:00:00 2120 GMT',
          'client: EHLO [127.0.0.1]',
          'server: 250-x',
          'server: 250-AUTH PLAIN',
          'server: 250 PIPELINING',
          'client: AUTH PLAIN ***',
          'server: 235 welcome',
          'client: MAIL FROM:<a@b.example>',
          'client: RCPT TO:<c@d.example>',
          'client: DATA',
          'server: 250 ok',
          'server: 250 ok',
          'server: 354 go',
          'client: … 29 bytes',
          'server: 250 queued',
        ],
      )
    })
  }

  it('masks secrets that a server repeats, and cuts long lines', async () => {
    const echo = `${LOGIN.password} 123456 ${Buffer.from(LOGIN.password).toString('base64')}`
    const login: Step[] = [['', '220 hi'], ['EHLO', '250-x\r\n250 AUTH PLAIN'], ['AUTH', `235 ${echo}`]]
    const lines = await traced([...login, ['MAIL', `550 ${echo} ${'x'.repeat(900)}`], QUIT], { login: LOGIN })
    assert.ok(lines.includes('server: 235 *** *** ***'))
    assert.match(lines.at(-1) ?? '', /^server: 550 \*\*\* \*\*\* \*\*\* x+…$/)
    assert.ok((lines.at(-1)?.length ?? 0) < 400)
  })

  it('ends after 400 lines', async () => {
    const long = `${'220-x\r\n'.repeat(250)}220 x`
    const lines = await traced([['', long], ['EHLO', long.replaceAll('220', '250')], ...TRANSACTION, QUIT])
    assert.deepEqual([lines.length, lines.at(-1)], [401, 'note: the dialogue continues; the rest is not shown'])
  })

  it('shows a reused connection, and one that turned out dead', async () => {
    const opening: Step[] = [['', '220 hi'], ['EHLO', '250 x']]
    const script: Step[] = [...opening, ...TRANSACTION, ['MAIL', '', 'drop']]
    await using peer = await openPeer(script, { later: [[...opening, ...TRANSACTION, QUIT]] })
    const client = createSmtpClient(settingsFor(peer.port))
    await client.deliver(MAIL)
    const notes: string[] = []
    await client.deliver(MAIL, { trace: ({ from, text }) => from === 'note' && notes.push(text) })
    await client.close()
    assert.deepEqual(
      notes.map((text) => text.replace(/:\d+/, '')),
      [
        'using the open connection to 127.0.0.1',
        'that connection is dead, trying a new one',
        'connecting to 127.0.0.1',
        'connected to 127.0.0.1',
      ],
    )
  })
})
