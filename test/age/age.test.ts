/** Files of age (age-encryption.org/v1): our own, those of Debian's age 1.2, and files that were tampered with. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decryptAge, encryptAge } from '../../src/age/age.ts'
import { newIdentity, parseIdentity, parseIdentityFile, parseRecipient, parseRecipientsFile, recipientText, type AgeIdentity, type AgeRecipient } from '../../src/age/age-keys.ts'
import { AgeError } from '../../src/age/age-error.ts'
import { decodeBech32, encodeBech32 } from '../../src/age/bech32.ts'

/** Made by `age-keygen` and `age` of Debian. */
const MADE = {
  recipient: 'age1lsgeav2978y78tjfk80z598slxamhuksm93mmu4ns0tr4qpxd3hqaky3sw',
  identity: 'AGE-SECRET-KEY-14W4NCLRR7QS6PXSMVP49GM9483XL3K25MXVXM77P3SNH7PDFQETQJKY8UK',
  file:
    'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBSaWpPVm5qMXVpZWI2Um8veWdsNzRrbENqNjFvMlUrOWNXL2MvTTJ0eVJVCjVTeExzSXdWd3BlcUtWMU1XdzZCVGpaSTFFcTJxUUI4M3po' +
    'UzB0NS82RXMKLS0tIGhmVWQ4RVpTZ2xJeDBVTVZ5U2VwWFBtZ3FNcFJnQjljRndKRFlnRXVMZTAKjGeb9/mhgbnnrSq/BX2MNV66TMwUf1MoY8a6MEdBQJYz9ZEa7xBmdnxGAmEBvAGzrjpDaAs=',
  byPassphrase:
    'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBFRnAxT1NEWThYb1dnOE1XK3V4dVZRIDE4CmQyaGV4RDMvWWJEMW9EaW5uTEZKdC94bGVFVHJxdi9Wb1dNc3RTelhzd2cKLS0tIHkxNEtsb0ZQa1VD' +
    'WlFQdlJBMCtTTkV5dG81ZTgzOGRMNHpZL2JnWS96T1kKKAVEdpz5eEfdppIMZ6JlDaPKerhqQqCws7uu21nqGUYtiUkJh/uWq7ak3a6uAQ==',
}
const CHUNK = 64 * 1024

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks))
}

const seal = (recipients: readonly AgeRecipient[], plain: Uint8Array, size = 10_000): Promise<Buffer> => collect(encryptAge(recipients, inPieces(plain, size)))
const open = (identities: readonly AgeIdentity[], sealed: Uint8Array, size = 10_000): Promise<Buffer> => collect(decryptAge(identities, inPieces(sealed, size)))

async function problemOf(opening: Promise<Buffer>): Promise<string> {
  try {
    return `opened ${(await opening).length} bytes`
  } catch (error) {
    assert.ok(error instanceof AgeError, String(error))
    return error.message
  }
}

const own = newIdentity()
const [identity, recipient] = [parseIdentity(own.identity), parseRecipient(own.recipient)]

describe('files of age', () => {
  it('of the age of Debian are read, for a key and by a passphrase, one byte at a time', async () => {
    assert.equal(String(await open([parseIdentity(MADE.identity)], Buffer.from(MADE.file, 'base64'), 1)), 'The harbour is open.\n')
    const byPassphrase = await open([{ kind: 'passphrase', passphrase: 'correct horse' }], Buffer.from(MADE.byPassphrase, 'base64'), 1)
    assert.equal(String(byPassphrase), 'By passphrase.')
  })

  it('hold any content, at the end of a chunk and around it', async () => {
    for (const length of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 5]) {
      const plain = Buffer.alloc(length, 'dateline ')
      const sealed = await seal([recipient], plain)
      assert.ok(plain.equals(await open([identity], sealed)), `${length} bytes`)
      // Header, nonce, and a tag for each chunk.
      assert.equal(sealed.length - sealed.indexOf('\n', sealed.indexOf('--- ')) - 1, 16 + length + 16 * Math.max(1, Math.ceil(length / CHUNK)))
    }
  })

  it('are read by each of several recipients, and by no one else', async () => {
    const other = newIdentity()
    const sealed = await seal([recipient, parseRecipient(other.recipient)], Buffer.from('for two'))
    assert.equal(String(await open([parseIdentity(other.identity)], sealed)), 'for two')
    assert.equal(String(await open([parseIdentity(MADE.identity), identity], sealed)), 'for two')
    assert.match(await problemOf(open([parseIdentity(MADE.identity)], sealed)), /encrypted for other keys: name the identity file/)
  })

  it('are read by their passphrase alone', async () => {
    const sealed = await seal([{ kind: 'passphrase', passphrase: 'open sesame', logN: 4 }], Buffer.from('by heart'))
    assert.equal(String(await open([identity, { kind: 'passphrase', passphrase: 'open sesame' }], sealed)), 'by heart')
    assert.equal(await problemOf(open([{ kind: 'passphrase', passphrase: 'Open sesame' }], sealed)), 'The passphrase is not that of the file')
    assert.match(await problemOf(open([identity], sealed)), /encrypted with a passphrase, not for a key/)
  })

  it('differ each time', async () => {
    assert.notDeepEqual(await seal([recipient], Buffer.from('same')), await seal([recipient], Buffer.from('same')))
  })
})

describe('a tampered file of age', () => {
  it('is found out at whatever byte it was changed', async () => {
    const sealed = await seal([recipient], Buffer.from('The harbour is open.'))
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      assert.doesNotMatch(await problemOf(open([identity], changed)), /^opened/, `byte ${at}`)
    }
  })

  it('is found out wherever it was cut off, also between two chunks', async () => {
    const sealed = await seal([recipient], Buffer.alloc(2 * CHUNK, 'x'))
    const payload = sealed.indexOf('\n', sealed.indexOf('--- ')) + 1
    const cuts = [0, 1, 30, payload - 1, payload, payload + 15, payload + 16, payload + 16 + CHUNK + 16, sealed.length - 1]
    for (const length of cuts) assert.doesNotMatch(await problemOf(open([identity], sealed.subarray(0, length))), /^opened/, `${length} bytes`)
  })

  it('is found out where chunks were exchanged, dropped or added', async () => {
    const sealed = await seal([recipient], Buffer.concat([Buffer.alloc(CHUNK, 'a'), Buffer.alloc(CHUNK, 'b'), Buffer.from('c')]))
    const begin = sealed.indexOf('\n', sealed.indexOf('--- ')) + 17
    const [head, a, b, c] = [sealed.subarray(0, begin), sealed.subarray(begin, begin + CHUNK + 16), sealed.subarray(begin + CHUNK + 16, begin + 2 * CHUNK + 32), sealed.subarray(begin + 2 * CHUNK + 32)]
    for (const parts of [[head, b, a, c], [head, a, c], [head, a, b], [head, a, b, c, c], [head, a, b, c, Buffer.from('x')]]) {
      assert.doesNotMatch(await problemOf(open([identity], Buffer.concat(parts))), /^opened/)
    }
  })

  const headers: readonly (readonly [string, string, RegExp])[] = [
    ['of another version', 'age-encryption.org/v2\n-> X25519 a\n', /not one of age/],
    ['that is armored', '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n', /armored/],
    ['without an end', `age-encryption.org/v1\n-> X25519 ${'a'.repeat(2_000)}`, /the header has no end/],
    ['without recipients', `age-encryption.org/v1\n--- ${'A'.repeat(43)}\n`, /no MAC/],
    ['for recipients without number', `age-encryption.org/v1\n${'-> x\n\n'.repeat(200)}`, /more than 100 recipients/],
    ['with a body without end', `age-encryption.org/v1\n-> x\n${`${'A'.repeat(64)}\n`.repeat(1_000)}`, /a stanza is too long/],
    ['with padded Base64', 'age-encryption.org/v1\n-> X25519 x\nAA==\n--- x\n', /no Base64/],
    ['with Base64 that has bits left', 'age-encryption.org/v1\n-> X25519 x\nAB\n--- x\n', /no Base64/],
    ['with an empty argument', 'age-encryption.org/v1\n-> X25519  x\n\n--- x\n', /none of age/],
    ['with a point of low order', `age-encryption.org/v1\n-> X25519 ${'A'.repeat(43)}\n${'A'.repeat(43)}\n--- ${'A'.repeat(43)}\n`, /malformed/],
    ['with a passphrase beside a key', `age-encryption.org/v1\n-> scrypt ${'A'.repeat(22)} 4\n${'A'.repeat(43)}\n-> x\n\n--- ${'A'.repeat(43)}\n`, /beside other recipients/],
    ['that wants gigabytes', `age-encryption.org/v1\n-> scrypt ${'A'.repeat(22)} 31\n${'A'.repeat(43)}\n--- ${'A'.repeat(43)}\n`, /work factor of 31: at most 20/],
    ['with a work factor of another form', `age-encryption.org/v1\n-> scrypt ${'A'.repeat(22)} 04\n${'A'.repeat(43)}\n--- ${'A'.repeat(43)}\n`, /malformed/],
  ]
  for (const [name, header, wanted] of headers) {
    it(`has a header ${name}: it is told, with little read`, async () => {
      let read = 0
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        for await (const piece of inPieces(Buffer.from(header), 100)) {
          read += piece.length
          yield piece
        }
      }
      assert.match(await problemOf(collect(decryptAge([identity, { kind: 'passphrase', passphrase: 'x' }], counted()))), wanted)
      assert.ok(read <= 20_000)
    })
  }
})

describe('keys of age', () => {
  it('are those of age-keygen', () => {
    const [made] = parseIdentityFile(`# created: 2026-11-27T22:22:11Z\r\n# public key: ${MADE.recipient}\r\n${MADE.identity}\r\n`)
    assert.ok(made?.kind === 'x25519')
    assert.equal(recipientText(made.recipient), MADE.recipient)
    assert.equal(parseRecipientsFile(`# ours\n${MADE.recipient}\n\n${own.recipient}`).length, 2)
  })

  it('with an error of one character are refused, and an identity is never shown', () => {
    for (const text of [MADE.identity.replace('4W4', '4W5'), MADE.identity.toLowerCase(), `x${MADE.identity}`, MADE.recipient, '']) {
      assert.throws(() => parseIdentity(text), (error: Error) => error instanceof AgeError && !error.message.includes('4W5') && /^Expected an identity/.test(error.message))
    }
    assert.throws(() => parseRecipient(MADE.recipient.replace('lsge', 'lsgf')), /Expected a recipient of age/)
    assert.throws(() => parseRecipient(MADE.identity), (error: Error) => /found a secret key/.test(error.message) && !error.message.includes('4W4'))
    assert.throws(() => parseIdentityFile('# nothing\n'), /found none/)
    assert.throws(() => parseRecipientsFile(`${MADE.recipient}\n`.repeat(101)), /at most 100/)
  })

  it('Bech32 passes the vectors of BIP 173', () => {
    for (const text of ['A12UEL5L', 'an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs', 'split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w']) {
      const read = decodeBech32(text)
      assert.ok(text.startsWith('a') || text.startsWith('A') || read !== undefined)
      if (read !== undefined) assert.equal(encodeBech32(read.prefix, read.bytes), text.toLowerCase())
    }
    for (const text of ['x1b4n0q5v', 'li1dgmt3', '10a06t8', '1qzzfhee', 'A1G7SGD8', 'split1cheo2y9e2w']) assert.equal(decodeBech32(text), undefined, text)
  })
})
