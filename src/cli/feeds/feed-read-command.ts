/** `dateline feed read`: what a file of RSS, Atom or JSON Feed says, and what its items would become. Writes nothing. */
import type { Readable } from 'node:stream'
import { counted } from '../../base/counted.ts'
import { Failure } from '../../base/failure.ts'
import { systemClock } from '../../base/clock.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { systemReason } from '../../base/system-error.ts'
import type { Feed, FeedItem } from '../../feeds/feed.ts'
import { readFeed } from '../../feeds/reading/read-feed.ts'
import { EXIT, UsageError, type Command, type Terminal } from '../command.ts'
import { printTable, singleLine } from '../print-table.ts'

/** As much as a feed may have that is fetched, when it is unpacked. */
const FEED_BYTES_MAX = 20 * 1024 * 1024

export const feedReadCommand: Command = {
  name: 'feed read',
  summary: 'read a file of RSS, Atom or JSON Feed, and print what its items would become; writes nothing',
  operands: [{ name: 'FILE', meaning: 'the file; - reads stdin' }],
  options: [
    { flag: '--json', meaning: 'print the items as JSON, one object a line: the members of a headline, and what else the item says' },
    { flag: '--whole', meaning: 'print one JSON object: what the feed says of itself, with its items and problems' },
    { flag: '--address', value: 'URL', meaning: 'where the file came from; relative links are relative to it' },
    { flag: '--content-type', value: 'TYPE', meaning: 'the header Content-Type that it came with, such as "text/xml; charset=iso-8859-1"' },
  ],
  settings: [],
  examples: ['dateline feed read feed.xml', 'curl -s https://harbour.example/feed.xml | dateline feed read - --json'],
  async run({ operands: [file = ''], options }, terminal) {
    const address = readAddress(options.get('--address'))
    const contentType = options.get('--content-type')
    try {
      const bytes = file === '-' ? await readAll(terminal.stdin) : readRegularFile(file, FEED_BYTES_MAX)
      const feed = readFeed(bytes, { address, now: systemClock(), ...(contentType !== undefined && { contentType }) })
      print(feed, { isWhole: options.has('--whole'), isLines: options.has('--json') }, terminal)
      return EXIT.ok
    } catch (error) {
      // What is no feed is told by the reader; anything else is of the file.
      const reason = error instanceof Failure ? error.message : `Cannot read ${JSON.stringify(file)}: ${systemReason(error)}`
      terminal.stderr.write(`${reason}\n`)
      return EXIT.failed
    }
  },
}

/** Nothing can be relative to it: such links are left out. */
const NO_ADDRESS = 'about:blank'

function readAddress(text: string | undefined): string {
  if (text === undefined) return NO_ADDRESS
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href
  throw new UsageError(`Cannot read --address ${JSON.stringify(text)}: expected a link that begins with https:// or http://`)
}

async function readAll(stdin: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as Uint8Array)
    bytes += part.length
    if (bytes > FEED_BYTES_MAX) throw new Error(`expected at most ${FEED_BYTES_MAX} bytes`)
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

function print(feed: Feed, { isWhole, isLines }: { readonly isWhole: boolean; readonly isLines: boolean }, { stdout, stderr }: Terminal): void {
  const { items, leftOut, problems } = feed
  if (isWhole) return void stdout.write(`${JSON.stringify({ ...feed, items: items.map(shown) })}\n`)
  if (isLines) for (const item of items) stdout.write(`${JSON.stringify(shown(item))}\n`)
  else stdout.write(`${headOf(feed)}\n\n${printTable(['published', 'title', 'link'], items.map(rowOf))}`)
  if (leftOut > 0) stderr.write(`${counted(leftOut, 'item')} beyond the first ${items.length} would be left out\n`)
  for (const problem of problems) stderr.write(`${problem}\n`)
}

/** The members of a headline by their names there, null where the item does not give one, and what rules can look at. */
function shown({ id, title, excerpt, link, picture, published, updated, author, categories, language }: FeedItem) {
  const headline = { title, excerpt, url: link, imageUrl: picture, publishedAt: published }
  const members = { id, ...headline, updatedAt: updated, author, language }
  return { ...Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? null])), categories }
}

function headOf({ format, title, link, items }: Feed): string {
  const name = { rss: 'RSS', atom: 'Atom', json: 'JSON Feed' }[format]
  return `${name}: ${singleLine(title ?? 'without a title')}${link === undefined ? '' : `, ${link}`}, ${counted(items.length, 'item')}`
}

function rowOf({ published, title, link }: FeedItem): readonly string[] {
  return [published ?? '', title ?? '', link ?? '']
}
