/**
 * Header injection: a value with a line break would add headers (`Bcc: all@…`), end the header section,
 * or, in the envelope, become another SMTP command. Each layer rejects it by itself, so that none relies on another.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DeliveryError } from '../../src/mail/delivery/delivery-error.ts'
import { composeMessage, type MessageParts } from '../../src/mail/message/message.ts'
import { dotStuffed } from '../../src/mail/smtp/smtp-envelope.ts'
import { PARTS } from '../support/smtp/message-parts.ts'
import { deliverOnce, settingsFor } from '../support/smtp/smtp-delivery.ts'

const BREAKS = ['\r\nBcc: b@c.org', '\nBcc: b@c.org', '\rBcc: b@c.org', '\0', '\x0b', '\x7f', '\u0085']

describe('composeMessage()', () => {
  for (const added of BREAKS) {
    const cases: ReadonlyArray<readonly [string, Partial<MessageParts>]> = [
      ['subject', { subject: `Hello${added}` }],
      ['recipient', { to: `reader@example.net${added}` }],
      ['local part', { to: `reader${added}@example.net` }],
      ['sender', { from: { name: 'x', address: `no-reply@example.org${added}` } }],
      ["sender's name", { from: { name: `Dateline${added}`, address: 'no-reply@example.org' } }],
      ['boundary', { boundary: `qwertyuiop${added}` }],
      ['Message-ID', { messageId: `abcdefgh${added}` }],
      ['language', { language: `en${added}` }],
    ]
    for (const [where, change] of cases) {
      it(`rejects ${JSON.stringify(added)} in the ${where}`, () => {
        assert.throws(() => composeMessage({ ...PARTS, ...change }), /^Error: Cannot (?:write header|compose message)/)
      })
    }
  }

  for (const to of ['a@b.org, c@d.org', 'A <a@b.org>', 'a@b.org;', '"a"@b.org', 'a@b.org (x)', 'list:a@b.org;']) {
    it(`rejects ${to} as the one recipient`, () => {
      assert.throws(() => composeMessage({ ...PARTS, to }), /not an address/)
    })
  }

  it('keeps what a text says inside the text', () => {
    const message = composeMessage({ ...PARTS, text: '\r\n\r\n--qwertyuio\r\nBcc: x@y.z\r\n.\r\n' })
    assert.doesNotMatch(message.slice(0, message.indexOf('\r\n\r\n')), /Bcc/)
  })
})

describe('deliver()', () => {
  const addresses = ['a@b.org>\r\nDATA', 'a@b.org\nRCPT TO:<c@d.org', 'a@b.org> NOTIFY=NEVER', 'a b@b.org', 'a\0@b.org']
  for (const to of addresses) {
    it(`rejects ${JSON.stringify(to)} in the envelope before it connects`, async () => {
      const settings = settingsFor(1)
      const bad = (error: unknown): boolean => {
        assert.ok(error instanceof DeliveryError)
        assert.deepEqual([error.stage, error.temporary], ['compose', false])
        return !error.message.includes('b.org')
      }
      await assert.rejects(deliverOnce(settings, { from: 'x@example.org', to, data: 'x\r\n' }), bad)
      await assert.rejects(deliverOnce(settings, { from: to, to: 'x@example.org', data: 'x\r\n' }), bad)
    })
  }
})

describe('dotStuffed()', () => {
  const smuggled = ['a\n.\nMAIL FROM:<x>', 'a\r.\rMAIL', 'a\n.\r\nMAIL', 'a\r\n.\rMAIL', 'a\0b', '\n', '\r']
  for (const message of smuggled) {
    it(`rejects ${JSON.stringify(message)}, where servers disagree about the end`, () => {
      assert.throws(() => dotStuffed(message), /CRLF line ends only/)
    })
  }

  const rows: ReadonlyArray<readonly [string, string, string]> = [
    ['a dot alone', '.\r\n', '..\r\n.\r\n'],
    ['dots at line starts', '.a\r\n..b\r\nc.\r\n', '..a\r\n...b\r\nc.\r\n.\r\n'],
    ['a message without a last line end', 'a', 'a\r\n.\r\n'],
    ['empty lines at the end', 'a\r\n\r\n', 'a\r\n\r\n.\r\n'],
    ['nothing', '', '\r\n.\r\n'],
    ['a command after a dot', 'a\r\n.\r\nQUIT\r\n', 'a\r\n..\r\nQUIT\r\n.\r\n'],
    ['a line of 998 bytes', `${'x'.repeat(998)}\r\n`, `${'x'.repeat(998)}\r\n.\r\n`],
  ]
  for (const [name, message, expected] of rows) {
    it(`sends ${name} whole`, () => assert.equal(dotStuffed(message).bytes.toString(), expected))
  }

  it('rejects a line of 999 bytes, also when they are fewer characters', () => {
    assert.throws(() => dotStuffed('x'.repeat(999)), /longer than 1000 bytes/)
    assert.throws(() => dotStuffed('é'.repeat(500)), /longer than 1000 bytes/)
  })

  it('rejects a message of more than two megabytes', () => {
    assert.throws(() => dotStuffed('x\r\n'.repeat(700_000)), /longer than 2000000 bytes/)
  })
})
