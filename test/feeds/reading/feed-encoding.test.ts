import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeFeed } from '../../../src/feeds/reading/feed-encoding.ts'

const xml = (encoding: string, text: string) => `<?xml version="1.0" encoding="${encoding}"?><rss>${text}</rss>`
const utf32 = (text: string, isLittleEndian: boolean) => {
  const view = new DataView(new ArrayBuffer(text.length * 4))
  for (const [i, char] of [...text].entries()) view.setUint32(i * 4, char.codePointAt(0) ?? 0, isLittleEndian)
  return new Uint8Array(view.buffer)
}

describe('decodeFeed()', () => {
  const latin = (encoding: string) => Buffer.from(xml(encoding, 'Fähre'), 'latin1')
  const utf8 = (encoding: string) => Buffer.from(xml(encoding, 'Fähre – neu'))
  const rows: [name: string, bytes: Uint8Array, contentType: string | undefined, encoding: string, part: string, problems?: RegExp][] = [
    ['UTF-8 without any name', Buffer.from('<rss>Fähre</rss>'), undefined, 'utf-8', 'Fähre'],
    ['a byte order mark before HTTP and XML', Buffer.from(`\ufeff${xml('iso-8859-1', 'Fähre')}`), 'text/xml; charset=koi8-r', 'utf-8', 'Fähre'],
    ['UTF-16 by its mark', Buffer.from(`\ufeff${xml('utf-8', 'Fähre')}`, 'utf16le'), undefined, 'utf-16le', 'Fähre'],
    ['UTF-16 without a mark', Buffer.from(xml('utf-16', 'Fähre'), 'utf16le').swap16(), undefined, 'utf-16be', 'Fähre'],
    ['UTF-32 by its mark', utf32(`\ufeff${xml('utf-32', 'Fähre')}`, true), undefined, 'utf-32le', 'Fähre'],
    ['UTF-32 without a mark', utf32(xml('utf-32', 'Fähre'), false), undefined, 'utf-32be', 'Fähre'],
    ['HTTP before XML', Buffer.from(xml('utf-8', 'пора'), 'latin1').fill(Buffer.from([0xd0, 0xcf, 0xd2, 0xc1]), 43, 47), 'text/xml; charset="KOI8-R"', 'koi8-r', 'пора'],
    ['the XML declaration', latin('ISO-8859-1'), 'text/xml', 'windows-1252', 'Fähre'],
    ['a name of Windows', latin('windows_1252'), undefined, 'windows-1252', 'Fähre'],
    ['Chinese', Buffer.concat([Buffer.from('<?xml version="1.0" encoding="gb2312"?><rss>'), Buffer.from([0xc4, 0xe3]), Buffer.from('</rss>')]), undefined, 'gbk', '你'],
    ['a declaration of UTF-16 that is wrong', utf8('utf-16'), undefined, 'utf-8', 'Fähre – neu'],
    ['a server that calls UTF-8 iso-8859-1', utf8('utf-8'), 'text/xml; charset=ISO-8859-1', 'utf-8', 'Fähre – neu'],
    ['a server that is right about iso-8859-1', latin('utf-8'), 'text/xml; charset=ISO-8859-1', 'windows-1252', 'Fähre'],
    ['windows-1252 in place of UTF-8', Buffer.from(xml('utf-8', 'F\xe4hre \x96 neu'), 'latin1'), undefined, 'windows-1252', 'Fähre – neu', /read as windows-1252/],
    ['one damaged byte in UTF-8', Buffer.concat([utf8('utf-8'), Buffer.from([0xff])]), undefined, 'utf-8', 'Fähre – neu', /read as U\+FFFD/],
    ['an encoding that is unknown', utf8('ebcdic-x'), undefined, 'utf-8', 'Fähre – neu', /"ebcdic-x" is unknown/],
    ['no bytes', new Uint8Array(), undefined, 'utf-8', ''],
  ]
  for (const [name, bytes, contentType, encoding, part, problems] of rows) {
    it(`reads ${name}`, () => {
      const decoded = decodeFeed(bytes, contentType)
      assert.equal(decoded.encoding, encoding)
      assert.ok(decoded.text.includes(part), decoded.text)
      if (problems === undefined) assert.deepEqual(decoded.problems, [])
      else assert.match(decoded.problems.map(({ message }) => message).join(' '), problems)
    })
  }

  it('reads characters beyond U+10FFFF and halves of characters of UTF-32 as U+FFFD', () => {
    const bytes = Uint8Array.from([0, 0, 0, 0x3c, 0, 0x11, 0, 0, 0, 0, 0xd8, 0, 0, 0, 0])
    assert.equal(decodeFeed(bytes, undefined).text, '<\ufffd\ufffd')
  })

  it('takes time that grows with the length of headers and declarations only', () => {
    for (const piece of [' ', ';charset', '<?xml ', 'encoding', '"']) {
      assert.equal(decodeFeed(Buffer.from(piece.repeat(100_000)), `text/xml;${piece.repeat(100_000)}`).encoding, 'utf-8', piece)
    }
  })
})
