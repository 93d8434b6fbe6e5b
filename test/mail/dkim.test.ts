/** DKIM signatures: against the examples of the RFCs, a verifier of our own, and dkimpy (Debian: python3-dkim). */
import assert from 'node:assert/strict'
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, it } from 'node:test'
import { codeRunsOf } from '../../src/mail/message/code-runs.ts'
import { createDkimSigner, relaxedBody, relaxedFields, relaxedHeader } from '../../src/mail/message/dkim.ts'
import { DkimError, parseDkimKey } from '../../src/mail/message/dkim-key.ts'
import { composeMessage } from '../../src/mail/message/message.ts'
import { BUILT_IN_LANGUAGES } from '../../src/mail/templates/built-in-mail.ts'
import { signInMessage } from '../../src/mail/templates/templates.ts'
import { verifyDkim } from '../support/smtp/dkim-verifier.ts'

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString()
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed25519 = generateKeyPairSync('ed25519')
/** `p=` of the DNS record. The last 32 of the 44 bytes of an Ed25519 key are the key itself. */
const rsaRecord = (key: KeyObject): string => key.export({ format: 'der', type: 'spki' }).toString('base64')
const edRecord = (key: KeyObject): string => key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
/** By selector. */
const RECORDS = { rsa: rsaRecord(rsa.publicKey), ed: edRecord(ed25519.publicKey) }
const OTHERS = {
  rsa: rsaRecord(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey),
  ed: edRecord(generateKeyPairSync('ed25519').publicKey),
}
const SIGNERS = {
  rsa: createDkimSigner({ keyPem: pemOf(rsa.privateKey), selector: 'rsa', domain: 'Bücher.example' }),
  ed: createDkimSigner({ keyPem: pemOf(ed25519.privateKey), selector: 'ed', domain: 'Bücher.example' }),
}

function messageTo(to: string, language: string, code = '012345'): string {
  return composeMessage({
    ...signInMessage({ code, minutes: 15, appName: 'Zoë 📮', languages: [language] }),
    from: { name: 'Zoë 📮', address: 'no-reply@bücher.example' },
    to,
    date: Date.parse('2025-10-20T02:03:04.567Z'),
    messageId: 'abcdefgh',
    boundary: 'qwertyuiop',
  })
}

const MESSAGES = [
  ...BUILT_IN_LANGUAGES.map((language) => messageTo('reader@example.net', language)),
  messageTo('zoë@bücher.example', 'en'),
]

describe('the relaxed form', () => {
  it('is that of the example in RFC 6376 section 3.4.5', () => {
    assert.equal(relaxedHeader('A: X'), 'a:X')
    assert.equal(relaxedHeader('B : Y\t\r\n\tZ  '), 'b:Y Z')
    assert.equal(relaxedBody(' C \r\nD \t E\r\n\r\n\r\n'), ' C\r\nD E\r\n')
  })

  const bodies: ReadonlyArray<readonly [string, string, string]> = [
    ['nothing', '', ''],
    ['empty lines alone', '\r\n\r\n', ''],
    ['spaces alone', ' \t\r\n ', ''],
    ['a last line without its end', 'a', 'a\r\n'],
    ['empty lines in the middle', 'a\r\n\r\n \r\nb\r\n', 'a\r\n\r\n\r\nb\r\n'],
    ['a tab at the start', '\ta\t\tb\t\r\n', ' a b\r\n'],
  ]
  for (const [name, body, expected] of bodies) {
    it(`of a body of ${name}`, () => assert.equal(relaxedBody(body), expected))
  }

  it('of an empty body has the hash that RFC 6376 section 3.4.4 gives', () => {
    const hash = createHash('sha256').update(relaxedBody('')).digest('base64')
    assert.equal(hash, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
  })

  it('takes fields from the bottom, and nothing for a missing one', () => {
    const fields = ['X: 1', 'Y: 2', 'x: 3', 'Xy: 4']
    assert.equal(relaxedFields(fields, ['X', 'z', 'x', 'x', 'y']), 'x:3\r\nx:1\r\ny:2\r\n')
  })
})

describe('the example of RFC 8463 appendix A', () => {
  const unsigned = [
    'DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;',
    ' d=football.example.com; i=@football.example.com;',
    ' q=dns/txt; s=brisbane; t=1528637909; h=from : to :',
    ' subject : date : message-id : from : subject : date;',
    ' bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;',
    ' b=',
  ].join('\r\n')
  const signature = '/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11BusFa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw=='
  const rsaSigned = [
    'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;',
    ' d=football.example.com; i=@football.example.com;',
    ' q=dns/txt; s=test; t=1528637909; h=from : to : subject :',
    ' date : message-id : from : subject : date;',
    ' bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;',
    ' b=F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3',
    ' DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2Jz',
    ' dA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=',
  ].join('\r\n')
  const fields = [
    'From: Joe SixPack <joe@football.example.com>',
    'To: Suzie Q <suzie@shopping.example.net>',
    'Subject: Is dinner ready?',
    'Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)',
    'Message-ID: <20030712040037.46341.5F8J@football.example.com>',
  ]
  const body = 'Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n'
  const records = {
    brisbane: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    test:
      'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb' +
      '3W91y3FutACDfzwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip3G+2kryOTIKT+l/K4w3QIDAQAB',
  }

  it('is signed by our code as the RFC says', () => {
    // The 32 bytes of the appendix, in the wrapping of RFC 8410.
    const raw = Buffer.from('nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=', 'base64')
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), raw])
    const key = parseDkimKey(pemOf(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })))
    const names = 'from to subject date message-id from subject date'.split(' ')
    assert.equal(key.algorithm, 'ed25519-sha256')
    assert.equal(
      createHash('sha256').update(relaxedBody(body)).digest('base64'),
      '2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=',
    )
    assert.equal(key.sign(relaxedFields(fields, names) + relaxedHeader(unsigned)), signature)
  })

  it('passes the verifier of these tests', () => {
    const message = [unsigned + signature, rsaSigned, ...fields, '', body].join('\r\n')
    assert.equal(verifyDkim(message, records, 0), 'pass')
    assert.equal(verifyDkim(message, records, 1), 'pass')
    assert.equal(verifyDkim(message.replace('dinner', 'supper'), records), 'a header was changed')
  })
})

for (const kind of ['rsa', 'ed'] as const) {
  describe(`a message signed with ${kind === 'rsa' ? 'RSA' : 'Ed25519'}`, () => {
    const sign = SIGNERS[kind]

    it('verifies, in each language and to any address', () => {
      for (const message of MESSAGES) {
        const signed = sign(message)
        assert.ok(signed.endsWith(`\r\n${message}`))
        assert.equal(verifyDkim(signed, RECORDS), 'pass')
      }
    })

    it('names its domain, its key and its headers, and neither time nor length', () => {
      const header = /^DKIM-Signature: .*?\r\n(?![ \t])/s.exec(sign(MESSAGES[0] ?? ''))?.[0] ?? ''
      const algorithm = kind === 'rsa' ? 'rsa-sha256' : 'ed25519-sha256'
      const opening = `DKIM-Signature: v=1; a=${algorithm}; c=relaxed/relaxed;\r\n d=xn--bcher-kva.example; s=${kind};\r\n h=`
      assert.ok(header.startsWith(opening), header)
      assert.deepEqual(
        Array.from(header.matchAll(/(?:;|:)\s+([a-z]+)=/g), ([, tag]) => tag),
        ['v', 'a', 'c', 'd', 's', 'h', 'bh', 'b'],
      )
      for (const line of header.split('\r\n')) assert.ok(line.length <= 77, line)
    })

    it('still verifies after a server has folded it differently and added headers on top', () => {
      const signed = sign(MESSAGES[4] ?? '')
      const changed = `Received: from a by b\r\nSender: x@example.org\r\n${signed}`
        .replace('\r\nTo: ', '\r\nto:\t ')
        .replace('Auto-Submitted: ', 'Auto-Submitted:\r\n ')
      assert.equal(verifyDkim(`${changed}\r\n\r\n`, RECORDS), 'pass')
    })

    const forgeries: ReadonlyArray<readonly [string, (message: string) => string, string]> = [
      ['another subject', (m) => m.replace('012345 is', '012346 is'), 'a header was changed'],
      ['a second subject on top', (m) => `Subject: Click\r\n${m}`, 'a header was changed'],
      ['a second sender on top', (m) => `From: you@example.org\r\n${m}`, 'a header was changed'],
      ['a second sender below', (m) => m.replace('\r\n\r\n', '\r\nFrom: you@example.org\r\n\r\n'), 'a header was changed'],
      ['another place for answers', (m) => `Reply-To: you@example.org\r\n${m}`, 'a header was changed'],
      ['another type of body', (m) => `Content-Type: text/html\r\n${m}`, 'a header was changed'],
      ['no date', (m) => m.replace(/\r\nDate: [^\r]*/, ''), 'a header was changed'],
      ['another body', (m) => m.replace('used once', 'used twice'), 'the body was changed'],
      ['more at the end', (m) => `${m}x\r\n`, 'the body was changed'],
      ['the key of another domain', (m) => m.replace(/s=(?:rsa|ed);/, 's=other;'), 'a header was changed'],
    ]
    for (const [name, forge, expected] of forgeries) {
      it(`does not verify with ${name}`, () => {
        const records = { ...RECORDS, other: OTHERS[kind] }
        const signed = sign(MESSAGES[0] ?? '')
        const forged = forge(signed)
        assert.notEqual(forged, signed)
        assert.equal(verifyDkim(forged, records), expected)
      })
    }

    it('breaks the line where the hash of the body happens to show six digits alone', () => {
      const rows = [
        ['x1502609', ' bh=/G+ojQnpumkV9whfXNd8PXc+N2ivWoa1+tpU/74274\r\n 0=;\r\n'],
        ['x1560170', ' bh=98192\r\n 0+LL3A54az50uEoj9B/FZs9Shv+ZI16A7qul9A=;\r\n'],
      ]
      for (const [body = '', expected = ''] of rows) {
        const signed = sign(`From: a@b.org\r\n\r\n${body}\r\n`)
        assert.ok(signed.includes(expected), signed)
        assert.equal(verifyDkim(signed, RECORDS), 'pass')
      }
    })

    it('shows no six digits alone but its code, whatever the signature is', () => {
      for (let code = 100_000; code < 100_400; code++) {
        const signed = sign(messageTo('reader@example.net', 'en', String(code)))
        assert.deepEqual([...new Set(codeRunsOf(signed))], [String(code)])
      }
    })
  })
}

describe('createDkimSigner()', () => {
  const keyPem = pemOf(ed25519.privateKey)
  const wanted = 'expected a private key in PEM, RSA of 2048 to 4096 bits or Ed25519, found '
  const smallRsa = pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)
  const x25519 = pemOf(generateKeyPairSync('x25519').privateKey)
  const curve = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
  const publicPem = rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const secret = { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' } as const
  const characters = 'expected letters, digits, hyphens and dots'
  const rows: ReadonlyArray<readonly [string, { keyPem?: string; selector?: string; domain?: string }, string]> = [
    ['an empty key', { keyPem: '' }, `${wanted}no PEM at all`],
    ['a small RSA key', { keyPem: smallRsa }, `${wanted}an RSA key of 1024 bits`],
    ['a key for another purpose', { keyPem: x25519 }, `${wanted}a key of the type x25519`],
    ['an elliptic curve', { keyPem: curve }, `${wanted}a key of the type ec`],
    ['the public key', { keyPem: publicPem }, `${wanted}PEM of a public key`],
    ['a protected key', { keyPem: rsa.privateKey.export(secret).toString() }, `${wanted}a key with a passphrase`],
    ['a broken key', { keyPem: keyPem.replace(/\n.{10}/, '\n') }, `${wanted}PEM that cannot be read`],
    ['a selector with an empty label', { selector: 'a..b' }, `selector "a..b": ${characters}`],
    ['a label of 64 characters', { selector: 'a'.repeat(64) }, characters],
    ['an empty selector', { selector: '' }, `selector "": ${characters}`],
    ['a selector with a tag of its own', { selector: 'a; d=evil.example' }, characters],
    ['a selector with a line break', { selector: 'a\r\nBcc: x' }, characters],
    ['a selector that looks like a code', { selector: '202510' }, 'look like a sign-in code, such as "k202510"'],
    ['a domain that is none', { domain: 'a b' }, 'for the domain "a b": expected a name such as example.org'],
    ['a domain with a tag of its own', { domain: 'a.example; x=1' }, 'expected a name such as example.org'],
  ]
  for (const [name, change, expected] of rows) {
    it(`rejects ${name}`, () => {
      const options = { keyPem, selector: 'dateline', domain: 'example.org', ...change }
      assert.throws(
        () => createDkimSigner(options),
        (error: unknown) => {
          assert.ok(error instanceof DkimError && error.message.startsWith('Cannot sign mail '), String(error))
          assert.ok(error.message.includes(expected), error.message)
          return true
        },
      )
    })
  }

  it('accepts RSA keys in the older form too, and a selector of several labels', () => {
    const old = rsa.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString()
    const sign = createDkimSigner({ keyPem: old, selector: 'mail.s20251020', domain: 'localhost' })
    assert.match(sign(MESSAGES[0] ?? ''), /^DKIM-Signature: .*\r\n d=localhost; s=mail\.s20251020;/)
  })

  it('rejects texts that are not our messages', () => {
    for (const message of ['', 'From: a@b.org\r\n', 'To: a@b.org\r\n\r\nx', 'From: a@b.org\r\nFrom: a@b.org\r\n\r\nx']) {
      assert.throws(() => SIGNERS.ed(message), /^Error: Cannot sign message/)
    }
  })
})
