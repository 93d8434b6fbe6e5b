/** What a read is sent as: which responses are compressed and when, and which are a 304. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { keptBody } from '../../src/app/publications/publication-formats.ts'
import { compressStart, envelopeStart } from '../../src/http/coded-envelope.ts'
import { createRepresentation, keepEnvelope, type Content, type KeptEnvelope, type Represent } from '../../src/http/representation.ts'
import type { HttpResponse } from '../../src/http/exchange.ts'

const DATA = JSON.stringify('la '.repeat(5_000))
const FACTS = { tag: '"t"', caching: 'no-cache' }
const GZIP = { headers: { 'accept-encoding': 'gzip' } }

const headersOf = (response: HttpResponse): Readonly<Record<string, string>> => response.headers ?? {}
const keep = (data = DATA, grown: number[] = []): KeptEnvelope => keepEnvelope(data, (bytes) => void grown.push(bytes))
const sendKept = (represent: Represent, kept: KeptEnvelope) => represent(GZIP, { kind: 'kept', kept }, FACTS)

describe('the representation of data', () => {
  it('is compressed with gzip for clients that read it, from 1 KiB on', async () => {
    const represent = createRepresentation(() => false)
    const rows: readonly [string | undefined, number, string | undefined][] = [
      ['gzip, deflate, br, zstd', 1024, 'gzip'],
      ['gzip, deflate, br, zstd', 1023, undefined],
      ['br, zstd', 5000, undefined],
      ['gzip;q=0.5, identity;q=0.1', 5000, 'gzip'],
      ['gzip;q=0.5, identity', 5000, undefined],
      ['gzip;q=0, *', 5000, undefined],
      ['*', 5000, 'gzip'],
      ['identity', 5000, undefined],
      [undefined, 5000, undefined],
    ]
    // Twice: what a header means is remembered.
    for (const [accept, length, coding] of [...rows, ...rows]) {
      const headers = accept === undefined ? {} : { 'accept-encoding': accept }
      const response = await represent({ headers }, { kind: 'text', data: 'x'.repeat(length) }, FACTS)
      const expected = { ETag: coding === undefined ? '"t"' : '"t-gzip"', ...(coding && { 'Content-Encoding': coding }) }
      assert.deepEqual(headersOf(response), { ...expected, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' }, String(accept))
    }
    for (let i = 0; i < 1_000; i++) {
      const response = await represent({ headers: { 'accept-encoding': `gzip, x-${i}` } }, { kind: 'text', data: DATA }, FACTS)
      assert.equal(headersOf(response)['Content-Encoding'], 'gzip')
    }
  })

  it('is compressed once where it is kept, however many wait for it', async () => {
    const represent = createRepresentation(() => true)
    const grown: number[] = []
    const kept = keep(DATA, grown)
    const all = await Promise.all(Array.from({ length: 20 }, () => sendKept(represent, kept)))
    const starts = new Set(all.map((one) => (one.kind === 'prepared' ? one.start : undefined)))
    const [start] = starts
    assert.deepEqual([starts.size, grown], [1, [start?.bytes.length]])
    assert.ok(!(sendKept(represent, kept) instanceof Promise), 'no longer a promise')
  })

  it('is sent as it is while two others are being compressed', async () => {
    const represent = createRepresentation(() => false)
    const [a, b, c] = [keep(), keep(), keep()]
    const making = [sendKept(represent, a), sendKept(represent, b)]
    const meanwhile = [sendKept(represent, c), represent(GZIP, { kind: 'text', data: DATA }, FACTS)]
    for (const response of meanwhile) assert.equal(headersOf(response as HttpResponse)['Content-Encoding'], undefined)
    await Promise.all(making)
    for (const response of [await sendKept(represent, c), await represent(GZIP, { kind: 'text', data: DATA }, FACTS)]) {
      assert.equal(headersOf(response)['Content-Encoding'], 'gzip')
    }
  })

  it('attack: large pages, one after the other, are compressed as quickly as those for one client', async () => {
    for (const [length, effort] of [[256 * 1024 - 20, 'kept'], [256 * 1024, 'once']] as const) {
      const data = JSON.stringify(Array.from({ length: length / 2 }, (_, i) => i % 977)).slice(0, length)
      const response = await sendKept(createRepresentation(() => false), keep(data))
      assert.ok(response.kind === 'prepared')
      assert.deepEqual(response.start, await compressStart(envelopeStart(data), effort))
    }
  })

  it('is compressed for one client only where there is time', async () => {
    let isBusy = true
    const represent = createRepresentation(() => isBusy)
    assert.equal((await represent(GZIP, { kind: 'text', data: DATA }, FACTS)).kind, 'data')
    isBusy = false
    const response = await represent(GZIP, { kind: 'text', data: DATA }, FACTS)
    assert.ok(response.kind === 'prepared')
    assert.deepEqual(response.start, await compressStart(envelopeStart(DATA), 'once'))
  })

  it('is a 304 with the tag by which the client knows it', async () => {
    const response = await createRepresentation()(GZIP, { kind: 'known' }, { ...FACTS, tag: '"t-gzip"' })
    assert.deepEqual(response, { kind: 'empty', status: 304, headers: { ETag: '"t-gzip"', Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' } })
  })
})

describe('the representation of a kept body', () => {
  it('is compressed once in each coding, and its memory is what is counted', async () => {
    const represent = createRepresentation(() => true)
    const grown: number[] = []
    const rendered = { text: '<p>story</p>\n'.repeat(300), type: 'text/html', lastModified: 'Sun, 01 Mar 2026 12:00:00 GMT' }
    const kept = keptBody(rendered, 'kept', (bytes) => void grown.push(bytes))
    for (const [coding, decode] of [['br', brotliDecompressSync], ['gzip', gunzipSync]] as const) {
      const ask = () => represent({ headers: { 'accept-encoding': coding } }, { kind: 'body', kept }, FACTS)
      const all = await Promise.all([ask(), ask(), ask()])
      for (const one of all) assert.ok(one.kind === 'raw' && typeof one.body !== 'string' && decode(one.body).toString() === rendered.text && headersOf(one)['Content-Encoding'] === coding)
      assert.ok(!(ask() instanceof Promise), 'no longer a promise')
    }
    const forms = [kept.plain, kept.coded.br, kept.coded.gzip].map((form) => (form as typeof kept.plain).bytes)
    assert.deepEqual(forms.map(({ buffer }) => buffer.byteLength), [Buffer.byteLength(rendered.text), ...grown])
  })
})

describe('the representation of a file', () => {
  const body = Buffer.from('<html>')
  const file: Content = { kind: 'file', type: 'text/html', body, coded: new Map([['br', Buffer.from('b')], ['gzip', Buffer.from('g')]]) }
  const facts = { ...FACTS, headers: { 'X-A': '1' } }
  const represent = createRepresentation(() => true)
  const rows: readonly [string, Readonly<Record<string, string>>, status: number, body: string, tag: string][] = [
    ['as it is', {}, 200, '<html>', '"t"'],
    ['in the better coding', { 'accept-encoding': 'gzip, br' }, 200, 'b', '"t-br"'],
    ['in the coding that the client reads', { 'accept-encoding': 'gzip' }, 200, 'g', '"t-gzip"'],
    ['not at all to a client that has it', { 'accept-encoding': 'gzip', 'if-none-match': '"x", W/"t-gzip"' }, 304, '', '"t-gzip"'],
    ['not at all to a client that has any', { 'if-none-match': '*' }, 304, '', '"t"'],
    ['where what the client has cannot be read', { 'if-none-match': 'x, "t"' }, 200, '<html>', '"t"'],
    ['where the client has another version', { 'if-none-match': '"u"' }, 200, '<html>', '"t"'],
  ]
  for (const [name, headers, status, text, tag] of rows) {
    it(`is sent ${name}`, async () => {
      const response = await represent({ headers }, file, facts)
      assert.ok(response.kind === 'raw')
      assert.deepEqual([response.status, Buffer.from(response.body).toString()], [status, text])
      assert.deepEqual([headersOf(response)['ETag'], headersOf(response)['X-A'], headersOf(response)['Vary']], [tag, '1', 'Accept-Encoding'])
    })
  }

  it('without a tag is never a 304', async () => {
    const response = await represent({ headers: { 'if-none-match': '*' } }, file, { tag: undefined, caching: 'no-store' })
    assert.deepEqual([response.status, headersOf(response)['ETag']], [200, undefined])
  })
})
