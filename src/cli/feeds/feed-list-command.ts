/** `dateline feed list`: how all feeds are doing, also while the service runs. */
import { systemClock } from '../../base/clock.ts'
import { healthOfFeeds } from '../../content/feeds/feed-health.ts'
import type { FeedHealth } from '../../models/responses.ts'
import { JSON_LINES_FLAG, type Command } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { printTable } from '../print-table.ts'
import { OPERATOR_QUERIES } from '../users/operator-list.ts'
import { withData } from '../with-services.ts'

export const feedListCommand: Command = {
  name: 'feed list',
  summary: 'list the feeds and how they are doing, by their titles; also while the service runs',
  options: [JSON_LINES_FLAG],
  settings: DATA_SETTINGS,
  examples: ['dateline feed list'],
  run: (args, terminal) =>
    withData(args, terminal, async ({ store }) => {
      const feeds = await healthOfFeeds(store, OPERATOR_QUERIES, { now: systemClock(), lacksAddress: false })
      if (args.options.has('--json')) terminal.stdout.write(feeds.map((feed) => `${JSON.stringify(feed)}\n`).join(''))
      else terminal.stdout.write(printTable(['ID', 'TITLE', 'STATUS', 'FETCHED', 'NEXT', 'IN 24 HOURS', 'WHAT'], feeds.map(cells)))
    }),
}

function cells({ id, title, status, fetchedAt, nextAt, itemsOfDay, sentence }: FeedHealth): readonly string[] {
  return [id, title, status, fetchedAt ?? 'never', nextAt ?? '', String(itemsOfDay), sentence ?? '']
}
