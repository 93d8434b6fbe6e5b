/** `dateline feed add`, `list`, `fetch` and `import`: what they bring, once, beside a running service too. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { readFeedInput } from '../../src/cli/feeds/feed-input.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { runHere } from '../support/service/in-process.ts'
import { siteWithSamples } from '../support/service/made-site.ts'
import { serverThat } from '../support/service/scripted-http.ts'

const item = (n: number, more = ''): string => `<item><guid>tag:${n}</guid><title>Story ${n}</title><link>https://harbour.example.org/feeds/${n}</link>${more}</item>`
const rss = (items: string, self = ''): string =>
  `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Quay News</title><link>https://quay.example</link><language>en</language>
  <image><url>https://quay.example/logo.png</url></image>${self === '' ? '' : `<atom:link rel="self" href="${self}"/>`}${items}</channel></rss>`
const jsonOf = (text: string): JsonObject[] => text.trim().split('\n').map((line) => JSON.parse(line) as JsonObject)

async function openSite(t: TestContext, respond: (response: ServerResponse, path: string) => void = (response) => void response.writeHead(404).end()) {
  const dataDir = await siteWithSamples(t)
  const { url, seen } = await serverThat(t, (request, response) => respond(response, request.url ?? ''))
  const at = ['--data-dir', dataDir]
  const feed = (words: readonly string[], input = '') => runHere(['feed', ...words, ...at, ...(['add', 'fetch'].includes(words[0] ?? '') ? ['--outbound-allow', '127.0.0.1'] : [])], { input })
  const add = async (address: string, ...words: string[]): Promise<JsonObject> => {
    const { code, stdout, stderr } = await feed(['add', address, '--new-source', '--country', 'IS', '--language', 'en', '--json', ...words])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout) as JsonObject
  }
  const file = (text: string, name = 'feed.xml'): string => {
    const path = join(temporaryDirectory(t), name)
    writeFileSync(path, text)
    return path
  }
  return { dataDir, url, seen, feed, add, file }
}
const respondWith = (text: string) => (response: ServerResponse): void => void response.writeHead(200).end(text)

describe('dateline feed add', () => {
  it('finds the feed of a site, shows what it would bring, and adds it with a new source', async (t) => {
    const page = '<link rel="alternate" type="application/rss+xml" href="/posts.xml"><link rel="feed" href="/other.xml">'
    const { feed, url } = await openSite(t, (response, path) => respondWith(path === '/posts.xml' ? rss(item(1) + item(2)) : page)(response))
    const { code, stdout, stderr } = await feed(['add', `${url}/`, '--new-source', '--topic', 'Science', '--country', 'is', '--arrival', 'published'])
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^RSS: Quay News, http:\/\/127\.0\.0\.1:\d+\/posts\.xml, 2 items\n\nSTATUS +TITLE +LACKS\nactive +Story 1\n/)
    assert.match(stdout, /Also at this site: \S+\/other\.xml\n\nAdded [0-9a-f]{24}: Quay News\n$/)
    const [listed] = jsonOf((await feed(['list', '--json'])).stdout)
    assert.deepEqual([listed?.['title'], listed?.['status'], listed?.['address']], ['Quay News', 'new', `${url}/posts.xml`])
  })

  it('takes the source whose address is the site, and says how to name one where none is', async (t) => {
    const { feed, url, add } = await openSite(t, respondWith(rss(item(1))))
    const refused = await feed(['add', `${url}/a.xml`])
    assert.deepEqual([refused.code, refused.stderr], [1, 'No source has the address https://quay.example/: name one with --source, or make one with --new-source\n'])
    const first = await add(`${url}/a.xml`)
    const second = await feed(['add', `${url}/b.xml`, '--json', '--title', 'Second', '--paused'])
    const { source, title, paused } = JSON.parse(second.stdout) as JsonObject
    assert.deepEqual([(source as JsonObject)['id'], title, paused], [(first['source'] as JsonObject)['id'], 'Second', true])
  })

  it('adds nothing with --dry-run, nor where something is named that is not there, nor an address twice', async (t) => {
    const { feed, url, add } = await openSite(t, respondWith(rss(item(1))))
    const { stdout } = await feed(['add', url, '--dry-run', '--json'])
    assert.equal((JSON.parse(stdout) as JsonObject)['title'], 'Quay News')
    const rows = [
      [['--topic', 'Nothing'], 1, /topic\.name: expected the name of a topic, found "Nothing", which no topic has/],
      [['--country', 'QQ'], 1, /country\.isoCode: expected the code of a country, found "QQ"/],
      [['--arrival', 'soon'], 2, /Cannot read --arrival "soon": expected one of published, draft, review/],
      [['--source', 'a', '--new-source'], 2, /exclude each other/],
      [['--new-source'], 1, /A new source needs a country/],
    ] as const
    const nowhere = await feed(['add', 'ftp://quay.example'])
    assert.deepEqual([nowhere.code, nowhere.stderr.startsWith('Cannot use URL: expected an address that begins with http:// or https://')], [2, true])
    for (const [words, code, says] of rows) {
      const refused = await feed(['add', url, ...words])
      assert.equal(refused.code, code, words.join(' '))
      assert.match(refused.stderr, says)
    }
    assert.equal((await feed(['list', '--json'])).stdout, '')
    await add(url)
    assert.match((await feed(['add', url, '--new-source', '--country', 'IS'])).stderr, /address: expected an address that no other feed has/)
    assert.equal(jsonOf((await feed(['list', '--json'])).stdout).length, 1)
  })

  it('attack: connects to nothing inside without leave, and shows control characters of a feed as question marks', async (t) => {
    const { dataDir, url, seen, feed } = await openSite(t, respondWith(rss('<item><title>A&#27;[2J&#x202e;B</title></item>').replace('Quay', 'Quay&#x9b;')))
    const refused = await runHere(['feed', 'add', url, '--data-dir', dataDir])
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /"127\.0\.0\.1" is a loopback address, which the service does not connect to/)
    assert.deepEqual(seen, [])
    const { stdout } = await feed(['add', url, '--dry-run'])
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })
})

describe('dateline feed fetch', () => {
  it('fetches a feed, or all that are not paused, and fails where one does', async (t) => {
    let isBroken = false
    const { feed, url, add, seen } = await openSite(t, (response, path) => (isBroken && path === '/a' ? response.writeHead(404).end() : respondWith(rss(item(1) + item(2)))(response)))
    const one = await add(`${url}/a`)
    await add(`${url}/b`, '--paused')
    const before = seen.length
    const fetched = await feed(['fetch', String(one['id']), '--json'])
    const [health] = jsonOf(fetched.stdout)
    assert.deepEqual([fetched.code, health?.['status'], health?.['items']], [0, 'working', { created: 2, changed: 0, archived: 0, known: 0, dropped: 0, rejected: 0 }])
    isBroken = true
    const all = await feed(['fetch', '--all'])
    assert.equal(all.code, 1)
    assert.match(all.stdout, /^ID +TITLE +STATUS +NEW +CHANGED +WHAT\n[0-9a-f]{24} +Quay News +failing +0 +0 +The server responded with 404/)
    assert.equal(seen.length - before, 2)
    for (const [words, code] of [[['fetch'], 2], [['fetch', 'x', '--all'], 2], [['fetch', 'unknown'], 1]] as const) assert.equal((await feed(words)).code, code)
  })
})

describe('dateline feed import', () => {
  it('takes each item of a file once, as one of the feed whose address the file gives as its own', async (t) => {
    const { feed, url, add, file } = await openSite(t, respondWith(rss(item(1))))
    const { id } = await add(`${url}/feed.xml`, '--paused', '--topic', 'Science', '--arrival', 'published')
    const path = file(rss(item(1) + item(2).replace('https://harbour.example.org', '') + item(1).replace('tag:1', 'tag:9'), `${url}/feed.xml`))
    const first = await feed(['import', path])
    assert.equal(first.code, 0, first.stderr)
    assert.equal(first.stdout, 'ITEM  OUTCOME  TITLE    WHY\n1     known    Story 1  Another item led to this page\n\nQuay News: 2 new, 0 changed, 1 known, 0 dropped, 0 rejected\n')
    const again = jsonOf((await feed(['import', '-', '--json'], rss(item(1, '<description>More</description>').replace('tag:1', 'tag:9'), `${url}/feed.xml`))).stdout)
    assert.deepEqual(again.map(({ place, outcome, title }) => [place, outcome, title]), [[1, 'changed', 'Story 1']])
    const [health] = jsonOf((await feed(['list', '--json'])).stdout)
    assert.deepEqual([health?.['id'], health?.['itemsOfDay']], [id, 2])
  })

  it('takes lines as "feed read" writes them, and tells which are none', async (t) => {
    const { feed, url, add, file } = await openSite(t, respondWith(rss(item(1))))
    const { id } = await add(`${url}/feed.xml`, '--paused')
    const lines = (await runHere(['feed', 'read', file(rss(item(1) + item(2))), '--json'])).stdout
    const bad = ['{"title":7}', '[]', '{"title":"A","url":"javascript:alert(1)"}', '{"title":"A","publishedAt":"2999-01-01"}', '{"id":"a","title":"Last","topic":{"id":"b"}}', '']
    const { code, stdout, stderr } = await feed(['import', '-', '--feed', String(id)], `${lines}${bad.join('\n')}`)
    assert.equal(code, 1)
    assert.match(stdout, /3 +rejected +title: expected a text, found 7\n4 +rejected +expected an object, found an empty array\n5 +rejected +url: expected a link of http or https, found "javascript:alert\(1\)"\n6 +rejected +publishedAt: expected a date that is not in the future, found "2999-01-01"\n/)
    assert.match(stdout, /Quay News: 3 new, 0 changed, 0 known, 0 dropped, 4 rejected\n$/)
    assert.equal(stderr, 'Members of lines that are not read: "topic". The feed gives source, topic and country.\n')
  })

  it('says what helps where a file is of no feed, and is no feed', async (t) => {
    const { feed, file } = await openSite(t)
    const rows = [
      [[file(rss(item(1)))], 'The file does not say which feed it is of: name a feed with --feed, as "dateline feed list" shows it\n'],
      [[file(rss(item(1), 'https://none.example/feed'))], 'No feed has the address "https://none.example/feed", which the file gives as its own: name a feed with --feed, as "dateline feed list" shows it\n'],
      [[file(rss(item(1))), '--feed', 'unknown'], 'No feed has the id "unknown": name a feed with --feed, as "dateline feed list" shows it\n'],
      [[file('<html>')], 'Cannot read the feed: expected RSS, Atom or JSON Feed, found a web page\n'],
      [['/nowhere'], 'Cannot read "/nowhere": no such file or directory\n'],
    ] as const
    for (const [words, says] of rows) {
      const { code, stdout, stderr } = await feed(['import', ...words])
      assert.deepEqual([code, stdout, stderr], [1, '', says])
    }
  })

  it('attack: a pipe without an end is read up to the length of a feed', async () => {
    let sent = 0
    const endless = new Readable({
      read() {
        sent += 1_000_000
        this.push(Buffer.alloc(1_000_000, 'a'))
      },
    })
    assert.equal(await readFeedInput('-', { stdin: endless }), 'Cannot read "-": expected at most 20971520 bytes')
    assert.ok(sent < 30_000_000 && endless.destroyed)
  })
})
