import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import type { Stage } from '../../src/mail/delivery/delivery-error.ts'
import type { OutgoingMail } from '../../src/mail/smtp/smtp-envelope.ts'
import { attempt, base64, deliverOnce, LOGIN, MAIL, rejection, settingsFor } from '../support/smtp/smtp-delivery.ts'
import type { Overrides } from '../support/smtp/smtp-delivery.ts'
import { openPeer, QUIT, type Step } from '../support/smtp/smtp-peer.ts'
import { TEST_CERTIFICATE } from '../support/service/test-certificate.ts'
import { until } from '../support/until.ts'

const PLAIN = base64(`\0${LOGIN.user}\0${LOGIN.password}`)
const VERIFIED: Overrides = { host: 'localhost', verify: true, login: LOGIN, ca: [TEST_CERTIFICATE] }

/** The unencrypted conversation up to the end; every test changes a part of it. */
const GREETING: Step = ['', '220 mail.example.test ESMTP']
const EHLO: Step = ['EHLO [127.0.0.1]', '250-mail.example.test\r\n250-8BITMIME\r\n250 SIZE 1000000']
const SEND: readonly Step[] = [
  ['MAIL FROM:<no-reply@example.org>', '250 2.1.0 ok'],
  ['RCPT TO:<reader@example.net>', '250 2.1.5 ok'],
  ['DATA', '354 go ahead'],
  ['.', '250 2.0.0 queued as 4Xy'],
  QUIT,
]
const CLEAR: readonly Step[] = [GREETING, EHLO, ...SEND]

/** Greeting to EHLO over STARTTLS. */
const startTls = (afterwards: string): readonly Step[] => [
  GREETING,
  ['EHLO', '250-mail.example.test\r\n250 STARTTLS'],
  ['STARTTLS', '220 go ahead', 'tls'],
  ['EHLO', afterwards],
]

for (const chunks of ['whole', 'bytes'] as const) {
  describe(`deliver(), with replies ${chunks === 'whole' ? 'in one packet' : 'a byte at a time'},`, () => {
    it('delivers a mail and returns the server’s reply', async () => {
      const result = await attempt(CLEAR, {}, { chunks })
      assert.equal(result.reply, '250 2.0.0 queued as 4Xy')
      assert.deepEqual(result.peer.surprises, [])
      assert.deepEqual(result.peer.messages, [MAIL.data])
      assert.equal(result.peer.verbs(), 'EHLO MAIL RCPT DATA . QUIT')
    })

    it('falls back to HELO with a server that does not know EHLO', async () => {
      const script: Step[] = [GREETING, ['EHLO', '502 what'], ['HELO [127.0.0.1]', '250 hi'], ...SEND]
      assert.equal((await attempt(script, {}, { chunks })).reply, '250 2.0.0 queued as 4Xy')
    })

    it('accepts greetings and replies of many lines', async () => {
      const longer = (text: Step[1]): string => String(text).replace(/^(\d{3})/, '$1-first\r\n$1-\r\n$1')
      const script = CLEAR.map(([hears, text]): Step => [hears, longer(text)])
      assert.match((await attempt(script, {}, { chunks })).reply ?? '', /^250 first \/ {2}\/ 2\.0\.0 queued as 4Xy$/)
    })

    it('logs in over STARTTLS and sends everything but the first lines encrypted', async () => {
      const auth: Step = [`AUTH PLAIN ${PLAIN}`, '235 welcome']
      const script: Step[] = [...startTls('250-x\r\n250 AUTH LOGIN PLAIN'), auth, ...SEND]
      const result = await attempt(script, { ...VERIFIED, mode: 'starttls' }, { chunks })
      assert.equal(result.reply, '250 2.0.0 queued as 4Xy', String(result.error))
      assert.equal(result.peer.verbs(), 'EHLO STARTTLS EHLO AUTH MAIL RCPT DATA . QUIT')
      assert.deepEqual(result.peer.heard.map(({ encrypted }) => encrypted), [false, false, ...Array(7).fill(true)])
      assert.deepEqual(result.peer.messages, [MAIL.data])
    })

    it('logs in by AUTH LOGIN over implicit TLS', async () => {
      const script: Step[] = [
        GREETING,
        ['EHLO', '250-x\r\n250 AUTH=LOGIN'],
        ['AUTH LOGIN', '334 VXNlcm5hbWU6'],
        [base64(LOGIN.user), '334 UGFzc3dvcmQ6'],
        [base64(LOGIN.password), '235 welcome'],
        ...SEND,
      ]
      const result = await attempt(script, { ...VERIFIED, mode: 'implicit' }, { chunks, implicitTls: true })
      assert.equal(result.reply, '250 2.0.0 queued as 4Xy', String(result.error))
      assert.ok(result.peer.heard.every(({ encrypted }) => encrypted))
    })
  })
}

describe('deliver(), with a reply that refuses,', () => {
  /** All goes well up to a step, whose reply is another one. */
  const at = (stage: Exclude<Stage, 'tls'>, reply: string, ...then: [] | ['drop']): readonly Step[] => {
    const count = ['greeting', 'ehlo', 'mail', 'rcpt', 'data', 'message'].indexOf(stage)
    return [...CLEAR.slice(0, count), [CLEAR[count]![0], reply, ...then]]
  }
  const refusals: ReadonlyArray<readonly [string, readonly Step[], Stage, boolean]> = [
    ['greeting 421', at('greeting', '421 4.3.2 busy'), 'greeting', true],
    ['greeting 5xx', [...at('greeting', '554 no mail here'), QUIT], 'greeting', true],
    ['greeting of another kind', at('greeting', '354 go'), 'greeting', true],
    ['EHLO and HELO 5xx', [...at('ehlo', '500 x'), ['HELO', '550 no'], QUIT], 'ehlo', true],
    ['EHLO 4xx', [...at('ehlo', '451 later'), QUIT], 'ehlo', true],
    ['MAIL 5xx', [...at('mail', '553 5.1.8 not your address'), QUIT], 'mail', true],
    ['MAIL 552, which is about the size,', [...at('mail', '552 5.3.4 too big'), QUIT], 'mail', false],
    ['RCPT 4xx', [...at('rcpt', '450 4.2.1 grey'), QUIT], 'rcpt', true],
    ['RCPT 5xx', [...at('rcpt', '550 5.1.1 who'), QUIT], 'rcpt', false],
    ['RCPT 530', [...at('rcpt', '530 log in'), QUIT], 'rcpt', true],
    ['RCPT 421', at('rcpt', '421 closing', 'drop'), 'rcpt', true],
    ['DATA 5xx', [...at('data', '554 no'), QUIT], 'data', false],
    ['DATA 2xx', at('data', '250 what?'), 'data', true],
    ['message 4xx', [...at('message', '452 full'), QUIT], 'message', true],
    ['message 5xx', [...at('message', '550 5.7.1 spam'), QUIT], 'message', false],
  ]
  for (const [name, script, stage, temporary] of refusals) {
    it(`reports ${name} as ${temporary ? 'temporary' : 'permanent'}`, async () => {
      const { error, peer } = await attempt(script)
      assert.deepEqual([error?.stage, error?.temporary], [stage, temporary], String(error))
      assert.equal(error?.reply, script.findLast((step) => step !== QUIT)?.[1])
      assert.deepEqual(peer.surprises, [])
      // It sends QUIT only to a server that waits for a command.
      assert.equal(peer.verbs().endsWith('QUIT'), script.at(-1) === QUIT)
    })
  }
})

describe('deliver(), when the server misbehaves,', () => {
  const stages: readonly Stage[] = ['greeting', 'ehlo', 'mail', 'rcpt', 'data', 'message']
  for (const [at, stage] of stages.entries()) {
    const [hears] = CLEAR[at]!
    const before = CLEAR.slice(0, at)

    it(`reports silence at ${stage} as temporary after its timeout`, async () => {
      const timeouts = { greeting: 200, command: 200, data: 200 }
      const { error } = await attempt([...before, [hears, '']], { timeouts })
      assert.deepEqual([error?.stage, error?.temporary], [stage, true])
      assert.match(error?.message ?? '', /no answer came within 200 ms$/)
    })

    for (const garbage of ['HTTP/1.1 400 Bad Request', '250 \x1b[2J']) {
      it(`reports ${JSON.stringify(garbage)} at ${stage} as temporary, and quotes nothing of it`, async () => {
        const { error } = await attempt([...before, [hears, garbage]])
        assert.deepEqual([error?.stage, error?.temporary, error?.reply], [stage, true, undefined])
        assert.match(error?.message ?? '', /Cannot read SMTP reply: /)
        assert.doesNotMatch(error?.message ?? '', /HTTP|\x1b/)
      })
    }
  }

  it('ends a reply, and a line of one, that never ends', async () => {
    for (const [text, problem] of [
      ['250-and\r\n'.repeat(500), /more than 256 lines$/],
      [`250 ${'x'.repeat(5_000)}\n`, /longer than 2000 bytes$/],
    ] as const) {
      const { error } = await attempt([GREETING, EHLO, ['MAIL', text, 'flood']])
      assert.deepEqual([error?.stage, error?.temporary], ['mail', true])
      assert.match(error?.message ?? '', problem)
    }
  })

  it('counts a mail as delivered once it is accepted, whatever follows', async () => {
    const afterwards: readonly Step[] = [
      ['.', '250 2.0.0 queued', 'drop'],
      ['.', '250 2.0.0 queued\r\nrubbish'],
      ['.', '250 2.0.0 queued\r\n250 again'],
      ['.', '250 2.0.0 queued\r\n421 closing', 'drop'],
    ]
    for (const last of afterwards) {
      const result = await attempt([...CLEAR.slice(0, 5), last])
      assert.equal(result.reply, '250 2.0.0 queued', String(result.error))
    }
    const silent = await attempt([...CLEAR.slice(0, 6), ['QUIT', '']], { timeouts: { quit: 20 } })
    assert.equal(silent.reply, '250 2.0.0 queued as 4Xy')
  })

  it('rejects a reply that comes before its command, which would shift all later ones', async () => {
    const script: Step[] = [GREETING, ['EHLO', '250 x\r\n250 sender ok'], ['MAIL', '250 x'], ['RCPT', '250 x']]
    const { error, peer } = await attempt(script)
    assert.match(error?.message ?? '', /at mail: the server replied before it was asked/)
    assert.equal(error?.temporary, true)
    assert.equal(peer.verbs(), 'EHLO')
  })

  it('takes an early 421 for the reply to the next command', async () => {
    const { error, peer } = await attempt([GREETING, ['EHLO', '250 x\r\n421 closing now', 'drop']])
    assert.deepEqual([error?.stage, error?.temporary, error?.reply], ['mail', true, '421 closing now'])
    assert.equal(peer.verbs(), 'EHLO')
  })

  it('bounds the whole attempt, though each step is in time', async () => {
    const { error } = await attempt([GREETING, ['EHLO', '']], { timeouts: { total: 250, command: 10_000 } })
    assert.match(error?.message ?? '', /took longer than 250 ms as a whole$/)
    assert.equal(error?.temporary, true)
  })

  it('masks a code and a password that the server repeats', async () => {
    const echo = `550 5.7.1 "123456 is your code" ${LOGIN.password} ${base64(LOGIN.password)} ${PLAIN} 1234567`
    const login: Step[] = [['EHLO', '250-x\r\n250 AUTH PLAIN'], ['AUTH', '235 x']]
    const script: Step[] = [GREETING, ...login, SEND[0]!, ['RCPT', echo], QUIT]
    const { error } = await attempt(script, { login: LOGIN })
    assert.equal(error?.reply, '550 5.7.1 "*** is your code" *** *** *** 1234567')
  })

  it('cuts a long reply', async () => {
    const { error } = await attempt([GREETING, EHLO, ['MAIL', `550 ${'x'.repeat(1_000)}`], QUIT])
    assert.equal(error?.reply?.length, 301)
  })
})

describe('deliver(), about the mail,', () => {
  it('stuffs dots on the wire, so that a dot alone does not end the message', async () => {
    const data = 'Subject: x\r\n\r\n.\r\n.hidden\r\n..two\r\nQUIT\r\n.\r\n'
    const { peer, reply } = await attempt(CLEAR, {}, { mail: { ...MAIL, data } })
    assert.equal(reply, '250 2.0.0 queued as 4Xy')
    assert.deepEqual(peer.messages, ['Subject: x\r\n\r\n..\r\n..hidden\r\n...two\r\nQUIT\r\n..\r\n'])
    assert.equal(peer.verbs(), 'EHLO MAIL RCPT DATA . QUIT')
  })

  it('sends a big message to a server that accepts it', async () => {
    const data = `Subject: x\r\n\r\n${`${'.'.repeat(70)}\r\n`.repeat(20_000)}`
    const script = CLEAR.map((step): Step => (step === EHLO ? ['EHLO', '250-x\r\n250 SIZE 2000000'] : step))
    const { peer } = await attempt(script, {}, { mail: { ...MAIL, data } })
    assert.equal(peer.messages[0]?.length, data.length + 20_000)
  })

  it('writes an international domain in ASCII', async () => {
    const script: Step[] = [...CLEAR.slice(0, 3), ['RCPT TO:<a@xn--bcher-kva.example>', '250 ok'], ...CLEAR.slice(4)]
    const { peer, error } = await attempt(script, {}, { mail: { ...MAIL, to: 'a@bücher.example' } })
    assert.deepEqual([peer.surprises, error], [[], undefined])
  })

  it('uses SMTPUTF8 for an international local part, and only with a server that has it', async () => {
    const mail = { ...MAIL, to: 'zoë@example.net', data: 'To: zoë@example.net\r\n\r\nHello\r\n' }
    const offered: Step[] = [
      GREETING,
      ['EHLO', '250-x\r\n250-8bitmime\r\n250 smtputf8'],
      ['MAIL FROM:<no-reply@example.org> BODY=8BITMIME SMTPUTF8', '250 ok'],
      [`RCPT TO:<${Buffer.from('zoë').toString('latin1')}@example.net>`, '250 ok'],
      ...SEND.slice(2),
    ]
    const taken = await attempt(offered, {}, { mail })
    assert.deepEqual([taken.peer.surprises, taken.error], [[], undefined])
    const refused = await attempt([GREETING, EHLO, QUIT], {}, { mail })
    assert.deepEqual([refused.error?.stage, refused.error?.temporary], ['mail', false])
    assert.equal(refused.peer.verbs(), 'EHLO QUIT')
  })
})

describe('deliver(), with what a server offers,', () => {
  const offering = (...keywords: readonly string[]): readonly Step[] => [
    GREETING,
    ['EHLO', `250-x\r\n250-${keywords.join('\r\n250-')}\r\n250 HELP`],
  ]
  const anyMail = ([hears, ...rest]: Step): Step => [hears.split(' ')[0] ?? '', ...rest]
  const body = 'Subject: x\r\n\r\n.\r\nGrüße\r\n'
  const taken: ReadonlyArray<readonly [string, readonly string[], Partial<OutgoingMail>, string]> = [
    ['the size, without stuffed dots and the final one', ['SIZE 100'], { data: 'A: b\r\n\r\n.\r\n' }, ' SIZE=11'],
    ['the size, with the line end that is missing', ['SIZE'], { data: 'A: b\r\n\r\nc' }, ' SIZE=11'],
    ['the size where it is no limit', ['SIZE 0'], {}, ' SIZE=21'],
    ['the size where the limit is no number', ['SIZE lots'], {}, ' SIZE=21'],
    ['the size in bytes', ['SIZE 100', '8BITMIME'], { data: body }, ` SIZE=${Buffer.byteLength(body)} BODY=8BITMIME`],
    ['nothing of 8 bits where there are none', ['8BITMIME', 'SMTPUTF8', 'DSN', 'CHUNKING'], {}, ''],
    ['8 bits in the text', ['8bitmime', 'SMTPUTF8'], { data: body }, ' BODY=8BITMIME'],
    ['a sender beyond ASCII', ['SMTPUTF8', '8BITMIME'], { from: 'jörg@b.example' }, ' SMTPUTF8'],
    ['a header beyond ASCII', ['SMTPUTF8', '8BITMIME'], { data: 'A: ö\r\n\r\n' }, ' BODY=8BITMIME SMTPUTF8'],
  ]
  for (const [name, keywords, change, parameters] of taken) {
    it(`announces ${name}`, async () => {
      const { peer, error } = await attempt(
        [...offering(...keywords), ...SEND.map(anyMail)],
        {},
        { mail: { ...MAIL, ...change } },
      )
      assert.deepEqual([error, peer.surprises], [undefined, []])
      assert.equal(peer.heard[1]?.line.replace(/^MAIL FROM:<[^>]*>/, ''), parameters)
      assert.match(peer.heard[2]?.line ?? '', /^RCPT TO:<[^ ]*>$/)
    })
  }
  const refused: ReadonlyArray<readonly [string, readonly string[], Partial<OutgoingMail>, RegExp]> = [
    ['a byte more than it takes', ['SIZE 20'], {}, /at mail: the message has 21 bytes, and the server takes 20 at most$/],
    ['8 bits without 8BITMIME', ['SMTPUTF8'], { data: body }, /not ASCII, and the server does not offer 8BITMIME$/],
    ['a header beyond ASCII', ['8BITMIME'], { data: 'A: ö\r\n\r\n' }, /the server does not offer SMTPUTF8$/],
    ['a sender beyond ASCII', ['8BITMIME'], { from: 'jörg@b.example' }, /the server does not offer SMTPUTF8$/],
  ]
  for (const [name, keywords, change, problem] of refused) {
    it(`rejects ${name} permanently, before MAIL`, async () => {
      const mail = { ...MAIL, ...change }
      const { peer, error } = await attempt([...offering(...keywords), QUIT], {}, { mail })
      assert.deepEqual([error?.stage, error?.temporary, peer.verbs()], ['mail', false, 'EHLO QUIT'])
      assert.match(error?.message ?? '', problem)
    })
  }
})

describe('deliver(), when aborted,', () => {
  it('does not connect when the signal is already aborted', async () => {
    await using peer = await openPeer(CLEAR)
    const error = await rejection(deliverOnce(settingsFor(peer.port), MAIL, { signal: AbortSignal.abort() }))
    assert.deepEqual([error.stage, error.temporary], ['connect', true])
    assert.deepEqual(peer.heard, [])
  })

  it('ends at once in the middle of a conversation, and leaves nothing on the signal', async () => {
    const script: Step[] = [GREETING, EHLO, ['MAIL', '']]
    await using peer = await openPeer(script)
    const controller = new AbortController()
    const delivery = deliverOnce(settingsFor(peer.port), MAIL, { signal: controller.signal })
    await until(() => peer.verbs().endsWith('MAIL'))
    controller.abort()
    const error = await rejection(delivery)
    assert.deepEqual([error.stage, error.temporary], ['mail', true])
    assert.match(error.message, /stopping/)
    await peer.closed
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
  })

  it('leaves nothing on the signal after a delivery', async () => {
    await using peer = await openPeer(CLEAR)
    const { signal } = new AbortController()
    await deliverOnce(settingsFor(peer.port), MAIL, { signal })
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })
})
