/** Feeds that XML does not allow, and that people read all the same. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFeed } from '../../../src/feeds/reading/read-feed.ts'

const OPTIONS = { address: 'https://a.example/feed', now: Date.parse('2026-03-10T12:00:00.000Z') }
const read = (text: string) => readFeed(Buffer.from(text), OPTIONS)
const rss = (item: string) => `<rss version="2.0"><channel><title>T</title><item>${item}</item></channel></rss>`

describe('a feed that is not well-formed', () => {
  const rows: [name: string, text: string, titles: readonly (string | undefined)[], problem: RegExp][] = [
    ['without its end', '<rss><channel><item><title>A</title></item><item><title>B', ['A', 'B'], /^Line 1: the element "title" has no end tag/],
    ['without the ends of its items', '<rss><channel><item><title>A</title><item><title>B</title><item><title>C<item><title>D</channel></rss>', ['A', 'B', 'C', 'D'], /"item" has no end tag. It ends with "item"/],
    ['without the end of its title', '<rss><channel><title>T<item><title>A</title></item></channel></rss>', ['A'], /"title" has no end tag. It ends with "item"/],
    ['cut within a tag', '<rss><channel>\n<item><title>A</title><lin', ['A'], /^Line 2: the tag "lin" has no ">"/],
    ['cut within CDATA', rss('<title><![CDATA[A').replace('</item></channel></rss>', ''), ['A'], /a CDATA section has no "\]\]>"/],
    ['with a bare ampersand', rss('<title>Fish & chips & AT&T</title>'), ['Fish & chips & AT&T'], /the reference "& " is none/],
    ['with a reference that is unknown', rss('<title>&bogus; &nbsp;x</title>'), ['&bogus; x'], /"&bogus;" is none/],
    ['with "<" in a text', rss('<title>1 < 2</title>'), ['1 < 2'], /"<" does not begin a tag/],
    ['with tags that cross', rss('<title>A <b>b <i>c</b></i></title><link>/x</link>'), ['A b c'], /"i" has no end tag. It ends with "b"/],
    ['with an end tag too many', rss('</p><title>A</title></div>'), ['A'], /the end tag "p" has no start tag/],
    ['with HTML as it is', rss('<title>A<br>b</title><description><p>c<p>d<img src=e.jpg></description>'), ['A b'], /"br" has no end tag/],
    ['with attributes without quotes', rss('<title type=html>A</title>'), ['A'], /has an attribute without quotes/],
    ['with an unclosed quote', rss('<title>A</title><enclosure url="http://x.example/a.jpg><guid>g</guid>'), ['A'], /has an attribute/],
    ['with an attribute twice', rss('<title a="1" a="2">A</title>'), ['A'], /has an attribute twice/],
    ['with text before it', `Warning: mysql_connect() ${rss('<title>A</title>')}`, ['A'], /text stands before the feed/],
    ['with text behind it', `${rss('<title>A</title>')} done`, ['A'], /text stands behind the feed/],
    ['with a line before its declaration', `\n<?xml version="1.0"?>${rss('<title>A</title>')}`, ['A'], /the XML declaration is not at the beginning/],
    ['with an undeclared prefix', rss('<dc:title>A</dc:title>'), ['A'], /the prefix of "dc:title" is not declared/],
    ['with an attribute of an undeclared prefix', rss('<title x:a="1">A</title>'), ['A'], /the prefix of "x:a" is not declared/],
    ['without space between attributes', rss('<title a="1"b="2">A</title>'), ['A'], /has no space between attributes/],
    ['with control characters', rss('<title>A\u0007B</title>'), ['AB'], /There are control characters/],
    ['with a reference to no character', rss('<title>A&#7;</title>'), ['A\ufffd'], /the reference "&#7;" is none/],
    ['with the end of a section in a text', rss('<title>A]]>B</title>'), ['A]]>B'], /"\]\]>" stands in a text/],
    ['with hyphens in a comment', rss('<!-- a -- b --><title>A</title>'), ['A'], /"--" stands in a comment/],
    ['with NUL characters', rss('<title>A\0B</title>'), ['AB'], /There are NUL characters/],
    ['with two roots', `${rss('<title>A</title>')}${rss('<title>B</title>')}`, ['A', 'B'], /a second element "rss"/],
    ['in another case', '<RSS><Channel><ITEM><Title>A</Title></ITEM></Channel></RSS>', ['A'], /^$/],
    ['with a comment that does not end', `${rss('<title>A</title>')}<!-- `, ['A'], /a comment has no "-->"/],
    ['with a document type that does not end', `<!DOCTYPE rss [ <!ENTITY a "b"> ${rss('<title>A</title>')}`, ['A'], /the document type has no "\]>"/],
    ['with the tags of HTML pages', rss('<title>A</title><description>x</description><hr>'), ['A'], /"hr" has no end tag/],
  ]
  for (const [name, text, titles, problem] of rows) {
    it(`is read ${name}`, () => {
      const feed = read(text)
      assert.deepEqual(feed.items.map(({ title }) => title), titles)
      assert.match(feed.problems[0]?.message ?? '', problem)
    })
  }

  it('gives each kind of problem once', () => {
    assert.equal(read(rss('<title>&a; &b; &c; < < <</title>'.repeat(50))).problems.length, 2)
  })

  it('does not quote more of the feed than helps, and no control characters', () => {
    const [, problem] = read(rss(`<title>A</title></${'x\u0007\ud800'.repeat(1_000)}>`)).problems
    assert.match(problem?.message ?? '', /^Line 1: the end tag "x \ufffdx [^"\p{Cc}\p{Cs}]{30,40}…" has no start tag/u)
  })
})

describe('a feed that is well-formed', () => {
  const rows: [name: string, text: string, title: string][] = [
    ['entities of HTML', rss('<title>&eacute;&hellip;&rarr;&AMP;</title>'), 'é…→&'],
    ['a document type', `<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://x.example/rss.dtd">${rss('<title>A</title>')}`, 'A'],
    ['declarations of entities', `<!DOCTYPE rss [ <!ENTITY a "b"> <!-- ] --> ]>${rss('<title>A</title>')}`, 'A'],
    ['comments and instructions', `<?xml-stylesheet href="a.xsl"?><!-- < & -->${rss('<title>A<!-- <b> -->B<?php echo "<" ?></title>')}`, 'AB'],
    ['CDATA in pieces', rss('<title><![CDATA[A ]]]]><![CDATA[> B]]></title>'), 'A ]]> B'],
    ['prefixes of its own', '<r:rdf xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><x:item xmlns:x="http://purl.org/rss/1.0/"><x:title>A</x:title></x:item></r:rdf>', 'A'],
    ['a prefix that means something else within', rss('<dc:title xmlns:dc="http://other.example/">A</dc:title><title>B</title>'), 'B'],
  ]
  for (const [name, text, title] of rows) {
    it(`is read with ${name}`, () => {
      const feed = read(text)
      assert.equal(feed.items[0]?.title, title)
      assert.deepEqual(feed.problems, [])
    })
  }
})
