/** Which responses are compressed, and when. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compressStart, envelopeStart } from '../../src/http/coding/coded-envelope.ts'
import { createEnvelopeCoder, type KeptStart } from '../../src/http/coding/envelope-coder.ts'

const DATA = JSON.stringify('la '.repeat(5_000))

function kept(): KeptStart & { grown: number[] } {
  const grown: number[] = []
  return { plain: envelopeStart(DATA), coded: new Map(), onGrowth: (bytes) => void grown.push(bytes), grown }
}

describe('the coder of envelopes', () => {
  it('chooses by the header of the client, from 1 KiB on', () => {
    const { codingFor } = createEnvelopeCoder(() => false)
    const rows: readonly [string | undefined, number, string | undefined][] = [
      ['gzip, deflate, br, zstd', 1024, 'zstd'],
      ['gzip, deflate, br, zstd', 1023, undefined],
      ['gzip, deflate, br', 5000, 'br'],
      ['gzip', 5000, 'gzip'],
      ['zstd;q=0.1, gzip', 5000, 'gzip'],
      ['zstd;q=0, *', 5000, 'br'],
      ['*;q=0', 5000, undefined],
      ['identity', 5000, undefined],
      [undefined, 5000, undefined],
    ]
    // Twice: what a header means is remembered.
    for (const [header, bytes, coding] of [...rows, ...rows]) assert.equal(codingFor(header, bytes), coding, `${header}`)
    for (let i = 0; i < 1_000; i++) assert.equal(codingFor(`gzip, x-${i}`, 5000), 'gzip')
  })

  it('compresses kept bytes once for each coding, however many wait for it', async () => {
    const coder = createEnvelopeCoder(() => true)
    const start = kept()
    const all = await Promise.all(Array.from({ length: 20 }, () => coder.kept(start, 'gzip')))
    assert.equal(new Set(all).size, 1)
    assert.equal(coder.kept(start, 'gzip'), all[0], 'no longer a promise')
    assert.deepEqual(start.grown, [all[0]?.bytes.length])
    assert.equal((await coder.kept(start, 'br')).coding, 'br')
    assert.equal(start.grown.length, 2)
  })

  it('sends kept bytes as they are while two others are being compressed', async () => {
    const coder = createEnvelopeCoder(() => false)
    const [a, b, c] = [kept(), kept(), kept()]
    const making = [coder.kept(a, 'zstd'), coder.kept(b, 'zstd')]
    assert.ok(!coder.mayCompress())
    assert.equal(coder.kept(c, 'zstd'), c.plain)
    await Promise.all(making)
    assert.ok(coder.mayCompress())
    assert.equal((await coder.kept(c, 'zstd')).coding, 'zstd')
  })

  it('attack: large pages, one after the other, are compressed as quickly as those for one client', async () => {
    const coder = createEnvelopeCoder(() => false)
    for (const [length, effort] of [[256 * 1024 - 20, 'kept'], [256 * 1024, 'once']] as const) {
      const plain = envelopeStart(JSON.stringify(Array.from({ length: length / 2 }, (_, i) => i % 977)).slice(0, length))
      const { bytes } = await coder.kept({ plain, coded: new Map(), onGrowth: () => {} }, 'zstd')
      assert.deepEqual(bytes, (await compressStart(plain, 'zstd', effort)).bytes)
    }
  })

  it('compresses for one client only where there is time', async () => {
    let isBusy = true
    const coder = createEnvelopeCoder(() => isBusy)
    assert.ok(!coder.mayCompress())
    isBusy = false
    assert.ok(coder.mayCompress())
    const once = await coder.once(envelopeStart(DATA), 'zstd')
    assert.deepEqual(once.bytes, (await compressStart(envelopeStart(DATA), 'zstd', 'once')).bytes)
  })
})
