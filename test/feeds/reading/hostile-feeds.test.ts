/**
 * Feeds that someone wrote to harm their reader: to use up its time and memory, or to bring script into the pages that
 * show headlines. Work is counted in bytes of the result, and in time only where a quadratic reader would need minutes.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../../src/base/failure.ts'
import { pageKey } from '../../../src/base/page-address.ts'
import type { Feed } from '../../../src/feeds/feed.ts'
import { decodeFeed } from '../../../src/feeds/reading/feed-encoding.ts'
import { readFeed } from '../../../src/feeds/reading/read-feed.ts'
import { assertFeed } from '../../support/feeds/feed-fuzz.ts'
import { SAMPLE_ADDRESS, SAMPLE_NOW } from '../../support/feeds/sample-feeds.ts'

const read = (text: string | Uint8Array): Feed => {
  const feed = readFeed(typeof text === 'string' ? Buffer.from(text) : text, { address: SAMPLE_ADDRESS, now: SAMPLE_NOW })
  assertFeed(feed)
  return feed
}
const rss = (items: string) => `<rss version="2.0"><channel><title>T</title>${items}</channel></rss>`
const atom = (entries: string) => `<feed xmlns="http://www.w3.org/2005/Atom">${entries}</feed>`

describe('a feed that wants time and memory', () => {
  it('with a billion laughs gets none', () => {
    const names = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`)
    const feed = read(`<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "lol">${names.join('')}]>${rss('<item><title>&l10;</title></item>')}`)
    assert.equal(feed.items[0]?.title, '&l10;')
  })

  it('with a name of four megabytes around a hundred thousand items does not look at the name for each', () => {
    const name = 'a'.repeat(4_000_000)
    assert.equal(read(`<rss version="2.0"><channel><${name}>${'<item><title>A</title></item>'.repeat(100_000)}</${name}></channel></rss>`).items.length, 500)
  })

  it('with a link of thousands of slashes makes no work of its page', () => {
    assert.equal(pageKey(`https://harbour.example/${'/'.repeat(1_000_000)}x`)?.length, 22)
    assert.equal(pageKey('https://harbour.example/a///'), pageKey('http://harbour.example/a'))
  })

  it('with a hundred thousand levels is read down to 200 of them', () => {
    const feed = read(rss(`<item><title>A</title>${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}</item><item><title>B</title></item>`))
    assert.deepEqual(feed.items.map(({ title }) => title), ['A', 'B'])
    assert.match(feed.problems.map(({ message }) => message).join(' '), /nested deeper than 200 levels/)
    const unclosed = read(rss(`<item><title>A</title>${'<a>'.repeat(1_000)}</item><item><title>B</title></item><item><title>C</title></item>`))
    assert.deepEqual(unclosed.items.map(({ title }) => title), ['A', 'B', 'C'])
    assert.equal(read(rss(`<item><description>${'<div>'.repeat(100_000)}text</description></item>`)).items[0]?.excerpt, 'text')
    const json = `{"version": "https://jsonfeed.org/version/1", "items": [{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`
    assert.throws(() => read(json), (error) => error instanceof Failure && /nested deeper than/.test(error.message))
  })

  it('with a title of 10 MB has a title of a thousand characters', () => {
    const title = 'x'.repeat(10_000_000)
    for (const text of [rss(`<item><title>${title}</title><guid>${title}</guid><link>https://a.example/${title}</link></item>`), JSON.stringify({ items: [{ title, id: title, url: title }] })]) {
      const { items } = read(text)
      assert.equal(items[0]?.title?.length, 1_000)
      assert.deepEqual([items[0].id, items[0].link], [undefined, undefined])
    }
  })

  it('with 100,000 items has 500, and says how many are left out', () => {
    for (const text of [
      rss('<item><title>A</title></item>'.repeat(100_000)),
      atom('<entry><title>A</title></entry>'.repeat(100_000)),
      `{"items": [${'{"title": "A"},'.repeat(99_999)}{"title": "A"}]}`,
    ]) {
      const feed = read(text)
      assert.deepEqual([feed.items.length, feed.leftOut], [500, 99_500])
    }
  })

  it('with a million members is read up to a bound', () => {
    const feed = read(rss(`<item><title>A</title>${'<category>a</category>'.repeat(1_000_000)}</item><item><title>B</title></item>`))
    assert.deepEqual(feed.items.map(({ title }) => title), ['A', 'B'])
    assert.match(feed.problems.map(({ message }) => message).join(' '), /there are too many elements/)
    const attributes = Array.from({ length: 100_000 }, (_, i) => `xmlns:a${i}="http://a${i}.example/"`).join(' ')
    assert.equal(read(rss(`<item ${attributes}><title>A</title></item>`)).items.length, 1)
  })
})

describe('a feed that wants to run script', () => {
  const scripts = [
    ...['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<svg/onload=alert(1)>', '<iframe src="javascript:alert(1)"></iframe>'],
    ...['<a href="javascript:alert(1)">x</a>', '<scr<script>ipt>alert(1)</script>', '<SCRIPT\n>alert(1)</SCRIPT\n>', '"><script>alert(1)</script>'],
    ...['<math><mtext><img src=x onerror=alert(1)>', '<style>@import "javascript:alert(1)"</style>', '<x onclick=alert(1)>', '<!--><script>alert(1)</script>-->'],
  ]
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
  const wraps: [name: string, wrap: (script: string) => string][] = [
    ['escaped in RSS', (one) => rss(`<item><title>${escaped(one)}</title><description>${escaped(one)}</description></item>`)],
    ['as it is in RSS', (one) => rss(`<item><title>${one}</title><description>${one}</description></item>`)],
    ['in CDATA', (one) => rss(`<item><title><![CDATA[${one}]]></title><content:encoded><![CDATA[${one}]]></content:encoded></item>`)],
    ['in HTML of Atom', (one) => atom(`<entry><title type="html">${escaped(one)}</title><content type="html">${escaped(one)}</content></entry>`)],
    ['in XHTML of Atom', (one) => atom(`<entry><title type="xhtml"><div>${one}</div></title><summary type="xhtml"><div>${one}</div></summary></entry>`)],
    ['in base64', (one) => atom(`<entry><title mode="base64">${Buffer.from(one).toString('base64')}</title></entry>`)],
    ['in HTML of JSON Feed', (one) => JSON.stringify({ items: [{ title: one, content_html: one, summary: one }] })],
  ]
  for (const [name, wrap] of wraps) {
    it(`has none in its texts, ${name}`, () => {
      for (const script of scripts) {
        const [{ title = '', excerpt = '' } = {}] = read(wrap(script)).items
        for (const text of [title, excerpt]) assert.doesNotMatch(text, /<\/?(?:script|img|svg|iframe|a|style|math|x)\b/i, script)
      }
    })
  }

  it('has no address but those of the web', () => {
    const bad = ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' java\nscript:alert(1)', '\u0001javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd']
    for (const address of [...bad, 'feed:javascript:alert(1)', 'blob:https://a.example/x', 'https://', 'http://[::1', 'mailto:a@b.example']) {
      const items = `<item><title>A</title><link>${address}</link><guid>${address}</guid><enclosure type="image/png" url="${address}"/><media:thumbnail url="${address}"/>
        <itunes:image href="${address}"/><description>&lt;img src="${address}"></description><atom:link href="${address}"/></item>`
      const feed = read(rss(`<link>${address}</link><image><url>${address}</url></image><atom:link rel="self" href="${address}"/><atom:link rel="hub" href="${address}"/>${items}`))
      const found = [feed.link, feed.self, feed.hub, feed.picture, feed.items[0]?.link, feed.items[0]?.picture]
      assert.deepEqual(found, found.map(() => undefined), address)
      const json = read(JSON.stringify({ home_page_url: address, icon: address, items: [{ id: address, url: address, image: address, content_html: `<img src="${address}">` }] }))
      assert.deepEqual([json.link, json.picture, json.items[0]?.link, json.items[0]?.picture], [undefined, undefined, undefined, undefined], address)
    }
  })

  it('cannot make relative addresses lead elsewhere by a base', () => {
    for (const base of ['javascript:alert(1)//', 'data:text/html,', 'file:///', 'http://[', '']) {
      const [item] = read(atom(`<entry xml:base="${base}"><link href="/x"/></entry>`)).items
      assert.equal(item?.link, 'https://harbour.example/x')
    }
  })

  it('cannot reach the objects of the program by its names', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const members = names.map((name) => `<${name} ${name}="x">y</${name}>&${name};`).join('')
    const references = names.map((name) => `&${name};`).join(' ')
    const [item] = read(rss(`<item xmlns:constructor="constructor"><title>${references}</title>${members}<constructor:x/><pubDate>1 Jan 2004 10:00 constructor</pubDate></item>`)).items
    assert.deepEqual([item?.title, item?.published], [references, '2004-01-01T10:00:00.000Z'])
    assert.equal(decodeFeed(Buffer.from('<rss/>'), 'text/xml; charset=constructor').encoding, 'utf-8')
    const json = read('{"items": [{"title": "A", "__proto__": {"link": "x"}, "constructor": 1, "authors": [{"name": {"toString": 1}}]}]}')
    assert.deepEqual(json.items, [{ title: 'A', categories: [] }])
    assert.equal(read(rss('<sy:updatePeriod>constructor</sy:updatePeriod><sy:updateFrequency>-0</sy:updateFrequency>')).updateMinutes, undefined)
  })

  it('has no languages but tags of languages', () => {
    const bad = '"><script>alert(1)</script>'
    const feed = read(rss(`<language>${bad}</language><item xml:lang="${'x'.repeat(1_000_000)}"><dc:language>en us</dc:language></item>`))
    assert.deepEqual([feed.language, feed.items[0]?.language], [undefined, undefined])
    assert.equal(read(JSON.stringify({ language: bad, items: [{ language: 'en\n' }] })).items[0]?.language, 'en')
  })

  it('has no broken surrogates', () => {
    assert.equal(read(rss('<item><title>a&#xd83d;b &#xd83d;&#xde00;</title></item>')).items[0]?.title, 'a\ufffdb \ufffd\ufffd')
    assert.equal(read('{"items": [{"title": "a\\ud83d b", "tags": ["\\udc00"]}]}').items[0]?.title, 'a\ufffd b')
  })
})
