/** Pictures by their bytes: what is read of each format, what goes, and that what is shown stays as it was. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PICTURE_BYTES_MAX, readPicture } from '../../src/media/read-picture.ts'
import { fuzzPicture } from '../support/media/picture-fuzz.ts'
import { PRIVATE_NOTE, SAMPLE_NAMES, samplePicture, type SampleName } from '../../scripts/tools/media/sample-pictures.ts'
import { fuzzRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../scripts/tools/random.ts'

const TAKEN = SAMPLE_NAMES.filter((name) => name !== 'avif animated')
const facts = (name: SampleName): object => {
  const { bytes: _, ...found } = readPicture(samplePicture(name))
  return found
}

describe('readPicture()', () => {
  const rows: readonly [SampleName, object][] = [
    ['jpeg turned', { format: 'jpeg', width: 16, height: 24, frames: 1 }],
    ['jpeg progressive', { format: 'jpeg', width: 24, height: 16, frames: 1 }],
    ['png', { format: 'png', width: 24, height: 16, frames: 1 }],
    ['png animated', { format: 'png', width: 24, height: 16, frames: 3 }],
    ['webp', { format: 'webp', width: 24, height: 16, frames: 1 }],
    ['webp lossless', { format: 'webp', width: 24, height: 16, frames: 1 }],
    ['webp animated', { format: 'webp', width: 24, height: 16, frames: 3 }],
    ['gif', { format: 'gif', width: 24, height: 16, frames: 1 }],
    ['gif animated', { format: 'gif', width: 24, height: 16, frames: 3 }],
    ['avif', { format: 'avif', width: 24, height: 16, frames: 1 }],
  ]
  for (const [name, wanted] of rows) it(`reads the size and the frames of ${name}`, () => assert.deepEqual(facts(name), wanted))

  it('takes out Exif, XMP, comments and texts', () => {
    assert.ok(TAKEN.filter((name) => samplePicture(name).includes(PRIVATE_NOTE)).length >= 7)
    for (const name of TAKEN) assert.equal(readPicture(samplePicture(name)).bytes.includes(PRIVATE_NOTE), false, name)
  })

  it('keeps the colour profile, and of Exif the orientation alone', () => {
    const { bytes } = readPicture(samplePicture('jpeg turned'))
    assert.ok(bytes.includes('ICC_PROFILE'))
    const exif = bytes.indexOf('Exif')
    assert.equal(bytes.readUInt16BE(exif - 2), 34)
    assert.equal(bytes[exif + 25], 6)
    assert.equal(readPicture(samplePicture('jpeg progressive')).bytes.includes('Exif'), false)
  })

  it('gives the same bytes for a picture that was cleaned before', () => {
    for (const name of TAKEN) {
      const cleaned = Buffer.from(readPicture(samplePicture(name)).bytes)
      assert.ok(readPicture(Buffer.from(cleaned)).bytes.equals(cleaned), name)
    }
  })

  it('cuts what follows the picture', () => {
    for (const name of TAKEN) {
      const cleaned = Buffer.from(readPicture(samplePicture(name)).bytes)
      for (const tail of ['PK\x03\x04 an archive', '<script>alert(1)</script>', '\0'.repeat(40)]) {
        assert.ok(readPicture(Buffer.concat([samplePicture(name), Buffer.from(tail)])).bytes.equals(cleaned), `${name} with ${tail}`)
      }
    }
  })

  it('refuses a picture that was cut off, wherever that was', () => {
    for (const name of TAKEN) {
      const whole = Buffer.from(readPicture(samplePicture(name)).bytes)
      for (let length = 0; length < whole.length; length++) {
        assert.throws(() => readPicture(Buffer.from(whole.subarray(0, length))), { code: 'invalidInput' }, `${name}, ${length} bytes`)
      }
    }
  })

  const refused: readonly [string, Buffer, RegExp][] = [
    ['nothing', Buffer.alloc(0), /expected JPEG, PNG, WebP, GIF, AVIF, found nothing$/],
    ['SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), /found SVG, which can hold scripts: save it as PNG or WebP/],
    ['HTML under any name', Buffer.from('\ufeff<!DOCTYPE html><script>alert(1)</script>'), /found HTML/],
    ['PDF', Buffer.from('%PDF-1.7'), /found PDF/],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), /found HEIC, which few browsers show/],
    ['a form', Buffer.from('------x\r\nContent-Disposition: form-data; name="file"'), /found a form: send the bytes/],
    ['an animated AVIF', samplePicture('avif animated'), /expected a still one/],
    ['one byte too many', Buffer.alloc(PICTURE_BYTES_MAX + 1), /expected at most 10485760 bytes, found 10485761/],
  ]
  for (const [name, bytes, message] of refused) {
    it(`refuses ${name}`, () => assert.throws(() => readPicture(bytes), { code: 'invalidInput', message }))
  }

  it('takes damaged pictures as far as they make sense, or says why not', () => {
    const random = seededRandom(seedOfTest())
    const counts = { read: 0, rejected: 0 }
    const cases = fuzzRun(20_000, 1_000_000)
    for (let i = 0; i < cases; i++) counts[fuzzPicture(random)]++
    assert.ok(counts.read > cases / 20 && counts.rejected > cases / 20, JSON.stringify({ seed: random.seed, ...counts }))
  })
})
