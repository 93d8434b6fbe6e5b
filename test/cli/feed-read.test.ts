/** `dateline feed read`: what a file of a feed says, on a terminal and as JSON. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { runHere } from '../support/service/in-process.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const RSS = `<?xml version="1.0"?><rss version="2.0"><channel><title>The Harbour Post</title><link>https://harbour.example/</link>
<item><guid>a1</guid><title>Ferry &lt;b&gt;late&lt;/b&gt;</title><link>/late</link><category>Ferries</category>
<pubDate>Sun, 01 Mar 2026 09:30:00 GMT</pubDate><description>It came at noon.</description></item>
<item><title>Without more</title></item></channel></rss>`

it('prints an item a line, with the members of a headline by their names there', async (t) => {
  const file = join(temporaryDirectory(t), 'feed.xml')
  writeFileSync(file, RSS)
  const { code, stdout, stderr } = await runHere(['feed', 'read', file, '--json', '--address', 'https://harbour.example/feed.xml'])
  assert.equal(code, 0, stderr)
  const [first, second, ...rest] = stdout.trim().split('\n').map((line) => JSON.parse(line) as object)
  const times = { publishedAt: '2026-03-01T09:30:00.000Z', updatedAt: null }
  assert.deepEqual(first, {
    ...{ id: 'a1', title: 'Ferry late', excerpt: 'It came at noon.', url: 'https://harbour.example/late', imageUrl: null },
    ...{ ...times, author: null, language: null, categories: ['Ferries'] },
  })
  assert.deepEqual([(second as { title: string; url: null }).title, (second as { url: null }).url, rest.length], ['Without more', null, 0])
})

it('reads stdin, and prints a table for a person, with control characters replaced', async () => {
  const { code, stdout } = await runHere(['feed', 'read', '-'], { input: RSS.replace('Post', 'Post&#x9b;') })
  assert.equal(code, 0)
  assert.match(stdout, /^RSS: The Harbour Post.?, https:\/\/harbour\.example\/, 2 items\n\npublished +title +link\n2026-03-01T09:30:00\.000Z +Ferry late/)
  assert.doesNotMatch(stdout, /[\u0080-\u009f]/)
})

it('prints the whole feed as one object, in the encoding that HTTP names', async () => {
  const latin = Buffer.from('<rss><channel><title>F\u00e4hre</title></channel></rss>', 'latin1').toString('latin1')
  const { stdout } = await runHere(['feed', 'read', '-', '--whole', '--content-type', 'text/xml; charset=iso-8859-1'], { input: Buffer.from(latin, 'latin1') })
  const { title, format, items } = JSON.parse(stdout) as { title: string; format: string; items: unknown[] }
  assert.deepEqual([title, format, items], ['F\u00e4hre', 'rss', []])
})

for (const [name, words, input, code, says] of [
  ['what is no feed', ['-'], '<html><p>', 1, /^Cannot read the feed: expected RSS, Atom or JSON Feed/],
  ['a file that is not there', ['/nowhere/feed.xml'], '', 1, /^Cannot read "\/nowhere\/feed\.xml": .*no such file/],
  ['an address that is none', ['-', '--address', 'javascript:x'], RSS, 2, /Cannot read --address "javascript:x": expected a link that begins with https/],
] as const) {
  it(`ends with ${code} for ${name}`, async () => {
    const done = await runHere(['feed', 'read', ...words], { input })
    assert.equal(done.code, code)
    assert.match(done.stderr, says)
    assert.equal(done.stdout, '')
  })
}
