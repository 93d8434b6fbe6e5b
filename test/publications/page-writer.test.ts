/** The page of a publication as a text: its parts, its languages, and its weight. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import sample from '../../data/sample.json' with { type: 'json' }
import texts from '../../data/publications.json' with { type: 'json' }
import { PAGE_STYLE_SOURCE } from '../../src/publications/page-style.ts'
import { writePage } from '../../src/publications/page-writer.ts'
import type { Paper, Story } from '../../src/publications/paper.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2026-03-01T12:00:00.000Z')
const PAGE_BYTES_MAX = 15 * 1024
/** The chrome of a page has these. */
const NAMES = ['skip', 'search', 'older', 'feeds', 'contact', 'times'] as const

const stories: readonly Story[] = sample.headlines.slice(0, 30).map(({ title, excerpt, topic, source }, i) => {
  const at = new Date(START - i * 2 * HOUR_MS).toISOString()
  return {
    ...{ id: `s${i}`, title, excerpt, url: `https://harbour.example/${i}`, publishedAt: at, updatedAt: at, imageUrl: `https://harbour.example/${i}.jpg` },
    ...{ topic: { id: topic, name: topic }, source: { id: source, name: source, url: undefined }, eventCountry: { isoCode: 'IS', name: 'Iceland' } },
  }
})
const paper = (more: Partial<Paper> = {}): Paper => ({
  ...{ id: 'p', title: 'Harbour News', description: 'At the quays.', language: 'en', contact: 'news@harbour.example', rights: '© The Post', stories },
  ...{ choice: {}, cursor: undefined, next: 'WyJ4', updatedAt: stories[0]?.updatedAt ?? '', base: 'https://news.example.org/p/harbour/', sortedBy: 'publishedAt', hub: undefined },
  ...more,
})
const page = (more: Partial<Paper> = {}): string => writePage(paper(more), { root: '../' })
const count = (text: string, part: RegExp): number => text.match(part)?.length ?? 0

describe('the page', () => {
  it('weighs less than 15 KB with its style sheet, for thirty stories', () => {
    for (const compress of [brotliCompressSync, gzipSync]) assert.ok(compress(page()).length < PAGE_BYTES_MAX)
  })

  it('has its stories by day, the newest first and large', () => {
    const text = page()
    assert.equal(count(text, /<article/g), 30)
    assert.equal(count(text, /<article class="lead">/g), 1)
    assert.deepEqual([...text.matchAll(/<h2 id="day-([\d-]+)"/g)].map(([, day]) => day), ['2026-03-01', '2026-02-28', '2026-02-27'])
    assert.match(text, /<time datetime="2026-03-01">Sunday, March 1, 2026<\/time>/)
    assert.equal(count(page({ sortedBy: undefined }), /<h2 id="day-/g), 0)
    assert.equal(count(page({ cursor: 'x' }), /class="lead"/g), 0)
  })

  it('loads nothing but pictures, and runs nothing', () => {
    const text = page()
    assert.equal(count(text, /<script|<iframe|<object|style=|\son[a-z]+=/g), 0)
    assert.equal(count(text, /<link rel="stylesheet"/g), 0)
    // It is painted as a whole, which loads nothing.
    assert.equal(count(text, /<link rel="expect" href="#stories" blocking="render">/g), 1)
    // The text that the policy of pages lets in.
    const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    assert.deepEqual(styles, [PAGE_STYLE_SOURCE])
    assert.equal(count(text, /<img /g), 30)
    // Places are kept for pictures, so that nothing moves when they come.
    assert.equal(count(text, /<img src="https:[^>]+ width="\d+" height="\d+"/g), 30)
    assert.equal(count(page({ stories: stories.map((story) => ({ ...story, imageUrl: 'http://harbour.example/x.jpg' })) }), /<img /g), 0)
    const ofSite = { base: 'http://news.internal/p/harbour/', stories: stories.map((story) => ({ ...story, imageUrl: 'http://news.internal/media/x.jpg' })) }
    assert.equal(count(page(ofSite), /<img /g), 30)
    // A picture of the site itself, sent when the site had another name.
    const own = `media/${'0a'.repeat(32)}.webp`
    const ownText = page({ base: '', stories: stories.map((story) => ({ ...story, imageUrl: `http://127.0.0.1:8080/${own}` })) })
    assert.equal(count(ownText, new RegExp(`<img src="\\.\\./\\.\\./${own}"`, 'g')), 30)
  })

  it('names itself to other programs, and is relative where it knows no address', () => {
    const text = page({ choice: { topic: stories[0]?.topic?.id } })
    assert.match(text, /<link rel="canonical" href="https:\/\/news\.example\.org\/p\/harbour\/\?topic=/)
    for (const type of ['atom', 'rss', 'feed']) assert.match(text, new RegExp(`<link rel="alternate" type="application/${type}\\+`))
    assert.match(text, /<meta property="og:title" content="Harbour News: /)
    assert.equal(/canonical|og:url|news\.example\.org/.test(page({ base: '' })), false)
  })

  it('keeps what the reader chose in its links, its feeds and its search', () => {
    const text = page({ choice: { topic: 'a&"b', search: '<x>' }, cursor: 'c' })
    assert.match(text, /<input type="hidden" name="topic" value="a&amp;&quot;b">/)
    assert.match(text, /name="search" value="&lt;x&gt;"/)
    assert.match(text, /href="feed\.atom\?topic=a%26%22b&amp;search=%3Cx%3E"/)
    assert.match(text, /<a rel="next" href="\?topic=a%26%22b&amp;search=%3Cx%3E&amp;cursor=WyJ4">/)
  })

  it('links to its contact, and shows what is none as a text', () => {
    assert.match(page(), /<a href="mailto:news@harbour\.example">Contact<\/a>/)
    assert.match(page({ contact: 'https://harbour.example/c' }), /<a href="https:\/\/harbour\.example\/c">Contact<\/a>/)
    // An address alone, without a subject, a copy or another recipient.
    assert.match(page({ contact: 'a?bcc=b%40evil.example&c,d@harbour.example' }), /href="mailto:a%3Fbcc%3Db%2540evil\.example%26c%2Cd@harbour\.example"/)
    // Stored before it was checked.
    for (const contact of ['call us', 'javascript:alert(1)']) {
      const text = page({ contact })
      assert.ok(text.includes(`<span dir="auto">${contact}</span>`))
      assert.doesNotMatch(text, /Contact<|href="javascript/)
    }
  })

  it('attack: what has markup in any member is a text', () => {
    const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)><!--\u0000\ud800`
    const named = { id: hostile, name: hostile }
    const one: Story = {
      ...{ id: hostile, title: hostile, url: `https://harbour.example/${hostile}`, publishedAt: paper().updatedAt, updatedAt: paper().updatedAt, excerpt: hostile },
      ...{ imageUrl: `https://harbour.example/${hostile}`, imageAlt: hostile, source: { ...named, url: undefined }, topic: named, eventCountry: { isoCode: hostile, name: hostile } },
    }
    const other = { ...one, topic: { ...named, id: `${hostile}2` } }
    const members = { title: hostile, description: hostile, contact: hostile, rights: hostile, stories: [one, other], cursor: hostile, next: hostile }
    for (const choice of [{}, { topic: hostile, source: hostile, search: hostile }]) {
      const text = page({ ...members, choice })
      assert.ok(text.includes('&quot;&#39;&gt;&lt;script&gt;'))
      // Every tag is whole, so that each of its attributes is one of ours.
      const [, ...tags] = text.replace(/<style>.*?<\/style>/s, '').split('<')
      const found = tags.map((tag) => /^\/?([a-z]+[1-6]?|!doctype)((?: [a-z-]+(?:="[^"<>]*")?)*)>/.exec(tag) ?? assert.fail(tag))
      const attributes = found.flatMap(([, , written = '']) => [...written.matchAll(/ ([a-z-]+)(?:="[^"]*")?/g)].map(([, name]) => name))
      assert.deepEqual(attributes.filter((name) => name?.startsWith('on') || name === 'style'), [])
      assert.deepEqual(found.filter(([, name]) => name === 'script'), [])
    }
  })

  it('says that there is nothing, or nothing of that', () => {
    assert.match(page({ stories: [], next: undefined }), /No stories yet\./)
    assert.match(page({ stories: [], next: undefined, choice: { search: 'zebra' } }), /zebra<\/h2>[^]*No stories found\./)
    assert.match(page({ stories: [], next: undefined, choice: { topic: 'gone' } }), /No stories found\./)
  })

  for (const [language, own] of Object.entries(texts)) {
    it(`speaks ${language}`, () => {
      const text = page({ language })
      assert.match(text, new RegExp(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`))
      for (const name of NAMES) assert.ok(text.includes(own[name]), name)
    })
  }

  it('speaks English around stories of another language, and says so', () => {
    const text = page({ language: 'he' })
    assert.match(text, /<html lang="he" dir="rtl">/)
    assert.match(text, /<a class="skip" href="#stories" lang="en" dir="ltr">Skip to stories<\/a>/)
    assert.equal(page({ language: 'xx' }).includes('<html lang="xx" dir="ltr">'), true)
  })

  it('has all texts in each of its languages', () => {
    for (const own of Object.values(texts)) assert.deepEqual(Object.keys(own), Object.keys(texts.en))
  })
})
