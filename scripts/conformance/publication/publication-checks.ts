/**
 * `npm run conformance -- publication`: the feeds of publications before the readers of others. Atom is validated by Debian's `jing`
 * against the RELAX NG schema of RFC 4287; Atom, RSS and JSON Feed are read by Python's feedparser, from PyPI, which has to find
 * what was written. The stories are those of the sample content, and texts that readers tend to misread.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import sample from '../../../data/sample.json' with { type: 'json' }
import { writeAtom } from '../../../src/publications/atom-writer.ts'
import { categoriesOf, permanentId, type Paper, type Story } from '../../../src/publications/paper.ts'
import { writeRss } from '../../../src/publications/rss-writer.ts'
import { temporaryDirectory, type Cleanup } from '../../tools/temporary-directory.ts'
import { NotAvailable, requireNone, type CheckRun, type Conformance } from '../conformance.ts'
import { pythonTools } from '../fetched-tools.ts'

const SCHEMA = join(import.meta.dirname, 'atom.rnc')
const READER = join(import.meta.dirname, 'read_feeds.py')
const START = Date.parse('2026-03-01T12:00:00.000Z')
const HOUR_MS = 3_600_000
const HARD = ['a < b && c > d', '“Quotes” & \'more\'', ']]> in the middle', 'العبّارات تبحر', '🚢 & 🏳️‍🌈', 'A\u0007bell', '5 &lt; 6 is written so', '']

const sampled: readonly Story[] = sample.headlines.slice(0, 100).map(({ title, excerpt, topic, source }, i) => storyOf(title, excerpt, i, topic, source))
const stories = [...HARD.filter((text) => text !== '').map((text, i) => storyOf(text, text, 200 + i, 'hard', 'hard')), ...sampled]
const PAPER: Paper = {
  ...{ id: 'conformance', title: 'News & <more>', description: 'At the quays', language: 'en', contact: 'news@harbour.example', rights: '© 2026 A & B' },
  ...{ stories, choice: {}, cursor: undefined, next: undefined, updatedAt: new Date(START).toISOString(), base: 'https://news.example.org/p/news/', sortedBy: 'publishedAt', hub: 'https://hub.example.org/' },
}
const BARE: Paper = { ...PAPER, description: '', contact: '', rights: '', base: '', hub: undefined, stories: [{ id: 'x', title: 'Bare', url: undefined, publishedAt: PAPER.updatedAt, updatedAt: PAPER.updatedAt }] }

function storyOf(title: string, excerpt: string, i: number, topic: string, source: string): Story {
  const at = new Date(START - i * HOUR_MS).toISOString()
  return {
    ...{ id: `story-${i}`, title, excerpt, url: `https://harbour.example/${i}?a=1&b=2`, publishedAt: at, updatedAt: new Date(START - i * 1_000).toISOString() },
    ...{ imageUrl: `https://harbour.example/${i}.jpg?w=1&h=2`, topic: { id: topic, name: topic }, source: { id: source, name: source, url: 'https://harbour.example/' }, eventCountry: { isoCode: 'IS', name: 'Iceland' } },
  }
}

export const PUBLICATION: Conformance = { checks: { jing: validate, feedparser: readBack } }

/** The paths of files with these texts. */
function write(cleanup: Cleanup, texts: readonly string[]): readonly string[] {
  const directory = temporaryDirectory(cleanup)
  return texts.map((text, i) => {
    const path = join(directory, `feed-${i}`)
    writeFileSync(path, text)
    return path
  })
}

/** A damaged feed shows that the schema is looked at. */
function validate({ cleanup, say }: CheckRun): void {
  const damaged = writeAtom(PAPER).replace('<updated>', '<updatedAt>').replace('</updated>', '</updatedAt>')
  const results = write(cleanup, [writeAtom(PAPER), writeAtom(BARE), damaged]).map((path) => spawnSync('jing', ['-c', SCHEMA, path], { encoding: 'utf8' }))
  const [first] = results
  if (first?.error !== undefined) throw new NotAvailable(`${first.error.message}: install Debian's jing`)
  const missed = results.pop()?.status === 0 ? ['jing finds nothing in a feed without a date'] : []
  const found = results.filter(({ status }) => status !== 0).map(({ stdout, stderr }) => (stdout + stderr).trim().split('\n').slice(0, 5).join(' | '))
  say(`${results.length} feeds of Atom validated, ${stories.length} entries`)
  requireNone([...missed, ...found])
}

function readBack({ cleanup, say }: CheckRun): void {
  const bin = pythonTools({ name: 'feed-reader', packages: ['feedparser==6.0.11'], probe: 'import feedparser' })
  // feedparser reads no JSON Feed: test/publications/formats.test.ts reads it.
  const names = ['Atom', 'RSS']
  const { stdout, stderr, status } = spawnSync(join(bin, 'python'), [READER, ...write(cleanup, [writeAtom(PAPER), writeRss(PAPER)])], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (status !== 0) throw new Error(`feedparser failed: ${stderr.trim().split('\n').at(-1) ?? ''}`)
  const found = stdout.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown> & { readonly entries: readonly unknown[] })
  say(`${found.length} feeds read by feedparser, ${stories.length} entries each`)
  const faults = found.flatMap((feed, i) => {
    const name = names[i] ?? ''
    const members = { well_formed: true, title: PAPER.title, subtitle: PAPER.description, link: PAPER.base, rights: PAPER.rights }
    const wrong = Object.entries(members).filter(([member, value]) => plain(feed[member]) !== value)
    const entries = stories.map((story) => expected(story))
    const different = entries.flatMap((entry, n) => (isDeepStrictEqual(readable(feed.entries[n]), entry) ? [] : [`${name} entry ${n}: wanted ${JSON.stringify(entry)}, found ${JSON.stringify(readable(feed.entries[n]))}`]))
    return [...wrong.map(([member, value]) => `${name}: ${member}: wanted ${JSON.stringify(value)}, found ${JSON.stringify(feed[member])}`), ...different]
  })
  requireNone(faults)
}

function expected(story: Story): object {
  const { id, title, url, excerpt, publishedAt, updatedAt, source, imageUrl } = story
  const texts = { title: withoutControls(title), summary: withoutControls(excerpt ?? '') }
  return { id: permanentId(id), ...texts, link: url, published: parts(publishedAt), updated: parts(updatedAt), author: source?.name, tags: categoriesOf(story), picture: [imageUrl] }
}

/** An entry as feedparser found it, with texts as a reader shows them: it gives them as HTML. */
function readable(entry: unknown): object {
  const { title, summary, author, ...rest } = entry as Record<string, unknown>
  return { ...rest, title: plain(title), summary: plain(summary), author: typeof author === 'string' ? author.replace(/ \(.*\)$/, '') : author }
}

function plain(text: unknown): unknown {
  if (typeof text !== 'string') return text
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}

function withoutControls(text: string): string {
  return text.replaceAll(/[\u0000-\u001f]/g, '')
}

function parts(iso: string): readonly number[] {
  const date = new Date(iso)
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
}
