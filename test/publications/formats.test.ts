/** The three feeds of a publication, read back by our own reader: it finds what was written, whatever the texts are. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFeed } from '../../src/feeds/reading/read-feed.ts'
import { writeAtom } from '../../src/publications/atom-writer.ts'
import { writeItems, writeJsonFeed } from '../../src/publications/json-writers.ts'
import { permanentId, webLink, type Paper, type Story } from '../../src/publications/paper.ts'
import { writeRss } from '../../src/publications/rss-writer.ts'

const TEXTS = ['Ferries', 'a < b && c > d', '<b>bold</b> &amp; <script>x</script>', '“Quotes” & \'more\'', ']]><!-- --> <![CDATA[x]]>', 'العبّارات', '🚢 & 🏳️‍🌈', 'A\u0007B\u0000C', '100 % &#38; &lt;i&gt;']
const ADDRESS = 'https://news.example.org/p/harbour/'

const story = (text: string, i: number): Story => ({
  ...{ id: `66f00000000000000000050${i}`, title: text, url: `https://harbour.example/${i}?a=1&b=2` },
  ...{ publishedAt: `2026-03-0${i + 1}T09:30:00.000Z`, updatedAt: `2026-03-1${i}T08:00:00.000Z`, excerpt: text },
  ...{ imageUrl: `https://harbour.example/${i}.jpg?w=1&h=2`, source: { id: 's', name: `Post ${text}`, url: 'https://harbour.example/' } },
  ...{ topic: { id: 't', name: `T ${text}` }, eventCountry: { isoCode: 'IS', name: 'Iceland' } },
})

const PAPER: Paper = {
  ...{ id: '66f000000000000000000801', title: 'News <&> "more"', description: 'At the quays & beyond', language: 'en', contact: 'news@harbour.example', rights: '© <us>' },
  ...{ stories: TEXTS.map(story), choice: {}, cursor: undefined, next: 'WyJ4', updatedAt: '2026-03-20T08:00:00.000Z', base: ADDRESS, sortedBy: 'publishedAt', hub: 'https://hub.example.org/' },
}
const WRITERS = { 'feed.atom': writeAtom, 'feed.rss': writeRss, 'feed.json': writeJsonFeed } as const
const read = (text: string, file: string) => readFeed(Buffer.from(text), { address: `${ADDRESS}${file}`, now: Date.parse('2026-04-01T00:00:00Z') })
/** As a reader shows it: without control characters, white space folded. */
const shown = (text: string): string => text.replaceAll(/[\u0000-\u001f]/g, '')

describe('a feed of a publication', () => {
  for (const [file, write] of Object.entries(WRITERS)) {
    it(`${file} is read back without a loss`, () => {
      const feed = read(write(PAPER), file)
      assert.deepEqual(feed.problems, [])
      assert.deepEqual([feed.title, feed.description, feed.language, feed.link, feed.self, feed.hub], [PAPER.title, PAPER.description, 'en', ADDRESS, `${ADDRESS}${file}`, PAPER.hub])
      assert.equal(feed.items.length, TEXTS.length)
      for (const [i, item] of feed.items.entries()) {
        const wanted = PAPER.stories[i] as Story
        assert.equal(item.id, permanentId(wanted.id))
        // Texts of JSON Feed are plain, and our reader reads markup in them all the same.
        const isKept = file !== 'feed.json' || !/<[a-z!]|&[#a-z]/.test(wanted.title)
        if (isKept) assert.deepEqual([item.title, item.excerpt].map((text) => shown(text ?? '')), [wanted.title, wanted.excerpt].map((text) => shown(text ?? '')), `text ${i}`)
        assert.deepEqual([item.link, item.picture, item.published, item.updated], [wanted.url, wanted.imageUrl, wanted.publishedAt, wanted.updatedAt])
        if (isKept) assert.deepEqual([item.author, item.categories], [shown(wanted.source?.name ?? ''), [shown(wanted.topic?.name ?? ''), 'Iceland']])
      }
    })

    it(`${file} is readable with nothing but titles, and where the site has no known address`, () => {
      const bare = { id: 'x', title: 'Bare', url: undefined, publishedAt: '2026-03-01T09:30:00.000Z', updatedAt: '2026-03-01T09:30:00.000Z' }
      const feed = read(write({ ...PAPER, description: '', contact: 'call us', rights: '', base: '', hub: undefined, next: undefined, stories: [bare] }), file)
      assert.deepEqual(feed.items.map(({ title, link, picture }) => [title, link, picture]), [['Bare', undefined, undefined]])
      // A relative address is one of the feed's own.
      assert.equal(feed.link, ADDRESS)
      assert.deepEqual(read(write({ ...PAPER, stories: [] }), file).items, [])
    })
  }

  it('has no text of a picture, which common readers take for the text of the story', () => {
    const paper = { ...PAPER, stories: PAPER.stories.map((story) => ({ ...story, imageAlt: 'What it shows' })) }
    for (const write of [...Object.values(WRITERS), writeItems]) assert.equal(write(paper), write(PAPER))
  })

  it('names its items the same in all formats, and by no id of the store', () => {
    const ids = Object.entries(WRITERS).map(([file, write]) => read(write(PAPER), file).items.map(({ id }) => id))
    assert.deepEqual(ids[0], ids[1])
    assert.deepEqual(ids[0], ids[2])
    for (const id of ids[0] ?? []) assert.match(id ?? '', /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    assert.equal(writeAtom(PAPER).includes('66f0000'), false)
  })

  it('a text of JSON Feed is the text as it is', () => {
    const { items } = JSON.parse(writeJsonFeed(PAPER)) as { items: { title: string; content_text: string }[] }
    assert.deepEqual(items.map(({ title, content_text }) => [title, content_text]), TEXTS.map((text) => [text, text]))
  })

  it('items are the stories as they are', () => {
    assert.deepEqual(JSON.parse(writeItems(PAPER)), { items: PAPER.stories, cursor: 'WyJ4' })
    assert.equal(JSON.parse(writeItems({ ...PAPER, next: undefined })).cursor, null)
  })
})

it('a link leads to the web or nowhere', () => {
  assert.deepEqual(['https://x.example/a', 'HTTP://x.example', 'javascript:alert(1)', ' javascript:1', 'data:text/html,x', 'https://u:p@x.example', '', '/p/x', 'vbscript:x'].map(webLink), [
    ...['https://x.example/a', 'HTTP://x.example', undefined, undefined, undefined, undefined, undefined, undefined, undefined],
  ])
})
