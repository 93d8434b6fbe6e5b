/**
 * Files that are made to harm the service or a reader: small ones that fill memory where they are shown (bombs), ones that are
 * another file as well (polyglots), and ones that take time to read.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { PICTURE_BYTES_MAX, readPicture } from '../../src/media/read-picture.ts'
import { avifOf, frameObu, sequenceHeader } from '../support/media/avif-file.ts'
import { samplePicture } from '../../scripts/tools/media/sample-pictures.ts'

const refuses = (bytes: Buffer, message: RegExp): void => assert.throws(() => readPicture(bytes), { code: 'invalidInput', message })

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

function png(width: number, height: number, ...more: readonly Buffer[]): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([start, chunk('IHDR', header), ...more, chunk('IDAT', deflateSync(Buffer.alloc(64))), chunk('IEND', Buffer.alloc(0))])
}

/** The header of a colour profile without tags. */
function profile(): Buffer {
  const bytes = Buffer.alloc(132)
  bytes.writeUInt32BE(bytes.length)
  bytes.write('acsp', 36)
  return bytes
}

describe('a bomb', () => {
  it('is refused for its size, at the limit and one past it', () => {
    assert.equal(readPicture(png(16_384, 3_000)).width, 16_384)
    refuses(png(16_385, 1), /expected sides of at most 16384 pixels, found 16385 x 1/)
    assert.equal(readPicture(png(10_000, 5_000)).height, 5_000)
    refuses(png(10_000, 5_001), /expected at most 50 megapixels, found 10000 x 5001, which is 51/)
    refuses(png(0, 5), /expected a size of 1 x 1 pixels or more, found 0 x 5/)
    refuses(png(0xffffffff, 0xffffffff), /expected sides of at most 16384/)
  })

  it('is refused for the size of every format', () => {
    const jpeg = samplePicture('jpeg progressive')
    jpeg.writeUInt32BE(0xffffffff, jpeg.indexOf(Buffer.from([0xff, 0xc2])) + 5)
    refuses(jpeg, /expected sides of at most 16384 pixels, found 65535 x 65535/)
    const gif = samplePicture('gif')
    gif.writeUInt32LE(0xffffffff, 6)
    refuses(gif, /found 65535 x 65535/)
    const webp = samplePicture('webp lossless')
    webp.writeUInt32LE(0x0fffffff, webp.indexOf('VP8L') + 9)
    refuses(webp, /expected at most 50 megapixels, found 16384 x 16384/)
    const avif = samplePicture('avif')
    avif.writeUInt32BE(0x10000, avif.indexOf('ispe') + 8)
    refuses(avif, /found 65536 x 16/)
  })

  it('cannot hide a large image or frame behind a small size', () => {
    const webp = samplePicture('webp')
    webp.writeUInt16LE(16_000, webp.indexOf('VP8 ') + 14)
    refuses(webp, /its size is not that of its image|sides of at most/)
    const animated = samplePicture('webp animated')
    animated.writeUIntLE(9_999, animated.indexOf('ANMF') + 14, 3)
    refuses(animated, /a frame is larger than the picture/)
    const gif = samplePicture('gif animated')
    gif.writeUInt16LE(65_535, gif.indexOf(0x2c, 13 + 48) + 5)
    refuses(gif, /sides of at most|damaged/)
  })

  it('cannot hide a large AV1 image behind a small declared size', () => {
    const declaring = (width: number, height: number): Buffer => {
      const avif = samplePicture('avif')
      avif.writeUInt32BE(width, avif.indexOf('ispe') + 8)
      avif.writeUInt32BE(height, avif.indexOf('ispe') + 12)
      return avif
    }
    assert.equal(readPicture(declaring(24, 16)).width, 24)
    refuses(declaring(10, 10), /it declares an image of 10 x 10 pixels, expected the size of its data, found 24 x 16/)
    refuses(declaring(24, 17), /declares an image of 24 x 17 pixels/)
    for (const form of ['reduced', 'full', 'timed', 'paced'] as const) {
      const of = (width: number, height: number): Buffer => avifOf([{ type: 'av01', width: 10, height: 10, data: sequenceHeader(width, height, form) }])
      assert.equal(readPicture(of(10, 10)).width, 10, form)
      refuses(of(65_536, 65_536), /sides of at most 16384 pixels, found 65536 x 65536/)
      refuses(of(10, 11), /found 10 x 11/)
    }
  })

  it('cannot give a frame of an AVIF a size of its own', () => {
    const of = (...data: readonly Buffer[]): Buffer => avifOf([{ type: 'av01', width: 10, height: 10, data: Buffer.concat(data) }])
    for (const form of ['full', 'timed', 'paced'] as const) {
      const header = sequenceHeader(10, 10, form)
      for (const kind of [undefined, 'hidden', 'existing'] as const) assert.equal(readPicture(of(header, frameObu(form, { isOverriding: false, kind }))).width, 10, `${form} ${kind}`)
      for (const kind of [undefined, 'hidden'] as const) refuses(of(header, frameObu(form, { isOverriding: true, kind })), /an AV1 frame with a size of its own/)
      refuses(of(header, frameObu(form, { isOverriding: false, kind: 'switch' })), /an AV1 frame with a size of its own/)
      refuses(of(header, frameObu(form, { isOverriding: false }), frameObu(form, { isOverriding: true })), /an AV1 frame with a size of its own/)
      refuses(of(frameObu(form, { isOverriding: false }), header), /a frame in front of its AV1 sequence header/)
      refuses(of(header, Buffer.from([0x32, 0])), /ends before its end/)
    }
  })

  it('cannot hide one in the configuration, a second header, the transparency or the tiles of an AVIF', () => {
    const [small, large] = [sequenceHeader(10, 10), sequenceHeader(65_536, 65_536)]
    const shown = { type: 'av01', width: 10, height: 10, data: small }
    assert.equal(readPicture(avifOf([shown, shown])).height, 10)
    refuses(avifOf([{ ...shown, configuration: large }]), /found 65536 x 65536/)
    refuses(avifOf([{ ...shown, data: Buffer.concat([small, large]) }]), /found 65536 x 65536/)
    refuses(avifOf([shown, { ...shown, data: large }]), /found 65536 x 65536/)
    refuses(avifOf([{ ...shown, data: Buffer.from([0x12, 0]) }]), /an image has no AV1 sequence header/)
    const grid = (width: number, height: number): Buffer => Buffer.from([0, 0, 0, 1, width >> 8, width & 255, height >> 8, height & 255])
    const tiled = { type: 'grid', width: 20, height: 10, data: grid(20, 10) }
    assert.equal(readPicture(avifOf([tiled, shown, shown])).width, 20)
    refuses(avifOf([{ ...tiled, data: grid(65_535, 10) }, shown, shown]), /found 65535 x 10/)
    refuses(avifOf([{ ...tiled, data: grid(21, 10) }, shown, shown]), /declares an image of 20 x 10 pixels/)
    refuses(avifOf([tiled, shown, { ...shown, data: large }]), /found 65536 x 65536/)
    const tile = { type: 'av01', width: 7_000, height: 7_000, data: sequenceHeader(7_000, 7_000) }
    refuses(avifOf([tiled, ...Array<typeof tile>(11).fill(tile)]), /at most 500 megapixels in all/)
  })

  it('cannot make an AVIF longer than its file by parts that overlap, nor take time by many small ones', () => {
    const data = Buffer.concat([sequenceHeader(10, 10), Buffer.alloc(1_000)])
    refuses(avifOf([{ type: 'av01', width: 10, height: 10, data, repeated: 500 }]), /the parts of its images overlap/)
    refuses(avifOf([{ type: 'av01', width: 10, height: 10, data: Buffer.concat([sequenceHeader(10, 10), Buffer.from('1200'.repeat(5_000), 'hex')]) }]), /at most 5000 parts of AV1 data/)
    const configuration = Buffer.concat(Array<Buffer>(100).fill(sequenceHeader(10, 10)))
    refuses(avifOf([{ type: 'av01', width: 10, height: 10, data: sequenceHeader(10, 10), configuration, claims: 50 }]), /at most 5000 parts of AV1 data/)
    const claiming = { type: 'av01', width: 10, height: 10, data: sequenceHeader(10, 10), claims: 250 }
    refuses(avifOf(Array(41).fill(claiming)), /at most 10000 properties of items/)
  })

  it('cannot take time by colour profiles that unpack to more, one after the other: a PNG has one', () => {
    const bomb = chunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(Buffer.alloc(1024 * 1024 - 1))]))
    const [once, often] = [1, 3].map((count) => readPicture(png(1, 1, ...Array<Buffer>(count).fill(bomb))))
    assert.deepEqual(often, once)
    // A right one behind a wrong one is not looked into.
    const right = chunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(profile())]))
    assert.equal(Buffer.from(readPicture(png(1, 1, right)).bytes).includes('iCCP'), true)
    assert.equal(Buffer.from(readPicture(png(1, 1, bomb, right)).bytes).includes('iCCP'), false)
  })

  it('is refused for its frames: their number, and what all of them take', () => {
    const gif = samplePicture('gif')
    const image = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 24, 0]))
    const frames = (count: number): Buffer => Buffer.concat([gif.subarray(0, image), ...Array<Buffer>(count).fill(gif.subarray(image, -1)), gif.subarray(-1)])
    assert.equal(readPicture(frames(500)).frames, 500)
    refuses(frames(501), /expected at most 500 frames, found more/)
    const control = Buffer.alloc(26)
    control.writeUInt32BE(7_000, 4)
    control.writeUInt32BE(7_000, 8)
    const announced = Buffer.from([0, 0, 0, 11, 0, 0, 0, 0])
    refuses(png(7_000, 7_000, chunk('acTL', announced), ...Array<Buffer>(11).fill(chunk('fcTL', control))), /expected frames of at most 500 megapixels in all/)
  })

  it('is refused for scans that are decoded over all of it again and again', () => {
    const jpeg = samplePicture('jpeg progressive')
    const scan = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]))
    const scans = Buffer.concat([jpeg.subarray(0, scan), ...Array<Buffer>(101).fill(jpeg.subarray(scan, -2)), jpeg.subarray(-2)])
    refuses(scans, /expected at most 100 scans/)
  })
})

describe('a polyglot', () => {
  const other = Buffer.from('<script>alert(1)</script>PK\x03\x04')

  it('loses what is in unknown parts, and is refused where one is in the place of the image', () => {
    assert.equal(readPicture(png(4, 4, chunk('scRp', other))).bytes.includes('script'), false)
    refuses(png(4, 4, chunk('ScRp', other)), /there is no chunk "ScRp"/)
    const gif = samplePicture('gif')
    const extension = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('NETSCAPE2.0'), Buffer.from([other.length]), other, Buffer.from([0])])
    assert.equal(readPicture(Buffer.concat([gif.subarray(0, -1), extension, gif.subarray(-1)])).bytes.includes('script'), false)
  })

  it('loses what is in chunks of a PNG that are too long, repeated, or no colour profile', () => {
    const types = ['tRNS', 'cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'mDCV', 'cLLI', 'bKGD', 'pHYs', 'acTL']
    for (const type of types) assert.equal(readPicture(png(4, 4, chunk(type, other))).bytes.includes('script'), false, type)
    const density = chunk('pHYs', Buffer.from('\0\0\0\x01\0\0\0\x01\0', 'latin1'))
    assert.ok(readPicture(png(4, 4, density)).bytes.includes('pHYs'))
    assert.equal(readPicture(png(4, 4, density, chunk('pHYs', Buffer.from('<script>1')))).bytes.includes('script'), false)
    refuses(png(4, 4, chunk('PLTE', Buffer.alloc(769))), /its chunk PLTE has a wrong length/)
    refuses(png(4, 4, chunk('PLTE', Buffer.alloc(3)), chunk('PLTE', Buffer.alloc(3))), /it has two chunks PLTE/)
    refuses(png(4, 4, chunk('IEND', other)), /its chunk IEND has a wrong length/)
    const kept = (...parts: readonly Buffer[]): boolean => readPicture(png(4, 4, chunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), ...parts])))).bytes.includes('iCCP')
    assert.equal(kept(deflateSync(profile())), true)
    assert.equal(kept(deflateSync(profile()), other), false)
    assert.equal(kept(deflateSync(Buffer.concat([profile(), other]))), false)
    assert.equal(kept(deflateSync(other)), false)
    assert.equal(kept(deflateSync(Buffer.alloc(PICTURE_BYTES_MAX))), false)
  })

  it('is refused or cleaned where tables or a colour profile of a JPEG hold more than they are for', () => {
    const segment = (marker: number, data: Buffer): Buffer => Buffer.concat([Buffer.from([0xff, marker, 0, data.length + 2]), data])
    const jpeg = readPicture(samplePicture('jpeg progressive')).bytes
    const of = (...parts: readonly Buffer[]): Buffer => Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(2)])
    assert.ok(readPicture(of(segment(0xdb, Buffer.alloc(65)), segment(0xdd, Buffer.alloc(2)))).bytes.length > jpeg.length)
    for (const table of [0xc4, 0xdb, 0xdd]) refuses(of(segment(table, Buffer.concat([Buffer.alloc(65), other]))), /its tables at byte 2 have a wrong length/)
    const part = (number: number, total: number, data: Buffer): Buffer => segment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0'), Buffer.from([number, total]), data]))
    const kept = (...parts: readonly Buffer[]): boolean => readPicture(of(...parts)).bytes.includes('ICC_PROFILE')
    const whole = profile()
    assert.equal(kept(part(1, 1, whole)), true)
    assert.equal(kept(part(1, 2, whole.subarray(0, 50)), part(2, 2, whole.subarray(50))), true)
    for (const parts of [[part(1, 1, other)], [part(1, 1, whole), part(2, 1, other)], [part(2, 2, whole)], [part(1, 1, Buffer.concat([whole, other]))]]) assert.equal(kept(...parts), false)
  })

  it('loses what is in the colour profile, transparency or animation of a WebP', () => {
    const webp = readPicture(samplePicture('webp')).bytes
    const image = webp.subarray(webp.indexOf('VP8 '))
    const part = (type: string, data: Buffer): Buffer => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(data.length)
      return Buffer.concat([Buffer.from(type), length, data, Buffer.alloc(data.length % 2)])
    }
    const of = (...parts: readonly Buffer[]): Buffer => {
      const file = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), part('VP8X', Buffer.from([0x30, 0, 0, 0, 23, 0, 0, 15, 0, 0])), ...parts, image])
      file.writeUInt32LE(file.length - 8, 4)
      return file
    }
    assert.ok(readPicture(of(part('ICCP', profile()))).bytes.includes('ICCP'))
    assert.ok(readPicture(of(part('ALPH', Buffer.alloc(1 + 24 * 16)))).bytes.includes('ALPH'))
    const hidden = [[part('ICCP', other)], [part('ICCP', profile()), part('ICCP', other)], [part('ALPH', Buffer.concat([Buffer.alloc(1), other]))], [part('ANIM', other)]]
    for (const parts of hidden) assert.equal(readPicture(of(...parts)).bytes.includes('script'), false)
  })

  it('loses the comments, plain texts and applications of a GIF', () => {
    const gif = samplePicture('gif')
    for (const label of [0xfe, 0x01, 0xff, 0xf9]) {
      const extension = Buffer.concat([Buffer.from([0x21, label, other.length]), other, Buffer.from([0])])
      assert.equal(readPicture(Buffer.concat([gif.subarray(0, -1), extension, gif.subarray(-1)])).bytes.includes('script'), false)
    }
  })

  it('loses what an AVIF has between its images', () => {
    const avif = samplePicture('avif')
    const free = Buffer.concat([Buffer.from([0, 0, 0, 8 + other.length]), Buffer.from('uuid'), other])
    const cleaned = readPicture(Buffer.concat([avif, free])).bytes
    assert.equal(cleaned.includes('script'), false)
    assert.equal(cleaned.length, avif.length)
  })

  it('cannot begin as a script: what is in front of a picture makes it none', () => {
    refuses(Buffer.concat([Buffer.from('/*'), samplePicture('gif')]), /found another kind of file/)
    refuses(Buffer.concat([Buffer.from('GIF89a=1;alert(1);//'), other]), /so this GIF is damaged|sides of at most/)
  })
})

describe('a file that takes time', () => {
  it('is refused for its number of parts', () => {
    refuses(png(4, 4, ...Array<Buffer>(20_001).fill(chunk('tEXt', Buffer.alloc(0)))), /expected at most 20000 parts of a file, found more/)
  })

  it('is read in one pass, whatever its lengths say', () => {
    const full = (start: Buffer, fill: number): Buffer => Buffer.concat([start, Buffer.alloc(PICTURE_BYTES_MAX - start.length, fill)])
    const jpeg = samplePicture('jpeg progressive')
    const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]))
    for (const fill of [0, 1, 0xff]) {
      refuses(full(jpeg.subarray(0, scan + 12), fill), /damaged|parts/)
      refuses(full(samplePicture('gif').subarray(0, 61), fill), /damaged|parts/)
      refuses(full(samplePicture('webp').subarray(0, 30), fill), /damaged|parts|image/)
      refuses(full(samplePicture('avif').subarray(0, 40), fill), /damaged|boxes|image/)
    }
  })
})
