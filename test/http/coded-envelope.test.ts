/**
 * Compressed envelopes whose end is added to kept bytes: what decoders make of them; walks try those of a browser. A decoder
 * that wants more than it gets, or that stops before the end, would lose the id and the time of a response.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { compressStart, endEnvelope, envelopeStart, type Effort } from '../../src/http/coded-envelope.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'

const REST = ',"metadata":{"requestId":"65e9c0ffee65e9c0ffee6500","timestamp":"2026-03-01T12:00:00.000Z"}}'

const random = seededRandom(seedOfRun())
const noise = (length: number): string => Array.from({ length }, () => random.pick([...'0123456789abcdef'])).join('')
const TEXTS: readonly [name: string, data: string][] = [
  ['the shortest', '{}'],
  ['one of every character', JSON.stringify('aé€𝄞\u0000\u2028'.repeat(300))],
  ['a page', JSON.stringify(Array.from({ length: 20 }, (_, i) => ({ id: noise(24), title: `Headline ${i}`, text: 'la '.repeat(400) })))],
  ['what cannot be compressed', JSON.stringify(noise(70_000))],
  ['more than a window', JSON.stringify(`${noise(2_000)}${' '.repeat(1_500_000)}${noise(2_000)}`)],
]
const RESTS: readonly string[] = [REST, '}', 'x'.repeat(1024)]

async function coded(data: string, effort: Effort, rest: string): Promise<Buffer> {
  const start = await compressStart(envelopeStart(data), effort)
  return Buffer.concat([start.bytes, Buffer.from(endEnvelope(start, rest))])
}

describe('an envelope in two parts', () => {
  it('is the same text uncompressed', () => {
    const start = envelopeStart('{"a":"é"}')
    assert.equal(`${String(start.bytes)}${String(endEnvelope(start, REST))}`, `{"data":{"a":"é"}${REST}`)
  })

  for (const effort of ['once', 'kept'] as const) {
    for (const [name, data] of TEXTS) {
      it(`is read back from gzip, compressed for ${effort}: ${name}`, async () => {
        for (const rest of RESTS) assert.equal(String(gunzipSync(await coded(data, effort, rest))), `{"data":${data}${rest}`)
      })
    }
  }

  it('ends where it ends: a decoder takes nothing less for the whole', async () => {
    const bytes = await coded(TEXTS[2]?.[1] ?? '', 'kept', REST)
    assert.throws(() => gunzipSync(bytes.subarray(0, -1)), 'without its last byte')
    const start = await compressStart(envelopeStart('{}'), 'kept')
    assert.throws(() => gunzipSync(start.bytes), 'without its end')
  })

  it('takes no end that a block could not hold', async () => {
    const start = await compressStart(envelopeStart('{}'), 'kept')
    const longest = 'x'.repeat(65_535)
    assert.equal(String(gunzipSync(Buffer.concat([start.bytes, Buffer.from(endEnvelope(start, longest))]))), `{"data":{}${longest}`)
    assert.throws(() => endEnvelope(start, `${longest}x`), /rest has 65536 bytes/)
  })
})
