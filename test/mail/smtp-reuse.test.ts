// isolated: it counts the open sockets and timers of the process
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSmtpClient, type SmtpClient, type SmtpSettings } from '../../src/mail/smtp/smtp.ts'
import type { OutgoingMail } from '../../src/mail/smtp/smtp-envelope.ts'
import { type Overrides, rejection, settingsFor } from '../support/smtp/smtp-delivery.ts'
import { openPeer, type PeerOptions, QUIT, type SmtpPeer, type Step, TRANSACTION } from '../support/smtp/smtp-peer.ts'
import { until } from '../support/until.ts'

const mailTo = (to: string): OutgoingMail => ({ from: 'a@b.example', to, data: `To: ${to}\r\n\r\nHello\r\n` })
const MAIL = mailTo('c@d.example')

const OPENING: readonly Step[] = [['', '220 hi'], ['EHLO', '250-x\r\n250 PIPELINING']]
/** The replies to the three commands before a message. */
const answers = (mail: string, rcpt: string, data: string): Step[] => [['MAIL', mail], ['RCPT', rcpt], ['DATA', data]]
const times = (count: number, steps: readonly Step[]): Step[] => Array.from({ length: count }, () => steps).flat()

interface Opened extends AsyncDisposable {
  readonly peer: SmtpPeer
  readonly client: SmtpClient
}

async function open(script: readonly Step[], overrides: Overrides = {}, options: PeerOptions = {}): Promise<Opened> {
  const peer = await openPeer(script, options)
  const client = createSmtpClient(settingsFor(peer.port, overrides))
  return {
    peer,
    client,
    async [Symbol.asyncDispose]() {
      await client.close()
      await peer[Symbol.asyncDispose]()
    },
  }
}

for (const chunks of ['whole', 'bytes', 'joined'] as const) {
  describe(`deliver() for several mails, with replies ${chunks},`, () => {
    it('sends several mails over one connection and quits when it is closed', async () => {
      await using opened = await open([...OPENING, ...times(3, TRANSACTION), QUIT], {}, { chunks })
      const { client, peer } = opened
      for (const to of ['a@d.example', 'b@d.example', 'c@d.example']) await client.deliver(mailTo(to))
      await client.close()
      await peer.quiet()
      assert.deepEqual([peer.connections, peer.messages.length, peer.surprises], [1, 3, []])
      assert.equal(peer.verbs(), 'EHLO MAIL RCPT DATA . MAIL RCPT DATA . MAIL RCPT DATA . QUIT')
    })

    const refused: ReadonlyArray<readonly [string, readonly Step[], string]> = [
      ['MAIL', answers('550 a', '503 b', '503 c'), '550 a'],
      ['RCPT', answers('250 a', '550 b', '554 c'), '550 b'],
      ['RCPT, but not DATA', [...answers('250 a', '450 b', '354 c'), ['.', '554 d']], '450 b'],
      ['MAIL, but nothing else', [...answers('450 a', '250 b', '354 c'), ['.', '250 d']], '450 a'],
      ['DATA', answers('250 a', '250 b', '451 c'), '451 c'],
      ['the message', [...TRANSACTION.slice(0, 3), ['.', '554 d']], '554 d'],
    ]
    if (chunks === 'bytes') return
    for (const [name, steps, reply] of refused) {
      it(`goes on with the next mail after the server rejected ${name}`, async () => {
        const script: Step[] = [...OPENING, ...steps, ['RSET', '250 forgotten'], ...TRANSACTION, ...TRANSACTION, QUIT]
        await using opened = await open(script, {}, { chunks })
        const error = await rejection(opened.client.deliver(MAIL))
        assert.equal(error.reply, reply)
        for (let mail = 0; mail < 2; mail++) {
          assert.deepEqual(await opened.client.deliver(mailTo('e@f.example')), { reply: '250 queued' })
        }
        const { connections, surprises, messages } = opened.peer
        assert.deepEqual([connections, surprises], [1, []])
        // The server saw no rejected mail, unless it was the message that it rejected.
        const [shown = '', ...others] = messages.filter((message) => message !== '')
        assert.deepEqual([shown.includes('e@f.example'), others.length], name === 'the message' ? [false, 2] : [true, 1])
      })
    }
  })
}

describe('deliver(), where the server offers PIPELINING,', () => {
  it('sends MAIL, RCPT and DATA in one packet, and without it one after the other', async () => {
    for (const [offer, packets] of [['PIPELINING', 'MAIL RCPT DATA'], ['XPIPELINING', 'MAIL']] as const) {
      // A peer that answers nothing hears only what is sent without an answer.
      const script: Step[] = [['', '220 hi'], ['EHLO', `250-x\r\n250 ${offer}`], ...answers('', '', '')]
      await using opened = await open(script, { timeouts: { command: 200 } })
      const error = await rejection(opened.client.deliver(MAIL))
      assert.deepEqual([error.stage, opened.peer.verbs()], ['mail', `EHLO ${packets}`])
    }
  })

  const counts: ReadonlyArray<readonly [string, readonly Step[], string]> = [
    ['one reply too few', answers('250 a', '', '354 c'), 'rcpt'],
    ['one reply for all', answers('', '', '250 a'), 'rcpt'],
    ['one reply too many', answers('250 a', '250 b', '354 c\r\n250 queued'), 'message'],
    ['one reply too many at first', answers('250 a\r\n250 x', '250 b', '354 c'), 'data'],
    ['replies in another order', answers('354 c', '250 a', '250 b'), 'mail'],
    ['far too many', answers('250 a\r\n'.repeat(30), '250 b', '354 c'), 'mail'],
  ]
  for (const [name, steps, stage] of counts) {
    it(`sends no message to a server that gives ${name}`, async () => {
      const script = [...OPENING, ...steps]
      await using opened = await open(script, { timeouts: { command: 200, quit: 20 } }, { chunks: 'joined' })
      const error = await rejection(opened.client.deliver(MAIL))
      assert.deepEqual([error.stage, error.temporary], [stage, true], error.message)
      await opened.peer.quiet()
      assert.deepEqual(opened.peer.messages, [])
    })
  }

  it('reports a rejected recipient even if the connection drops before the other replies', async () => {
    const script: Step[] = [...OPENING, ['MAIL', '250 a'], ['RCPT', '550 5.1.1 who'], ['DATA', '', 'drop']]
    await using opened = await open(script)
    const error = await rejection(opened.client.deliver(MAIL))
    assert.deepEqual([error.reply, error.temporary, error.enhanced], ['550 5.1.1 who', false, '5.1.1'])
  })
})

describe('an idle connection', () => {
  const rested = [...OPENING, ...TRANSACTION]
  const dead: ReadonlyArray<readonly [string, readonly Step[], Overrides?]> = [
    ['was announced to close', [...rested.slice(0, -1), ['.', '250 queued\r\n421 idle', 'drop']]],
    ['drops at MAIL', [...rested, ['MAIL', '', 'drop']]],
    ['drops at RCPT', [...rested, ['MAIL', '250 ok'], ['RCPT', '', 'drop']]],
    ['answers 421 to MAIL', [...rested, ['MAIL', '421 too long idle', 'drop']]],
    ['answers garbage', [...rested, ['MAIL', 'rubbish']]],
    ['answers nothing', [...rested, ['MAIL', '']], { timeouts: { command: 500 } }],
  ]
  for (const [name, script, overrides] of dead) {
    it(`is replaced when it ${name}, and the mail arrives once`, async () => {
      const later = [[...OPENING, ...TRANSACTION, QUIT]]
      await using opened = await open(script, overrides, { later })
      await opened.client.deliver(mailTo('one@d.example'))
      assert.deepEqual(await opened.client.deliver(mailTo('two@d.example')), { reply: '250 queued' })
      assert.equal(opened.peer.connections, 2)
      assert.deepEqual(opened.peer.messages.map((text) => text.slice(4, 7)), ['one', 'two'])
    })
  }

  it('is replaced once, and then the attempt fails', async () => {
    const script: Step[] = [...rested, ['MAIL', '', 'drop']]
    await using opened = await open(script, {}, { later: [[...OPENING, ['MAIL', '', 'drop']]] })
    await opened.client.deliver(MAIL)
    const error = await rejection(opened.client.deliver(MAIL))
    assert.deepEqual([error.stage, error.temporary, opened.peer.connections], ['mail', true, 2])
  })

  it('is not replaced once the message was started, which could deliver it twice', async () => {
    for (const last of [['.', '', 'drop'], ['.', '250-queued', 'drop'], ['.', '']] as const) {
      const script: Step[] = [...rested, ...TRANSACTION.slice(0, 3), last]
      await using opened = await open(script, { timeouts: { data: 200 } })
      await opened.client.deliver(MAIL)
      const error = await rejection(opened.client.deliver(MAIL))
      assert.deepEqual([error.stage, error.temporary], ['message', true])
      assert.deepEqual([opened.peer.connections, opened.peer.messages.length], [1, 2])
    }
  })

  it('is not replaced when the server rejected the mail', async () => {
    const script: Step[] = [...rested, ['MAIL', '250 a'], ['RCPT', '550 who'], ['DATA', '', 'drop']]
    await using opened = await open(script)
    await opened.client.deliver(MAIL)
    const error = await rejection(opened.client.deliver(MAIL))
    assert.deepEqual([error.reply, opened.peer.connections], ['550 who', 1])
  })

  it('is replaced when the server rejects RSET', async () => {
    const refused: Step[] = [...answers('250 a', '550 who', '503 x'), ['RSET', '502 what']]
    await using opened = await open([...OPENING, ...refused], {}, { later: [[...OPENING, ...TRANSACTION, QUIT]] })
    await rejection(opened.client.deliver(MAIL))
    assert.deepEqual(await opened.client.deliver(MAIL), { reply: '250 queued' })
    assert.equal(opened.peer.connections, 2)
  })

  it('quits after its idle time', async () => {
    await using opened = await open([...rested, QUIT], { limits: { idleMs: 5 } })
    await opened.client.deliver(MAIL)
    await opened.peer.closed
    assert.equal(opened.peer.verbs(), 'EHLO MAIL RCPT DATA . QUIT')
  })

  it('quits after a number of mails', async () => {
    const script = [...OPENING, ...times(2, TRANSACTION), QUIT]
    await using opened = await open(script, { limits: { mailsPerSession: 2 } })
    for (let mail = 0; mail < 4; mail++) await opened.client.deliver(MAIL)
    await opened.client.close()
    await opened.peer.quiet()
    const conversation = 'EHLO MAIL RCPT DATA . MAIL RCPT DATA . QUIT'
    assert.deepEqual([opened.peer.connections, opened.peer.messages.length], [2, 4])
    // The QUIT of the first may be heard after the EHLO of the second.
    assert.deepEqual(opened.peer.verbs().split(' ').sort(), `${conversation} ${conversation}`.split(' ').sort())
  })

  it('does not keep the process alive', async () => {
    await using opened = await open([...rested, QUIT])
    await opened.client.deliver(MAIL)
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout')
    // The peer's own end of the connection, and its server, are what is left.
    const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap')
    assert.deepEqual([before, sockets.length], [[], 1])
  })
})

describe('deliver() of several mails at once', () => {
  it('uses as many connections as it may, and queues the others', async () => {
    const script = [...OPENING, ...times(6, TRANSACTION), QUIT]
    await using opened = await open(script, { limits: { sessions: 2 } })
    const mails = Array.from({ length: 9 }, (_, at) => opened.client.deliver(mailTo(`m${at}@d.example`)))
    await Promise.all(mails)
    assert.equal(opened.peer.connections, 2)
    const arrived = opened.peer.messages.map((text) => text.slice(4, 6)).sort()
    assert.deepEqual(arrived, Array.from({ length: 9 }, (_, at) => `m${at}`))
  })

  const silent: readonly Step[] = [...OPENING, ['MAIL', '']]

  it('aborts a queued mail, and the others go on', async () => {
    const overrides: Overrides = { limits: { sessions: 1 }, timeouts: { command: 1_000 } }
    await using opened = await open(silent, overrides, { later: [[...OPENING, ...TRANSACTION, QUIT]] })
    const stuck = rejection(opened.client.deliver(MAIL))
    const controller = new AbortController()
    const waiting = rejection(opened.client.deliver(MAIL, { signal: controller.signal }))
    await until(() => opened.peer.verbs().includes('MAIL'))
    const behind = opened.client.deliver(MAIL)
    controller.abort()
    assert.match((await waiting).message, /at connect: the service is stopping$/)
    assert.match((await stuck).message, /at mail: no answer came within 1000 ms$/)
    assert.deepEqual(await behind, { reply: '250 queued' })
  })

  it('bounds how many mails are queued, and for how long', async () => {
    await using opened = await open(silent, { limits: { sessions: 1, queued: 1 }, timeouts: { total: 1_000 } })
    const errors = await Promise.all([1, 2, 3].map(() => rejection(opened.client.deliver(MAIL))))
    const [first, second, third] = errors.map(({ message, temporary }) => [temporary, message.replace(/^.* at /, '')])
    assert.deepEqual(first, [true, 'mail: it took longer than 1000 ms as a whole'])
    // It gets the slot of the first, whose time ends a moment before its own: it may have started to connect.
    assert.match(String(second), /^true,(?:connect|greeting|ehlo|mail): it took longer than 1000 ms as a whole$/)
    assert.deepEqual(third, [true, 'connect: too many mails wait for a connection already'])
  })

  it('aborts them all when the client is closed, and accepts no more', async () => {
    await using opened = await open(silent, { limits: { sessions: 2 } })
    const mails = Array.from({ length: 5 }, () => rejection(opened.client.deliver(MAIL)))
    await until(() => opened.peer.verbs().split('MAIL').length === 3)
    await Promise.all([opened.client.close(), opened.client.close()])
    for (const error of await Promise.all(mails)) assert.match(error.message, /the service is stopping$/)
    assert.match((await rejection(opened.client.deliver(MAIL))).message, /the service is stopping$/)
    await opened.peer.quiet()
  })
})

it('sends two hundred mails over one connection and leaves nothing behind', async () => {
  const settings: Overrides = { limits: { mailsPerSession: 10_000 } }
  await using opened = await open([...OPENING, ...times(200, TRANSACTION), QUIT], settings)
  const { signal } = new AbortController()
  for (let mail = 0; mail < 200; mail++) await opened.client.deliver(MAIL, { signal })
  await opened.client.close()
  await opened.peer.quiet()
  assert.deepEqual([opened.peer.connections, opened.peer.messages.length, opened.peer.surprises], [1, 200, []])
  const left = process.getActiveResourcesInfo().filter((name) => /Timeout|TCPSocketWrap/.test(name))
  assert.deepEqual(left, [])
})

it('rejects settings without a server', () => {
  const settings: SmtpSettings = { ...settingsFor(1), servers: [] }
  assert.throws(() => createSmtpClient(settings), /expected a server, found none/)
})
