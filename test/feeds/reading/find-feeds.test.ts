import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findFeeds, USUAL_PATHS } from '../../../src/feeds/reading/find-feeds.ts'
import { SAMPLE_PAGE } from '../../support/feeds/sample-feeds.ts'

const ADDRESS = 'https://harbour.example/en/news.html'

describe('findFeeds()', () => {
  it('finds what a page names, and neither scripts, comments, translations nor other JSON', () => {
    assert.deepEqual(findFeeds(SAMPLE_PAGE, ADDRESS), [
      { address: 'https://harbour.example/feed.xml', title: 'News & more', type: 'application/rss+xml' },
      { address: 'https://harbour.example/atom.xml', type: 'application/atom+xml' },
      { address: 'https://harbour.example/feed.json', type: 'application/feed+json' },
    ])
  })

  it('reads relative addresses without a base, and a feed of any type that the page calls one', () => {
    const html = '<link rel=feed href=feed.php><link rel=alternate type=text/xml href=?feed=rss2><base href="data:,x">'
    assert.deepEqual(findFeeds(html, ADDRESS), [
      { address: 'https://harbour.example/en/feed.php', type: '' },
      { address: 'https://harbour.example/en/news.html?feed=rss2', type: 'text/xml' },
    ])
  })

  it('finds at most 50 feeds', () => {
    const html = Array.from({ length: 60 }, (_, i) => `<link rel="alternate" type="application/rss+xml" href="/${i}">`).join('')
    assert.equal(findFeeds(html, ADDRESS).length, 50)
  })

  it('takes time that grows with the length of a page only', () => {
    for (const piece of ['<link rel="', '<script>', '<!--', '</', "<a b='", '<![CDATA[', '<link rel=alternate ']) {
      assert.deepEqual(findFeeds(piece.repeat(200_000), ADDRESS), [], piece)
    }
  })
})

it('the usual paths lead to addresses of the site', () => {
  for (const path of USUAL_PATHS) assert.equal(new URL(path, ADDRESS).href, `https://harbour.example${path}`)
})
