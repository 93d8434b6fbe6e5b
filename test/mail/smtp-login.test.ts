/**
 * Logging in, and what a server (or an impostor) learns from it. Over TLS every mechanism may be used; without, only
 * those that do not send the password. A rejected password is not sent again in a weaker form, and a server that cannot
 * prove that it knows the password gets no mail.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attempt as deliver, type Attempt, base64, LOGIN, type Overrides, TOKEN } from '../support/smtp/smtp-delivery.ts'
import { scramServer } from '../support/smtp/scram-server.ts'
import { QUIT, SEND, type Step } from '../support/smtp/smtp-peer.ts'

const offering = (...mechanisms: readonly string[]): readonly Step[] => [
  ['', '220 mail.example.test'],
  ['EHLO', `250-mail.example.test\r\n250 AUTH ${mechanisms.join(' ')}`],
]

const attempt = (script: readonly Step[], overrides: Overrides = {}): Promise<Attempt> =>
  deliver(script, { login: LOGIN, ...overrides })

const decoded = (text: string): string => Buffer.from(text, 'base64').toString()

/** The steps of a server that knows the password, or another one. */
function scramSteps(password: string, signature = (text: string): string => text): readonly Step[] {
  const server = scramServer(password)
  return [
    ['AUTH SCRAM-SHA-256 ', (line) => `334 ${base64(server.first(decoded(line.split(' ')[2] ?? '')))}`],
    [
      '',
      (line) => {
        const final = server.final(decoded(line))
        return final === undefined ? '535 5.7.8 no' : `334 ${base64(signature(final))}`
      },
    ],
  ]
}

describe('deliver(), with a password,', () => {
  it('logs in by SCRAM-SHA-256 before all others', async () => {
    const script: Step[] = [
      ...offering('PLAIN', 'LOGIN', 'CRAM-MD5', 'SCRAM-SHA-256'),
      ...scramSteps(LOGIN.password),
      ['', '235 welcome'],
      ...SEND,
    ]
    const { peer, error, trace } = await attempt(script)
    assert.deepEqual([error, peer.surprises, peer.messages.length], [undefined, [], 1])
    // The signature of the server is answered by an empty line.
    assert.equal(peer.heard[3]?.line, '')
    // The proof is masked, too: passwords could be tried against it.
    assert.ok(!trace.join('\n').includes(peer.heard[2]?.line ?? ''), trace.join('\n'))
  })

  it('logs in by PLAIN where the server offers some mechanisms in the old form, and CRAM-MD5, which is not used', async () => {
    const script: Step[] = [
      ['', '220 mail.example.test'],
      ['EHLO', '250-mail.example.test\r\n250-AUTH CRAM-MD5 LOGIN\r\n250 AUTH=LOGIN PLAIN'],
      ['AUTH PLAIN', '235 welcome'],
      ...SEND,
    ]
    const { peer, error } = await attempt(script)
    assert.deepEqual([error, peer.surprises, peer.messages.length], [undefined, [], 1])
  })

  for (const code of [504, 534, 538]) {
    it(`tries the next mechanism when one is rejected with ${code}`, async () => {
      const script: Step[] = [
        ...offering('PLAIN', 'LOGIN', 'SCRAM-SHA-256'),
        ['AUTH SCRAM-SHA-256', `${code} not this one`],
        ['AUTH PLAIN', `${code} nor this one`],
        ['AUTH LOGIN', `334 ${base64('Username:')}`],
        ['', `334 ${base64('Password:')}`],
        ['', '235 welcome'],
        ...SEND,
      ]
      assert.equal((await attempt(script)).error, undefined)
    })
  }

  it('reports the reply that rejected the last mechanism', async () => {
    const script: Step[] = [...offering('PLAIN', 'LOGIN'), ['AUTH PLAIN', '504 a'], ['AUTH LOGIN', '504 b'], QUIT]
    const { error, peer } = await attempt(script)
    assert.deepEqual([error?.stage, error?.temporary, error?.reply], ['auth', true, '504 b'])
    assert.deepEqual(peer.surprises, [])
  })

  for (const code of [454, 500, 535]) {
    it(`does not send the password again after ${code}`, async () => {
      const refused: Step[] = [['AUTH PLAIN', `${code} 5.7.8 no`], QUIT]
      const { error, peer } = await attempt([...offering('PLAIN', 'LOGIN'), ...refused])
      assert.deepEqual([error?.stage, error?.temporary, error?.code], ['auth', true, code])
      assert.deepEqual([peer.surprises, peer.messages], [[], []])
    })
  }

  it('sends no mail to a server that accepts the login without knowing the password', async () => {
    const scripts: ReadonlyArray<readonly [string, readonly Step[]]> = [
      ['at once', [['AUTH', '235 welcome']]],
      ['after its challenge', [...scramSteps('guessed').slice(0, 1), ['', '235 welcome']]],
      ['with a signature of another', [...scramSteps(LOGIN.password, (text) => flipped(text)), ['*', '501 off']]],
      ['with a signature of nothing', [...scramSteps(LOGIN.password, () => 'v='), ['*', '501 off']]],
    ]
    for (const [name, steps] of scripts) {
      const { error, peer } = await attempt([...offering('PLAIN', 'SCRAM-SHA-256'), ...steps, QUIT])
      assert.match(error?.message ?? '', /at auth: the server did not prove that it knows the password$/, name)
      assert.deepEqual([error?.temporary, peer.surprises, peer.messages], [true, [], []], name)
      assert.ok(!peer.verbs().includes('PLAIN'), name)
    }
  })

  it('aborts a login that never ends', async () => {
    const endless: Step[] = Array.from({ length: 9 }, (): Step => ['', '334 '])
    const { error, peer } = await attempt([...offering('LOGIN'), ['AUTH LOGIN', '334 '], ...endless])
    assert.deepEqual([error?.stage, error?.temporary, peer.messages], ['auth', true, []])
    assert.ok(peer.heard.length < 7, peer.verbs())
  })

  it('reports a password with characters that SCRAM prohibits', async () => {
    const { error } = await attempt([...offering('SCRAM-SHA-256'), QUIT], { login: { ...LOGIN, password: 'a\u0007' } })
    assert.match(error?.message ?? '', /at auth: the password has characters that SCRAM prohibits$/)
  })

  it('traces the login with every secret masked', async () => {
    const script: Step[] = [
      ...offering('LOGIN'),
      ['AUTH LOGIN', '334 VXNlcm5hbWU6'],
      ['', '334 UGFzc3dvcmQ6'],
      ['', `235 welcome ${LOGIN.password}`],
      ...SEND,
    ]
    const { trace } = await attempt(script)
    assert.deepEqual(trace.slice(6, 12), [
      'client: AUTH LOGIN',
      'server: 334 VXNlcm5hbWU6',
      'client: ***',
      'server: 334 UGFzc3dvcmQ6',
      'client: ***',
      'server: 235 welcome ***',
    ])
  })
})

describe('deliver(), with a token,', () => {
  const login = { user: LOGIN.user, token: async () => TOKEN }
  const initial = base64(`user=${LOGIN.user}\x01auth=Bearer ${TOKEN}\x01\x01`)

  it('logs in by XOAUTH2', async () => {
    const script: Step[] = [...offering('PLAIN', 'XOAUTH2'), [`AUTH XOAUTH2 ${initial}`, '235 welcome'], ...SEND]
    const { error, peer } = await attempt(script, { login })
    assert.deepEqual([error, peer.surprises, peer.messages.length], [undefined, [], 1])
  })

  it('answers the reasons of a rejection with an empty line, and reports the rejection', async () => {
    const reasons = base64('{"status":"401","schemes":"bearer"}')
    const script: Step[] = [...offering('XOAUTH2'), ['AUTH', `334 ${reasons}`], ['', '535 5.7.8 expired'], QUIT]
    const { error, peer } = await attempt(script, { login })
    assert.deepEqual([error?.stage, error?.temporary, error?.enhanced], ['auth', true, '5.7.8'])
    assert.deepEqual([peer.heard[2]?.line, peer.verbs()], ['', 'EHLO AUTH  QUIT'])
  })

  it('sends a long token after the prompt', async () => {
    const token = 'x'.repeat(2_000)
    const response = base64(`user=${LOGIN.user}\x01auth=Bearer ${token}\x01\x01`)
    const script: Step[] = [...offering('XOAUTH2'), ['AUTH XOAUTH2', '334 '], [response, '235 welcome'], ...SEND]
    const { error, peer } = await attempt(script, { login: { ...login, token: async () => token } })
    assert.deepEqual([error, peer.surprises], [undefined, []])
  })

  const failing: ReadonlyArray<readonly [string, () => Promise<string>, RegExp]> = [
    ['cannot be read', () => Promise.reject(new Error('no network')), /no access token to log in with \(no network\)$/],
    ['is empty', async () => '', /no access token to log in with \(it is empty/],
    ['would end its line', async () => 'a\r\nRSET', /no access token to log in with \(it is empty or has characters/],
  ]
  for (const [name, token, problem] of failing) {
    it(`reports a token that ${name} as temporary`, async () => {
      const { error, peer } = await attempt([...offering('XOAUTH2'), QUIT], { login: { ...login, token } })
      assert.deepEqual([error?.stage, error?.temporary, peer.verbs()], ['auth', true, 'EHLO QUIT'])
      assert.match(error?.message ?? '', problem)
    })
  }

  it('does not wait for a token beyond the time of the attempt', async () => {
    const settings: Overrides = { login: { ...login, token: () => new Promise(() => {}) }, timeouts: { total: 250 } }
    const { error } = await attempt([...offering('XOAUTH2'), QUIT], settings)
    assert.match(error?.message ?? '', /took longer than 250 ms as a whole$/)
  })
})

describe('deliver() without encryption, even to this machine,', () => {
  const inClear: Overrides = { mode: 'none', cleartextLogin: false }
  const token: Overrides['login'] = { user: 'ann', token: () => assert.fail('the token should not be read') }

  const kept: ReadonlyArray<readonly [string, readonly string[], Overrides]> = [
    ['the password by PLAIN and LOGIN', ['PLAIN', 'LOGIN'], inClear],
    ['the password when STARTTLS is not offered', ['PLAIN', 'LOGIN'], { ...inClear, mode: 'starttls-if-offered' }],
    ['the token', ['XOAUTH2', 'PLAIN'], { ...inClear, login: token }],
  ]
  for (const [name, offered, overrides] of kept) {
    it(`does not send ${name}`, async () => {
      const { error, peer } = await attempt([...offering(...offered), QUIT], overrides)
      assert.match(error?.message ?? '', /would send the (?:password|token) unencrypted/)
      assert.deepEqual([error?.stage, error?.temporary, peer.verbs()], ['auth', true, 'EHLO QUIT'])
    })
  }

  it('sends the password where the operator allows it', async () => {
    const script: Step[] = [...offering('PLAIN'), ['AUTH PLAIN', '235 welcome'], ...SEND]
    const { error, peer } = await attempt(script, { ...inClear, cleartextLogin: true })
    assert.deepEqual([error, peer.surprises], [undefined, []])
  })

  it('does not fall back from a rejected SCRAM to PLAIN', async () => {
    const script: Step[] = [...offering('PLAIN', 'SCRAM-SHA-256'), ['AUTH SCRAM-SHA-256', '504 no'], QUIT]
    const { error, peer } = await attempt(script, inClear)
    assert.deepEqual([error?.reply, peer.verbs()], ['504 no', 'EHLO AUTH QUIT'])
  })
})

/** The same signature with one bit changed. */
function flipped(text: string): string {
  const bytes = Buffer.from(text.slice(2), 'base64')
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
  return `v=${bytes.toString('base64')}`
}
