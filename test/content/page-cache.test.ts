/** The memory for pages: what enters, what is evicted, and that its bytes are bounded and counted. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPageCache, type Page, type PageCache } from '../../src/content/reads/page-cache.ts'
import { topic } from '../../src/models/topic.ts'

const KIB = 1024
const DATA = JSON.stringify('x'.repeat(10 * KIB))

/** What is kept of a result is what adds bytes to it. */
type Kept = (bytes: number) => void

function keep(pages: PageCache<Kept>, key: string, { data = DATA, text = `text of ${key}` } = {}): Page<Kept> {
  const facts = { key, model: topic, rests: [topic], weight: 0, restVersions: '1', revision: 1, version: 't' }
  return pages.keep(facts, { bytes: data.length, keep: (grow) => grow }, text)
}

describe('the memory for pages', () => {
  it('takes a page at its second request within a minute', () => {
    let time = 1_000_000
    const pages = createPageCache<Kept>({ bytesMax: 1024 * KIB, now: () => time })
    assert.ok(!pages.missed('a'))
    assert.ok(pages.missed('a'))
    assert.ok(!pages.missed('b'))
    time += 60_001
    assert.ok(!pages.missed('b'), 'too late')
    time += 60_000
    assert.ok(pages.missed('b'))
    assert.ok(!createPageCache<Kept>({ bytesMax: 0, now: () => time }).missed('a'), 'without memory nothing enters')
    assert.ok(!pages.missed('l'.repeat(5_000)) && !pages.missed('l'.repeat(5_000)), 'long texts are not kept')
  })

  it('takes a changed page again at once where the one before was read, and as a new one where it was not', () => {
    const pages = createPageCache<Kept>({ bytesMax: 1024 * KIB, now: () => 1_000_000 })
    pages.used(keep(pages, 'read'))
    assert.ok(pages.missed('read'))
    keep(pages, 'unread')
    assert.ok(!pages.missed('unread'))
    assert.equal(pages.byKey('unread', undefined), undefined)
    assert.equal(pages.byText('text of unread'), undefined)
  })

  it('attack: requests that come once, however many, push out nothing', () => {
    const pages = createPageCache<Kept>({ bytesMax: 256 * KIB, now: () => 1_000_000 })
    const hot = keep(pages, 'hot')
    let early = 0
    for (let i = 0; i < 100_000; i++) if (pages.missed(`once ${i}`)) early++
    // Hashes may be equal by chance: once in half a million requests.
    assert.ok(early <= 5, `${early} of them count as second requests`)
    assert.equal(pages.byText('text of hot'), hot)
    assert.equal(pages.counts().evictions, 0)
  })

  it('attack: pages that come twice push out those that are not read, and never what is read between', () => {
    const pages = createPageCache<Kept>({ bytesMax: 256 * KIB, now: () => 1_000_000 })
    const hot = keep(pages, 'hot')
    for (let i = 0; i < 1_000; i++) {
      keep(pages, `twice ${i}`)
      pages.used(hot)
      assert.ok(pages.counts().bytes <= 256 * KIB)
    }
    assert.equal(pages.byText('text of hot'), hot)
    assert.ok(pages.counts().evictions > 900)
  })

  it('attack: a page under ever new texts has a few, and its bytes are bounded', () => {
    const pages = createPageCache<Kept>({ bytesMax: 256 * KIB, now: () => 1_000_000 })
    const page = keep(pages, 'one')
    const before = pages.counts().bytes
    for (let i = 0; i < 1_000; i++) assert.equal(pages.byKey('one', `text ${i} ${'y'.repeat(1_000)}`), page)
    assert.equal(pages.byText('text 0 '), undefined)
    assert.ok(pages.counts().bytes < before + 8 * 2_300, `${pages.counts().bytes}`)
    assert.equal(pages.byKey('one', 'z'.repeat(5_000)), page)
    assert.equal(pages.byText('z'.repeat(5_000)), undefined)
  })

  it('counts what other forms add, and nothing when all is gone', () => {
    const pages = createPageCache<Kept>({ bytesMax: 256 * KIB, now: () => 1_000_000 })
    const page = keep(pages, 'one')
    const { bytes } = pages.counts()
    assert.ok(bytes > DATA.length && bytes < DATA.length + 3 * KIB, `${bytes}`)
    page.kept?.(3_000)
    assert.equal(pages.counts().bytes, bytes + 3_000)
    for (let i = 0; i < 100; i++) keep(pages, `other ${i}`)
    const full = pages.counts().bytes
    page.kept?.(1_000)
    assert.equal(pages.counts().bytes, full, 'a page that was evicted counts no more')
  })

  it('keeps no page that is larger than an eighth of all', () => {
    const pages = createPageCache<Kept>({ bytesMax: 64 * KIB, now: () => 1_000_000 })
    keep(pages, 'large')
    assert.deepEqual(pages.counts(), { hits: 0, misses: 0, admissions: 0, evictions: 0, bytes: 0, pages: 0 })
  })
})
