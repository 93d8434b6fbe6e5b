import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../../src/base/failure.ts'
import { readFeed } from '../../../src/feeds/reading/read-feed.ts'
import { fuzzFeed } from '../../support/feeds/feed-fuzz.ts'
import { SAMPLE_ADDRESS, SAMPLE_ATOM, SAMPLE_JSON, SAMPLE_NOW, SAMPLE_RDF, SAMPLE_RSS } from '../../support/feeds/sample-feeds.ts'
import { fuzzRun } from '../../../scripts/tools/long-run.ts'
import { seededRandom, seedOfTest } from '../../../scripts/tools/random.ts'

const OPTIONS = { address: SAMPLE_ADDRESS, now: SAMPLE_NOW }
const read = (text: string) => readFeed(Buffer.from(text), OPTIONS)

describe('readFeed()', () => {
  it('reads RSS 2.0 with its modules', () => {
    assert.deepEqual(read(SAMPLE_RSS), {
      format: 'rss',
      title: 'Harbour & Sea',
      description: 'News of the harbour',
      language: 'en-GB',
      link: 'https://harbour.example/',
      self: 'https://harbour.example/feed.xml',
      picture: 'https://harbour.example/logo.png',
      hub: 'https://hub.example/',
      updateMinutes: 30,
      items: [
        {
          id: 'ferry-1',
          title: 'New ferry – two boats a day',
          link: 'https://harbour.example/ferry?from=feed&day=1',
          excerpt: 'Two boats a day. From next week.',
          published: '2026-03-03T08:30:00.000Z',
          picture: 'https://cdn.example/large.jpg',
          author: 'Ann Pilot',
          categories: ['Transport', 'Sea & ships'],
        },
        {
          id: 'https://harbour.example/pilots',
          title: 'Pilots wanted',
          link: 'https://harbour.example/pilots',
          excerpt: "The pilots' office looks for three.",
          published: '2026-03-02T08:00:00.000Z',
          picture: 'https://harbour.example/pilots.jpg',
          categories: [],
        },
      ],
      leftOut: 0,
      problems: [],
    })
  })

  it('reads Atom 1.0 with bases, languages and types of text', () => {
    assert.deepEqual(read(SAMPLE_ATOM), {
      format: 'atom',
      title: 'Hafen & Meer',
      description: 'Nachrichten',
      language: 'de',
      link: 'https://hafen.example/',
      self: 'https://hafen.example/atom.xml',
      picture: 'https://hafen.example/icon.png',
      items: [
        {
          id: 'tag:hafen.example,2026:1',
          title: 'Neue Fähre 1 < 2',
          link: 'https://hafen.example/2026/faehre',
          excerpt: 'Zwei Schiffe am Tag.',
          published: '2026-03-01T09:00:00.000Z',
          updated: '2026-03-01T11:00:00.500Z',
          picture: 'https://hafen.example/2026/faehre.jpg',
          author: 'Redaktion',
          language: 'de',
          categories: ['Verkehr'],
        },
        {
          id: 'tag:hafen.example,2026:2',
          title: 'Aus <b> wird nichts &amp; mehr',
          link: 'https://andere.example/b',
          excerpt: 'Aus der Gruppe',
          updated: '2026-02-28T10:00:00.000Z',
          picture: 'https://cdn.example/t.jpg',
          author: 'Bo, Ida',
          language: 'de',
          categories: [],
        },
      ],
      leftOut: 0,
      problems: [],
    })
  })

  it('reads RSS 1.0, whose items stand beside the channel', () => {
    const { items, ...feed } = read(SAMPLE_RDF)
    assert.deepEqual(feed, {
      format: 'rss',
      title: 'Porto',
      language: 'pt',
      link: 'https://porto.example/',
      picture: 'https://porto.example/logo.png',
      leftOut: 0,
      problems: [],
    })
    assert.deepEqual(items, [
      {
        id: 'https://porto.example/1',
        title: 'Novo barco',
        link: 'https://porto.example/1',
        excerpt: 'Dois por dia.',
        published: '2026-03-01T00:00:00.000Z',
        categories: ['mar'],
      },
    ])
  })

  it('reads JSON Feed 1.1', () => {
    assert.deepEqual(read(SAMPLE_JSON), {
      format: 'json',
      title: 'Port & mer',
      language: 'fr',
      link: 'https://port.example/',
      self: 'https://port.example/feed.json',
      picture: 'https://port.example/icon.png',
      hub: 'https://hub.example/',
      items: [
        {
          id: '7',
          title: 'Un nouveau ferry',
          link: 'https://port.example/7',
          excerpt: 'Deux bateaux par jour.',
          published: '2026-03-01T09:00:00.000Z',
          updated: '2026-03-02T10:00:00.000Z',
          picture: 'https://port.example/7.jpg',
          author: 'Rédaction',
          language: 'fr-FR',
          categories: ['transport', 'mer'],
        },
        {
          id: 'https://port.example/8',
          link: 'https://autre.example/8',
          excerpt: 'Un texte sans titre, 1 < 2.',
          picture: 'https://port.example/8.png',
          author: 'Léa, Luc',
          categories: [],
        },
      ],
      leftOut: 0,
      problems: [],
    })
  })

  it('reads a title as HTML where its type says so, or where it looks like it', () => {
    const rows: [feed: string, title: string][] = [
      ['<rss><item><title>The &lt;dialog&gt; element</title></item></rss>', 'The <dialog> element'],
      ['<rss><item><title>A &lt;em&gt;new&lt;/em&gt; ferry</title></item></rss>', 'A new ferry'],
      ['<rss><item><title>Fish &amp;amp; chips &amp;#8217;</title></item></rss>', 'Fish & chips ’'],
      ['<feed><entry><title type="html">The &lt;dialog> element</title></entry></feed>', 'The element'],
      ['<feed><entry><title>The &lt;dialog> &amp;amp; element</title></entry></feed>', 'The <dialog> &amp; element'],
      ['<feed><entry><title>A &lt;em>new&lt;/em> ferry</title></entry></feed>', 'A new ferry'],
      ['<feed version="0.3"><entry><title mode="escaped" type="text/html">A &lt;b>ferry&lt;/b></title></entry></feed>', 'A ferry'],
      ['<feed version="0.3"><entry><title mode="xml">A <b>ferry</b> &amp;lt;</title></entry></feed>', 'A ferry &lt;'],
      ['<feed><entry><title type="xhtml">A &lt;b>ferry&lt;/b></title></entry></feed>', 'A ferry'],
      ['\ufeff\ufeff{"items": [{"title": "Fish &amp; <i>chips</i>"}]}', 'Fish & chips'],
    ]
    for (const [feed, title] of rows) assert.equal(read(feed).items[0]?.title, title, feed)
  })

  it('takes the picture that is made for the item, and the largest', () => {
    const rows: [members: string, picture: string | undefined][] = [
      ['<media:thumbnail url="/t.jpg"/><media:content url="/c.jpg"/>', '/c.jpg'],
      ['<media:content url="/s.jpg" type="image/jpeg" width="80"/><media:content url="/l" medium="image" width="800"/>', '/l'],
      ['<media:content url="/v.mp4" type="video/mp4"><media:thumbnail url="/t.jpg"/></media:content>', '/t.jpg'],
      ['<media:group><media:content url="/v" type="video/mp4"/><media:thumbnail url="/t.jpg"/></media:group>', '/t.jpg'],
      ['<media:content url="/untyped?width=300"/>', '/untyped?width=300'],
      ['<media:content url="/sound.mp3"/>', undefined],
      ['<enclosure url="/a.mp3" type="audio/mpeg"/><itunes:image href="/i.jpg"/>', '/i.jpg'],
      ['<enclosure url="/e.png" length="1"/><description>&lt;img src="/d.jpg"></description>', '/e.png'],
      ['<image><url>/u.jpg</url><title>x</title></image>', '/u.jpg'],
      ['<description>&lt;p>text&lt;/p></description><content:encoded>&lt;img src="/1.gif" width="1">&lt;img src="/2.jpg"></content:encoded>', '/2.jpg'],
      ['<description>text</description>', undefined],
    ]
    for (const [members, picture] of rows) {
      const wanted = picture === undefined ? undefined : `https://harbour.example${picture}`
      assert.equal(read(`<rss><item><link>/x</link>${members}</item></rss>`).items[0]?.picture, wanted, members)
    }
  })

  it('takes authors by their names', () => {
    const rows: [members: string, author: string | undefined][] = [
      ['<author>ann@harbour.example (Ann Pilot)</author>', 'Ann Pilot'],
      ['<author>Ann Pilot (ann@harbour.example)</author>', 'Ann Pilot'],
      ['<author>Ann Pilot &lt;ann@harbour.example&gt;</author>', 'Ann Pilot'],
      ['<author>ann@harbour.example</author>', 'ann@harbour.example'],
      ['<dc:creator>Ann</dc:creator><dc:creator>Bo</dc:creator>', 'Ann, Bo'],
      ['<author><name>Ann</name><email>ann@harbour.example</email></author>', 'Ann'],
      ['<author><email>ann@harbour.example</email></author>', 'ann@harbour.example'],
      ['<itunes:author>Ann</itunes:author>', 'Ann'],
      ['<media:content url="/a.jpg"><media:credit>A photographer</media:credit></media:content>', undefined],
      ['<source><author><name>Ida</name></author></source>', 'Ida'],
    ]
    for (const [members, author] of rows) assert.equal(read(`<rss><item>${members}</item></rss>`).items[0]?.author, author, members)
  })

  it('takes the link that leads to the page', () => {
    const rows: [members: string, link: string | undefined][] = [
      ['<link>  https://a.example/1\n</link><guid>https://a.example/2</guid>', 'https://a.example/1'],
      ['<guid>https://a.example/2</guid>', 'https://a.example/2'],
      ['<guid isPermaLink="false">https://a.example/2</guid>', undefined],
      ['<guid>no-address</guid>', undefined],
      ['<link>https://feeds.example/~r/1</link><feedburner:origLink>https://a.example/1</feedburner:origLink>', 'https://a.example/1'],
      ['<atom:link rel="self" href="https://a.example/self"/><link>https://a.example/1</link>', 'https://a.example/1'],
      ['<link rel="alternate" type="application/json" href="/j"/><link rel="alternate" type="text/html" href="/h"/>', 'https://harbour.example/h'],
      ['<link rel="related" href="/r"/><link rel="http://www.iana.org/assignments/relation/alternate" href="/a"/>', 'https://harbour.example/a'],
      ['<enclosure url="/a.mp3" type="audio/mpeg"/>', 'https://harbour.example/a.mp3'],
      ['<link>www.a.example/1</link>', 'http://www.a.example/1'],
      ['<link>feed://a.example/1</link>', 'http://a.example/1'],
      ['<link>//a.example/1</link>', 'https://a.example/1'],
      ['<link>https://user:secret@a.example/ä b</link>', 'https://a.example/%C3%A4%20b'],
    ]
    for (const [members, link] of rows) assert.equal(read(`<rss><item>${members}</item></rss>`).items[0]?.link, link, members)
  })

  it('reads how often a feed is updated', () => {
    const rows: [members: string, minutes: number | undefined][] = [
      ['<ttl>60</ttl>', 60],
      ['<ttl>60</ttl><sy:updatePeriod>daily</sy:updatePeriod>', 60],
      ['<sy:updatePeriod>Daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>', 360],
      ['<sy:updatePeriod>weekly</sy:updatePeriod>', 10_080],
      ['<ttl>-5</ttl>', undefined],
      ['<ttl>1e99</ttl>', undefined],
      ['<ttl>soon</ttl>', undefined],
      ['<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>0</sy:updateFrequency>', undefined],
    ]
    for (const [members, minutes] of rows) assert.equal(read(`<rss><channel>${members}</channel></rss>`).updateMinutes, minutes, members)
  })

  it('says what it found in place of a feed', () => {
    const rows: [text: string, wanted: RegExp][] = [
      ['<!doctype html><html><head><title>A page</title></head></html>', /found a web page$/],
      ['<html xmlns="http://www.w3.org/1999/xhtml"><entry><title>A</title></entry></html>', /found a web page$/],
      ['<opml><body><outline xmlUrl="x"/></body></opml>', /found a list of feeds \(OPML\)$/],
      ['<svg xmlns="http://www.w3.org/2000/svg"/>', /found the element <svg>$/],
      [' \n', /found an empty document$/],
      ['Not found', /found a text without elements$/],
      ['{"items": 1}', /found other JSON$/],
      ['{"items": [', /as JSON: it ends too early$/],
    ]
    for (const [text, wanted] of rows) {
      assert.throws(() => read(text), (error) => error instanceof Failure && error.code === 'invalidInput' && wanted.test(error.message), text)
    }
  })

  it('reads damaged feeds, and gives nothing but texts and addresses of the web', () => {
    const random = seededRandom(seedOfTest())
    const found = { read: 0, rejected: 0 }
    for (let i = 0; i < fuzzRun(2_000, 50_000); i++) found[fuzzFeed(random)]++
    assert.ok(found.read > found.rejected && found.rejected > 0, JSON.stringify({ seed: random.seed, ...found }))
  })
})
