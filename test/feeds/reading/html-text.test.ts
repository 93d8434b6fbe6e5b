import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeReferences } from '../../../src/feeds/reading/character-references.ts'
import { cutText } from '../../../src/feeds/reading/excerpt.ts'
import { foldSpace, looksLikeHtml, readHtml } from '../../../src/feeds/reading/html-text.ts'

describe('readHtml()', () => {
  const rows: [html: string, text: string, pictures?: string[]][] = [
    ['<p>One.</p><p>Two<br>three</p>', 'One. Two three'],
    ['A <b>bold</b>ly <em>told</em> story', 'A boldly told story'],
    ['AT&amp;T &lt;b&gt; &amp;lt; &copy &eacute;&nbsp;x', 'AT&T <b> &lt; © é x'],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['Why Vec<u8> and List<String> differ', 'Why Vec<u8> and List<String> differ'],
    ['Mail <me@example.org>', 'Mail <me@example.org>'],
    ['a<script>alert("</scrip>")</script >b<style>p{}</style>c', 'abc'],
    ['a<script>alert(1)', 'a'],
    ['a<ScRiPt/src=x>alert(1)</sCrIpT>b', 'ab'],
    ['a<!-- <b>comment</b> -->b<!doctype html>c<?php echo 1 ?>d', 'abcd'],
    ['sa<!-- unclosed >fe', 'safe'],
    ['<svg onload=alert(1)><title>icon</title></svg>x', 'x'],
    ['<x-card onclick=alert(1)>y</x-card><foo onload=a>z</foo>', 'yz'],
    ['<img src="/a.jpg" alt="x"><img src=b.png>', '', ['/a.jpg', 'b.png']],
    ['<img src="pixel.gif" width="1" height="1"><img src="data:image/gif;base64,R0" data-src="/lazy.jpg">', '', ['/lazy.jpg']],
    ['<script><img src="a.jpg"></script><!-- <img src="b.jpg"> --><img src="a&amp;b.jpg">', '', ['a&b.jpg']],
    ['\0 a\u0007b\u202ec\u200b\u00a0 \n\td\ud800', 'abc d\ufffd'],
    ['don\u0092t', 'don’t'],
    ['<a href="x>y">link</a> <a title="it\'s">z</a>', 'link z'],
    ['<a href="unclosed>link</a> more', 'link more'],
    ['<p>Start.</p> <select> <p>one</p> <style>p{}</style> <p>the rest', 'Start. one the rest'],
    ['', ''],
  ]
  for (const [html, text, pictures = []] of rows) {
    it(`reads ${JSON.stringify(html)}`, () => assert.deepEqual(readHtml(html, 400, true), { text, pictures }))
  }

  it('knows HTML from plain text', () => {
    const texts: [text: string, isHtml: boolean][] = [
      ['plain & simple', false],
      ['1 < 2', false],
      ['<title>', false],
      ['Vec<T>', false],
      ['the <b> tag', false],
      ['The <dialog> element', false],
      ['a<br>b', true],
      ['<x onclick=alert(1)>', true],
      ['<style>p{}</style>', true],
      ['<b>bold</b>', true],
      ['<script>alert(1)', true],
      ['<img src=x onerror=alert(1)>', true],
    ]
    for (const [text, isHtml] of texts) assert.equal(looksLikeHtml(text), isHtml, text)
  })

  it('takes time that grows with the length of a text only', () => {
    for (const piece of ['<', '<!--', '<a ', '<a b="', "<a b='x", '</', '<script>', '<script></scrip', '<select></sel', '&', '&#', '&a', ' ', '\u200b', '<![CDATA[', '<p>']) {
      readHtml(piece.repeat(300_000), 400, true)
      decodeReferences(piece.repeat(300_000))
      looksLikeHtml(piece.repeat(200_000))
      foldSpace(piece.repeat(200_000))
    }
  })
})

describe('decodeReferences()', () => {
  it('decodes names, numbers and what is beyond Unicode, once', () => {
    const faults: string[] = []
    const text = '&amp;lt; &#65;&#x42;&#X43; &#150; &#0;&#xd800;&#x110000;&#99999999999999; &NotEqualTilde; &Aacute &bogus; &; &a=1&copy=2 &amp'
    assert.equal(
      decodeReferences(text, (reference) => faults.push(reference)),
      '&lt; ABC – \ufffd\ufffd\ufffd\ufffd ≂̸ Á &bogus; &; &a=1&copy=2 &',
    )
    assert.deepEqual(faults, ['&#0;', '&#xd800;', '&#x110000;', '&#99999999999999;', '&Aacute ', '&bogus;', '&;', '&a=', '&copy=', '&amp'])
  })
})

describe('cutText()', () => {
  const sentence = 'The council met on Monday, and it agreed on a new line of ferries across the whole bay for the next summer.'
  const rows: [name: string, text: string, wanted: string][] = [
    ['a short text', 'Short.', 'Short.'],
    ['the end of a sentence', `${sentence} ${sentence} ${sentence} ${sentence} ${sentence}`, `${sentence} ${sentence} ${sentence}`],
    ['a quoted sentence', `“${sentence}” ${'X'.repeat(500)}`.replace('“', '“Yes. '), `“Yes. ${sentence}”`],
    ['neither initials nor abbreviations', `${sentence} J. R. Smith e.g. says ${'word '.repeat(100)}`, sentence],
    ['between words, where sentences are long', 'word '.repeat(100).trim(), `${'word '.repeat(80).trim()}…`],
    ['Chinese', '这是一个句子。'.repeat(100), '这是一个句子。'.repeat(57)],
    ['no surrogate pair', `a${'😀'.repeat(300)}`, `a${'😀'.repeat(199)}…`],
  ]
  for (const [name, text, wanted] of rows) {
    it(`keeps ${name}`, () => {
      assert.equal(cutText(text), wanted)
      assert.ok(cutText(text).length <= 400 && cutText(text).isWellFormed())
    })
  }
})
