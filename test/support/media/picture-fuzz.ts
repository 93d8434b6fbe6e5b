/** Damaged pictures, and what must hold of everything that is read from them. */
import assert from 'node:assert/strict'
import { Failure } from '../../../src/base/failure.ts'
import { PICTURE_FORMATS } from '../../../src/media/picture-format.ts'
import { readPicture } from '../../../src/media/read-picture.ts'
import type { Random } from '../../../scripts/tools/random.ts'
import { SAMPLE_NAMES, samplePicture } from '../../../scripts/tools/media/sample-pictures.ts'

/** Numbers at which lengths and sizes overflow. */
const EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0xffffffff]

/** Reads one damaged sample, and fails where a rule is broken. `rejected` is a Failure that says why. */
export function fuzzPicture(random: Random): 'read' | 'rejected' {
  const bytes = damaged(samplePicture(random.pick(SAMPLE_NAMES)), random)
  const before = bytes.toString('base64')
  try {
    const picture = readPicture(bytes)
    assert.ok(picture.bytes.length <= bytes.length)
    assert.ok(Object.hasOwn(PICTURE_FORMATS, picture.format))
    for (const side of [picture.width, picture.height]) assert.ok(Number.isInteger(side) && side >= 1 && side <= 16_384)
    assert.ok(picture.frames >= 1 && picture.frames <= 500)
    const cleaned = Buffer.from(picture.bytes)
    const again = readPicture(Buffer.from(cleaned))
    assert.deepEqual({ ...again, bytes: undefined }, { ...picture, bytes: undefined })
    assert.ok(again.bytes.equals(cleaned), 'a cleaned picture is cleaned to other bytes')
    return 'read'
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalidInput') return 'rejected'
    throw new Error(`Cannot read ${before}`, { cause: error })
  }
}

function damaged(sample: Buffer, random: Random): Buffer {
  let bytes = sample
  for (let i = random.below(5); i > 0; i--) {
    const at = random.below(bytes.length + 1)
    switch (random.below(6)) {
      case 0:
        if (at < bytes.length) bytes[at] = random.below(256)
        break
      case 1:
        if (at + 4 <= bytes.length) bytes.writeUInt32BE(random.pick(EDGES), at)
        break
      case 2:
        if (at + 4 <= bytes.length) bytes.writeUInt32LE(random.pick(EDGES), at)
        break
      case 3:
        bytes = bytes.subarray(0, at)
        break
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.below(40))])
        break
      default: {
        const from = random.below(bytes.length + 1)
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, from + random.below(60)), bytes.subarray(at)])
      }
    }
  }
  return Buffer.from(bytes)
}
