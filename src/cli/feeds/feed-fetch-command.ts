/** `dateline feed fetch`: fetches one feed or all now, also while the service runs. What both fetch is taken once. */
import { systemClock } from '../../base/clock.ts'
import { fail } from '../../base/failure.ts'
import { healthOfFeed } from '../../content/feeds/feed-health.ts'
import { FETCHES_MAX } from '../../content/feeds/feed-work.ts'
import type { IngestCounts } from '../../content/feeds/ingest.ts'
import { documentsByTitle } from '../../content/reads/documents-by-title.ts'
import { feed, type FeedDocument } from '../../models/feed-model.ts'
import type { FeedHealth } from '../../models/responses.ts'
import { EXIT, JSON_LINES_FLAG, UsageError, type Command } from '../command.ts'
import { printTable, singleLine } from '../print-table.ts'
import { OPERATOR_QUERIES } from '../users/operator-list.ts'
import { FETCH_SETTINGS, withFeeds, type FeedsOfCommand } from './with-feeds.ts'

interface Fetched {
  readonly health: FeedHealth
  /** Undefined where no items came. */
  readonly counts: IngestCounts | undefined
}

export const feedFetchCommand: Command = {
  name: 'feed fetch',
  summary: 'fetch a feed now, or all that are not paused; also while the service runs',
  operands: [{ name: 'ID', meaning: 'the id of a feed, as "dateline feed list" shows it', isOptional: true }],
  options: [{ flag: '--all', meaning: 'all feeds that are not paused' }, JSON_LINES_FLAG],
  settings: FETCH_SETTINGS,
  examples: ['dateline feed fetch 66f000000000000000000701', 'dateline feed fetch --all'],
  async run(args, terminal) {
    const { options, operands: [id] } = args
    if ((id === undefined) !== options.has('--all')) throw new UsageError('dateline feed fetch needs ID or --all')
    let isFailing = false
    await withFeeds(args, terminal, async (feeds) => {
      const found = await documentsByTitle(feeds.services.store, feed, OPERATOR_QUERIES)
      const wanted = found.filter((feed) => (id === undefined ? !feed.paused : feed.id === id))
      if (id !== undefined && wanted.length === 0) throw fail('notFound', `There is no feed "${singleLine(id)}": see "dateline feed list"`)
      const fetched = await fetchAll(feeds, wanted)
      isFailing = fetched.some(({ health: { failures } }) => failures > 0)
      if (options.has('--json')) terminal.stdout.write(fetched.map(({ health, counts }) => `${JSON.stringify({ ...health, items: counts ?? null })}\n`).join(''))
      else terminal.stdout.write(printTable(['ID', 'TITLE', 'STATUS', 'NEW', 'CHANGED', 'WHAT'], fetched.map(cells)))
    })
    return isFailing ? EXIT.failed : EXIT.ok
  },
}

async function fetchAll({ services: { store }, fetches }: FeedsOfCommand, wanted: readonly FeedDocument[]): Promise<readonly Fetched[]> {
  const waiting = [...wanted]
  const fetched = new Map<string, Fetched>()
  const fetchSome = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const due = { id: next.id, text: JSON.stringify(next), state: store.feeds.feedState(next.id)?.state }
      const counts = await fetches.fetch(due, new AbortController().signal)
      const health = healthOfFeed(store, next.id, { now: systemClock(), lacksAddress: false })
      if (health !== undefined) fetched.set(next.id, { health, counts })
    }
  }
  await Promise.all(Array.from({ length: FETCHES_MAX }, fetchSome))
  return wanted.flatMap(({ id }) => fetched.get(id) ?? [])
}

function cells({ health: { id, title, status, sentence }, counts }: Fetched): readonly string[] {
  return [id, title, status, String(counts?.created ?? 0), String(counts?.changed ?? 0), sentence ?? '']
}
