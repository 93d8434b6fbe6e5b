/** `dateline feed read`: what a file of RSS, Atom or JSON Feed says, and what its items would become. Writes nothing. */
import { counted } from '../../base/counted.ts'
import { Failure } from '../../base/failure.ts'
import { systemClock } from '../../base/clock.ts'
import type { Feed, FeedItem } from '../../feeds/feed.ts'
import { readFeed } from '../../feeds/reading/read-feed.ts'
import { EXIT, UsageError, type Command, type ExitCode, type Terminal } from '../command.ts'
import { printTable, singleLine } from '../print-table.ts'
import { FEED_FILE_OPERAND, readFeedInput } from './feed-input.ts'

export const feedReadCommand: Command = {
  name: 'feed read',
  summary: 'read a file of RSS, Atom or JSON Feed, and print what its items would become; writes nothing',
  operands: FEED_FILE_OPERAND,
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
    const bytes = await readFeedInput(file, terminal)
    if (typeof bytes === 'string') return failed(bytes, terminal)
    try {
      const feed = readFeed(bytes, { address, now: systemClock(), ...(contentType !== undefined && { contentType }) })
      print(feed, { isWhole: options.has('--whole'), isLines: options.has('--json') }, terminal)
      return EXIT.ok
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return failed(error.message, terminal)
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

function failed(reason: string, { stderr }: Terminal): ExitCode {
  stderr.write(`${reason}\n`)
  return EXIT.failed
}

function print(feed: Feed, { isWhole, isLines }: { readonly isWhole: boolean; readonly isLines: boolean }, { stdout, stderr }: Terminal): void {
  const { items, leftOut, problems } = feed
  if (isWhole) return void stdout.write(`${JSON.stringify({ ...feed, items: items.map(shown) })}\n`)
  if (isLines) for (const item of items) stdout.write(`${JSON.stringify(shown(item))}\n`)
  else stdout.write(`${headOf(feed)}\n\n${printTable(['published', 'title', 'link'], items.map(rowOf))}`)
  if (leftOut > 0) stderr.write(`${counted(leftOut, 'item')} beyond the first ${items.length} would be left out\n`)
  for (const { message } of problems) stderr.write(`${message}\n`)
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
