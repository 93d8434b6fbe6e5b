// isolated: it counts the open sockets of the process
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { DeliveryError, type Stage } from '../../src/mail/delivery/delivery-error.ts'
import type { OutgoingMail } from '../../src/mail/smtp/smtp-envelope.ts'
import { deliverOnce, type Overrides, rejection, settingsFor } from '../support/smtp/smtp-delivery.ts'
import { openPeer, type PeerOptions, type SmtpPeer, type Step } from '../support/smtp/smtp-peer.ts'
import { TEST_CERTIFICATE } from '../support/service/test-certificate.ts'

const MAIL: OutgoingMail = {
  from: 'no-reply@example.org',
  to: 'reader@example.net',
  data: 'Subject: x\r\n\r\nHello\r\n',
}
const LOGIN = { user: 'ann@example.org', password: 'correct horse battery' }
const PLAIN = Buffer.from(`\0${LOGIN.user}\0${LOGIN.password}`).toString('base64')
const [USER64, PASSWORD64] = [LOGIN.user, LOGIN.password].map((text) => Buffer.from(text).toString('base64'))

/** The unencrypted conversation up to the end; every test changes a part of it. */
const GREETING: Step = ['', '220 mail.example.test ESMTP']
const EHLO: Step = ['EHLO [127.0.0.1]', '250-mail.example.test\r\n250-8BITMIME\r\n250 SIZE 1000000']
const SEND: readonly Step[] = [
  ['MAIL FROM:<no-reply@example.org>', '250 2.1.0 ok'],
  ['RCPT TO:<reader@example.net>', '250 2.1.5 ok'],
  ['DATA', '354 go ahead'],
  ['.', '250 2.0.0 queued as 4Xy'],
  ['QUIT', '221 bye'],
]
const CLEAR: readonly Step[] = [GREETING, EHLO, ...SEND]

/** Greeting to EHLO over STARTTLS. */
const startTls = (afterwards: string): readonly Step[] => [
  GREETING,
  ['EHLO', '250-mail.example.test\r\n250 STARTTLS'],
  ['STARTTLS', '220 go ahead', 'tls'],
  ['EHLO', afterwards],
]

/** Delivers to a peer that follows the script, and waits until the client has freed its socket. */
async function attempt(
  script: readonly Step[],
  overrides: Overrides = {},
  { mail = MAIL, peer: peerOptions = {} }: { mail?: OutgoingMail; peer?: PeerOptions } = {},
): Promise<{ peer: SmtpPeer; reply?: string; error?: DeliveryError }> {
  await using peer = await openPeer(script, peerOptions)
  try {
    const { reply } = await deliverOnce(settingsFor(peer.port, overrides), mail)
    await peer.closed
    return { peer, reply }
  } catch (error) {
    await peer.closed
    assert.ok(error instanceof DeliveryError, String(error))
    assert.match(error.message, /^Cannot deliver mail through "[^"]+" at [a-z]+: /)
    const texts = `${error.message} ${error.stack} ${error.reply}`
    for (const secret of [LOGIN.password, PLAIN, PASSWORD64 ?? '']) assert.ok(!texts.includes(secret), texts)
    return { peer, error }
  }
}

for (const chunks of ['whole', 'bytes'] as const) {
  describe(`deliver(), with replies ${chunks === 'whole' ? 'in one packet' : 'a byte at a time'},`, () => {
    const peer: PeerOptions = { chunks }

    it('delivers a mail and returns the server’s reply', async () => {
      const result = await attempt(CLEAR, {}, { peer })
      assert.equal(result.reply, '250 2.0.0 queued as 4Xy')
      assert.deepEqual(result.peer.surprises, [])
      assert.deepEqual(result.peer.messages, [MAIL.data])
      assert.equal(result.peer.verbs(), 'EHLO MAIL RCPT DATA . QUIT')
    })

    it('falls back to HELO with a server that does not know EHLO', async () => {
      const script: Step[] = [GREETING, ['EHLO', '502 what'], ['HELO [127.0.0.1]', '250 hi'], ...SEND]
      assert.equal((await attempt(script, {}, { peer })).reply, '250 2.0.0 queued as 4Xy')
    })

    it('accepts greetings and replies of many lines', async () => {
      const longer = (text: Step[1]): string => String(text).replace(/^(\d{3})/, '$1-first\r\n$1-\r\n$1')
      const script = CLEAR.map(([hears, text]): Step => [hears, longer(text)])
      assert.match((await attempt(script, {}, { peer })).reply ?? '', /^250 first \/ {2}\/ 2\.0\.0 queued as 4Xy$/)
    })

    it('logs in over STARTTLS and sends everything but the first lines encrypted', async () => {
      const auth: Step = [`AUTH PLAIN ${PLAIN}`, '235 welcome']
      const script: Step[] = [...startTls('250-x\r\n250 AUTH LOGIN PLAIN'), auth, ...SEND]
      const overrides: Overrides = {
        host: 'localhost',
        mode: 'starttls',
        verify: true,
        login: LOGIN,
        ca: [TEST_CERTIFICATE],
      }
      const result = await attempt(script, overrides, { peer })
      assert.equal(result.reply, '250 2.0.0 queued as 4Xy', String(result.error))
      assert.equal(result.peer.verbs(), 'EHLO STARTTLS EHLO AUTH MAIL RCPT DATA . QUIT')
      assert.deepEqual(
        result.peer.heard.map(({ encrypted }) => encrypted),
        [false, false, ...Array(7).fill(true)],
      )
      assert.deepEqual(result.peer.messages, [MAIL.data])
    })

    it('logs in by AUTH LOGIN over implicit TLS', async () => {
      const script: Step[] = [
        GREETING,
        ['EHLO', '250-x\r\n250 AUTH=LOGIN'],
        ['AUTH LOGIN', '334 VXNlcm5hbWU6'],
        [USER64 ?? '', '334 UGFzc3dvcmQ6'],
        [PASSWORD64 ?? '', '235 welcome'],
        ...SEND,
      ]
      const overrides: Overrides = {
        host: 'localhost',
        mode: 'implicit',
        verify: true,
        login: LOGIN,
        ca: [TEST_CERTIFICATE],
      }
      const result = await attempt(script, overrides, { peer: { ...peer, implicitTls: true } })
      assert.equal(result.reply, '250 2.0.0 queued as 4Xy', String(result.error))
      assert.ok(result.peer.heard.every(({ encrypted }) => encrypted))
    })
  })
}

describe('deliver(), with a reply that refuses,', () => {
  const refusals: ReadonlyArray<readonly [string, readonly Step[], Stage, boolean, RegExp]> = [
    ['greeting 421', [['', '421 4.3.2 busy']], 'greeting', true, /^421 4\.3\.2 busy$/],
    [
      'greeting 4xx',
      [
        ['', '450 later'],
        ['QUIT', '221 bye'],
      ],
      'greeting',
      true,
      /^450 later$/,
    ],
    [
      'greeting 5xx',
      [
        ['', '554 no mail here'],
        ['QUIT', '221 bye'],
      ],
      'greeting',
      true,
      /^554 no mail here$/,
    ],
    ['greeting of another kind', [['', '354 go']], 'greeting', true, /^354/],
    [
      'EHLO and HELO 5xx',
      [GREETING, ['EHLO', '500 x'], ['HELO', '550 no'], ['QUIT', '221 x']],
      'ehlo',
      true,
      /^550 no$/,
    ],
    ['EHLO 4xx', [GREETING, ['EHLO', '451 later'], ['QUIT', '221 x']], 'ehlo', true, /^451/],
    ['MAIL 5xx', [GREETING, EHLO, ['MAIL', '553 not your address'], ['QUIT', '221 x']], 'mail', true, /^553/],
    ['MAIL 530', [GREETING, EHLO, ['MAIL', '530 5.7.0 log in first'], ['QUIT', '221 x']], 'mail', true, /^530/],
    [
      'RCPT 4xx',
      [GREETING, EHLO, SEND[0]!, ['RCPT', '450 4.2.1 grey'], ['QUIT', '221 x']],
      'rcpt',
      true,
      /^450 4\.2\.1/,
    ],
    [
      'RCPT 5xx',
      [GREETING, EHLO, SEND[0]!, ['RCPT', '550 5.1.1 who'], ['QUIT', '221 x']],
      'rcpt',
      false,
      /^550 5\.1\.1/,
    ],
    ['RCPT 530', [GREETING, EHLO, SEND[0]!, ['RCPT', '530 log in'], ['QUIT', '221 x']], 'rcpt', true, /^530/],
    ['RCPT 421', [GREETING, EHLO, SEND[0]!, ['RCPT', '421 closing', 'drop']], 'rcpt', true, /^421/],
    ['DATA 5xx', [...CLEAR.slice(0, 4), ['DATA', '554 no'], ['QUIT', '221 x']], 'data', false, /^554/],
    ['DATA 2xx', [...CLEAR.slice(0, 4), ['DATA', '250 what?']], 'data', true, /^250/],
    ['message 4xx', [...CLEAR.slice(0, 5), ['.', '452 full'], ['QUIT', '221 x']], 'message', true, /^452/],
    [
      'message 5xx',
      [...CLEAR.slice(0, 5), ['.', '550 5.7.1 spam'], ['QUIT', '221 x']],
      'message',
      false,
      /^550 5\.7\.1/,
    ],
  ]
  for (const [name, script, stage, temporary, text] of refusals) {
    it(`reports ${name} as ${temporary ? 'temporary' : 'permanent'}`, async () => {
      const {
        error,
        peer: { surprises, verbs },
      } = await attempt(script)
      assert.deepEqual([error?.stage, error?.temporary], [stage, temporary], String(error))
      assert.match(error?.reply ?? '', text)
      assert.deepEqual(surprises, [])
      // It sends QUIT only to a server that waits for a command.
      assert.equal(verbs().endsWith('QUIT'), script.at(-1)?.[0] === 'QUIT')
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

  it('reports a closed port as temporary', async () => {
    let port: number
    {
      await using peer = await openPeer([])
      port = peer.port
    }
    await assert.rejects(deliverOnce(settingsFor(port), MAIL), (error: unknown) => {
      assert.ok(error instanceof DeliveryError)
      assert.deepEqual([error.stage, error.temporary], ['connect', true])
      assert.match(error.message, /ECONNREFUSED/)
      return true
    })
  })

  it('reports a name that is not in DNS as temporary', async () => {
    const settings = settingsFor(25, { host: 'mail..invalid', verify: true })
    await assert.rejects(deliverOnce(settings, MAIL), (error: unknown) => {
      return error instanceof DeliveryError && error.stage === 'connect' && error.temporary
    })
  })

  it('masks a code and a password that the server repeats', async () => {
    const echo = `550 5.7.1 "123456 is your code" ${LOGIN.password} ${PASSWORD64} ${PLAIN} 1234567`
    const login: Step[] = [
      ['EHLO', '250-x\r\n250 AUTH PLAIN'],
      ['AUTH', '235 x'],
    ]
    const script: Step[] = [GREETING, ...login, SEND[0]!, ['RCPT', echo], ['QUIT', '221 x']]
    const { error } = await attempt(script, { login: LOGIN })
    assert.equal(error?.reply, '550 5.7.1 "*** is your code" *** *** *** 1234567')
  })

  it('cuts a long reply', async () => {
    const { error } = await attempt([GREETING, EHLO, ['MAIL', `550 ${'x'.repeat(1_000)}`], ['QUIT', '221 x']])
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
    const refused = await attempt([GREETING, EHLO, ['QUIT', '221 x']], {}, { mail })
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
    [
      'a byte more than it takes',
      ['SIZE 20'],
      {},
      /at mail: the message has 21 bytes, and the server takes 20 at most$/,
    ],
    ['8 bits without 8BITMIME', ['SMTPUTF8'], { data: body }, /not ASCII, and the server does not offer 8BITMIME$/],
    ['a header beyond ASCII', ['8BITMIME'], { data: 'A: ö\r\n\r\n' }, /the server does not offer SMTPUTF8$/],
    ['a sender beyond ASCII', ['8BITMIME'], { from: 'jörg@b.example' }, /the server does not offer SMTPUTF8$/],
  ]
  for (const [name, keywords, change, problem] of refused) {
    it(`rejects ${name} permanently, before MAIL`, async () => {
      const mail = { ...MAIL, ...change }
      const { peer, error } = await attempt([...offering(...keywords), ['QUIT', '221 x']], {}, { mail })
      assert.deepEqual([error?.stage, error?.temporary, peer.verbs()], ['mail', false, 'EHLO QUIT'])
      assert.match(error?.message ?? '', problem)
    })
  }

  it('reports a size that the server rejects as permanent, and its other replies to MAIL as temporary', async () => {
    for (const [reply, temporary] of [
      ['552 5.3.4 too big', false],
      ['553 5.1.8 who are you', true],
    ] as const) {
      const { error } = await attempt([...offering('SIZE'), ['MAIL', reply], ['QUIT', '221 x']])
      assert.deepEqual([error?.temporary, error?.reply], [temporary, reply])
    }
  })

  it('keeps the enhanced status code, and the code', async () => {
    const { error } = await attempt([GREETING, EHLO, ['MAIL', '450 4.7.1 greylisted'], ['QUIT', '221 x']])
    assert.deepEqual([error?.code, error?.enhanced, error?.reply], [450, '4.7.1', '450 4.7.1 greylisted'])
  })
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
    while (!peer.verbs().endsWith('MAIL')) await new Promise((resolve) => setImmediate(resolve))
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

it('leaves no socket and no timer behind, however a delivery went', async () => {
  const open = (): string[] => process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|TLSWrap/.test(name))
  const broken: Step[][] = [[['', '220 x', 'drop']], [['', 'x']], [GREETING, ['EHLO', '']]]
  const scripts = [CLEAR, ...broken]
  for (const script of scripts) await attempt(script, { timeouts: { command: 200 } })
  for (const mode of ['starttls', 'implicit'] as const) {
    await attempt([...startTls('250 x'), ...SEND], { mode, verify: true })
  }
  for (let turn = 0; turn < 50 && open().length > 0; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(open(), [])
})
