/** Which encoding the beginning of a file tells. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { encodingOf, TELLING_BYTES } from '../../src/models/text-encoding.ts'

for (const [name, bytes, encoding] of [
  ['nothing', Buffer.alloc(0), 'utf-8'],
  ['ASCII', Buffer.from('name\nTides\n'), 'utf-8'],
  ['UTF-8', Buffer.from('Zürich, 東京'), 'utf-8'],
  ['UTF-8 with a byte order mark', Buffer.from('\uFEFFZürich'), 'utf-8'],
  ['UTF-8 that is cut off within a character', Buffer.from('Zü').subarray(0, 2), 'utf-8'],
  ['UTF-8 that is cut off where the look ends', Buffer.from(`${'x'.repeat(TELLING_BYTES - 1)}ü`), 'utf-8'],
  ['UTF-8 with a damaged character among others', Buffer.concat([Buffer.from('Zürich and Köln'), Buffer.from([0xff])]), 'utf-8'],
  ['Windows-1252', Buffer.from('Zürich and Köln', 'latin1'), 'windows-1252'],
  ['UTF-16 as Windows writes it', Buffer.from('\uFEFFZürich', 'utf16le'), 'utf-16le'],
  ['UTF-16 of other machines', Buffer.from('\uFEFFZürich', 'utf16le').swap16(), 'utf-16be'],
  ['no text', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff, 0xd8]), 'utf-8'],
] as const) {
  it(`${name} is read as ${encoding}`, () => assert.equal(encodingOf(bytes), encoding))
}
