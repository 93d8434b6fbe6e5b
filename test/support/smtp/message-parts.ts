/** The parts of a mail that tests compose. */
import type { MessageParts } from '../../../src/mail/message/message.ts'

export const PARTS: MessageParts = {
  from: { name: 'Dateline', address: 'no-reply@example.org' },
  to: 'reader@example.net',
  subject: 'Hello',
  text: 'Text',
  html: '<p>HTML</p>',
  language: 'en',
  date: Date.parse('2025-10-20T02:03:04.567Z'),
  messageId: 'abcdefgh',
  boundary: 'qwertyuiop',
}
