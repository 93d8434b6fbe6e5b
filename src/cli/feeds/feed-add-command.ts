/** `dateline feed add`: finds the feed at an address or of a site, shows what it would bring, and adds it; also while the service runs. */
import { systemClock } from '../../base/clock.ts'
import { counted } from '../../base/counted.ts'
import { isoDate } from '../../base/dates.ts'
import { describe } from '../../base/failure.ts'
import { findFeed, previewOf, readFeedAddress } from '../../content/feeds/feed-preview.ts'
import { ARRIVALS, feed, type Arrival } from '../../models/feed-model.ts'
import type { FeedPreview } from '../../models/responses.ts'
import { source as sourceModel } from '../../models/source.ts'
import { OPERATOR } from '../../store/actor.ts'
import { JSON_FLAG, readTyped, UsageError, type Arguments, type Command, type Terminal } from '../command.ts'
import { commandRecord } from '../command-record.ts'
import { printTable, singleLine } from '../print-table.ts'
import { languageOf, newSource, preparedDocument, referencesOf, sourceOfSite, type ReferenceName } from './feed-references.ts'
import { FETCH_SETTINGS, withFeeds, type FeedsOfCommand } from './with-feeds.ts'

export const feedAddCommand: Command = {
  name: 'feed add',
  summary: 'find the feed at an address or of a site, show what it would bring, and add it; also while the service runs',
  operands: [{ name: 'URL', meaning: 'of a feed or of a site; without a scheme, https is meant' }],
  options: [
    { flag: '--source', value: 'SOURCE', meaning: 'name or id of the publisher (default: the source whose address is the site of the feed)' },
    { flag: '--new-source', meaning: 'make a source of what the feed says of itself; needs --country, and --language where the feed says none' },
    { flag: '--topic', value: 'TOPIC', meaning: 'name or id of the topic of its headlines, where no rule sets another one' },
    { flag: '--country', value: 'COUNTRY', meaning: 'code, name or id of the country of its headlines' },
    { flag: '--language', value: 'LANGUAGE', meaning: 'code, name or id of the language of its items (default: as the feed says)' },
    { flag: '--arrival', value: 'HOW', meaning: `how items arrive: ${ARRIVALS.join(', ')} (default: draft)` },
    { flag: '--title', value: 'TEXT', meaning: 'its name in lists (default: as the feed says)' },
    { flag: '--keep-pictures', meaning: 'keep copies of the pictures of its items' },
    { flag: '--paused', meaning: 'add it without fetching it, as for files from elsewhere' },
    { flag: '--dry-run', meaning: 'show what it would bring, and add nothing' },
    { ...JSON_FLAG, meaning: 'print the feed that was added as one JSON object; with --dry-run, what was found' },
  ],
  settings: FETCH_SETTINGS,
  examples: ['dateline feed add harbour.example --topic Harbours --country IS --arrival published', 'dateline feed add https://harbour.example/feed.xml --dry-run'],
  run(args, terminal) {
    const wanted = readWanted(args)
    return withFeeds(args, terminal, (feeds) => addFeed(feeds, args, wanted, terminal))
  },
}

interface Wanted {
  readonly address: string
  readonly arrival: Arrival
  readonly named: { readonly [name in ReferenceName]: string | undefined }
}

function readWanted({ operands: [url = ''], options }: Arguments): Wanted {
  const address = readTyped(() => readFeedAddress(url), { address: 'URL' })
  const given = options.get('--arrival') ?? 'draft'
  const arrival = ARRIVALS.find((one) => one === given)
  if (arrival === undefined) throw new UsageError(`Cannot read --arrival ${describe(given)}: expected one of ${ARRIVALS.join(', ')}`)
  if (options.has('--source') && options.has('--new-source')) throw new UsageError('--source and --new-source exclude each other')
  const named = { source: options.get('--source'), topic: options.get('--topic'), country: options.get('--country'), language: options.get('--language') }
  return { address, arrival, named }
}

async function addFeed({ services, client, reader }: FeedsOfCommand, { options }: Arguments, { address, arrival, named }: Wanted, { stdout, stderr }: Terminal): Promise<void> {
  const { store, newId } = services
  const [isDryRun, isJson] = [options.has('--dry-run'), options.has('--json')]
  const given = referencesOf(store.documents, named)
  const found = await findFeed({ client, reader, now: systemClock }, address, new AbortController().signal)
  const language = given.language ?? languageOf(store.documents, found)
  const context = { textOf: store.documents.get, lookUp: store.documents.lookUp, newId, date: isoDate(systemClock()) }
  const made = options.has('--new-source') ? preparedDocument(sourceModel, newSource(found, { ...given, language }), context) : undefined
  const source = made?.value ?? given.source ?? (isDryRun ? null : sourceOfSite(store.documents, found))
  const members = { topic: given.topic ?? null, country: given.country ?? null, arrival }
  const preview = previewOf({ store, now: systemClock }, found, { ...members, source })
  if (!isJson) stdout.write(shown(preview))
  else if (isDryRun) stdout.write(`${JSON.stringify(preview)}\n`)
  if (isDryRun) return
  const title = options.get('--title') ?? found.feed.title ?? new URL(found.address).hostname
  const rest = { rules: [], retentionDays: null, retentionItems: null, username: '' }
  const body = { ...members, source, address: found.address, title, siteUrl: found.feed.link ?? '', language: language ?? null, paused: options.has('--paused'), keepsPictures: options.has('--keep-pictures'), ...rest }
  const added = preparedDocument(feed, body, context)
  await store.as(OPERATOR).together((_, steps) => {
    if (made !== undefined) steps.insert(sourceModel, made)
    steps.insert(feed, added)
  })
  await store.as(OPERATOR).record(commandRecord('feed add', { feed: added.id }))
  if (isJson) return void stdout.write(`${added.text}\n`)
  stdout.write(`\nAdded ${added.id}: ${singleLine(title)}\n`)
  if (!options.has('--paused')) stderr.write('The running service fetches it now, or at its next start\n')
}

const FORMATS = { rss: 'RSS', atom: 'Atom', json: 'JSON Feed' } as const

function shown({ format, title, address, total, items, problems, feeds }: FeedPreview): string {
  const rows = items.map(({ status, title: name, known, missing }) => [known === null ? (status ?? 'no headline') : 'known', name, missing.map(({ message }) => message).join('. ')])
  const others = feeds.filter((one) => one.address !== address).map((one) => `Also at this site: ${singleLine(one.address)}\n`)
  const head = `${FORMATS[format]}: ${singleLine(title ?? 'without a title')}, ${singleLine(address)}, ${counted(total, 'item')}\n`
  return `${head}\n${printTable(['STATUS', 'TITLE', 'LACKS'], rows)}${[...problems.map(({ message }) => `${singleLine(message)}\n`), ...others].join('')}`
}
