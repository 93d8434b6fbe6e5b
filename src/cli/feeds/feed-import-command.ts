/** `dateline feed import`: the items of a file, each taken once, with what became of each; also while the service runs. */
import { systemClock } from '../../base/clock.ts'
import { counted } from '../../base/counted.ts'
import { createIngestPace } from '../../content/feeds/ingest-pace.ts'
import { takeFeedFile, type FileOutcome, type FileRow } from '../../content/feeds/feed-file.ts'
import { readFeedFile } from '../../feeds/reading/read-feed-file.ts'
import { EXIT, type Command, type ExitCode, type Terminal } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { printTable, singleLine } from '../print-table.ts'
import { withData } from '../with-services.ts'
import { FEED_FILE_OPERAND, readFeedInput } from './feed-input.ts'

export const feedImportCommand: Command = {
  name: 'feed import',
  summary: 'take the items of a file of RSS, Atom, JSON Feed or JSON lines as those of a feed, each once; also while the service runs',
  operands: FEED_FILE_OPERAND,
  options: [
    { flag: '--feed', value: 'ID', meaning: 'the feed whose items they are (default: the one whose address the file gives as its own)' },
    { flag: '--json', meaning: 'print what became of each item as JSON, one object a line' },
  ],
  settings: DATA_SETTINGS,
  examples: ['dateline feed import post.xml', 'dateline feed read post.xml --json | dateline feed import - --feed 66f000000000000000000701'],
  async run(args, terminal) {
    const { operands: [file = ''], options } = args
    const bytes = await readFeedInput(file, terminal)
    if (typeof bytes === 'string') {
      terminal.stderr.write(`${bytes}\n`)
      return EXIT.failed
    }
    let code: ExitCode = EXIT.failed
    await withData(args, terminal, async ({ store, newId }) => {
      const parts = { store, newId, pace: createIngestPace(), read: readFeedFile, now: systemClock }
      code = told(await takeFeedFile(parts, bytes, options.get('--feed')), options.has('--json'), terminal)
    })
    return code
  },
}

/** Prints what became of the file. The exit code is that of a failure where something of it was rejected. */
function told(outcome: FileOutcome, isJson: boolean, { stdout, stderr }: Terminal): ExitCode {
  if (outcome.kind !== 'taken') {
    stderr.write(`${outcome.reason}${outcome.kind === 'of-no-feed' ? ': name a feed with --feed, as "dateline feed list" shows it' : ''}\n`)
    return EXIT.failed
  }
  const { feed, isLines, counts, rows, leftOut, problems } = outcome
  if (isJson) for (const row of rows) stdout.write(`${JSON.stringify(members(row))}\n`)
  else {
    const explained = rows.filter(({ reason }) => reason !== undefined)
    if (explained.length > 0) stdout.write(`${printTable([isLines ? 'LINE' : 'ITEM', 'OUTCOME', 'TITLE', 'WHY'], explained.map(cells))}\n`)
    const { created, changed, known, dropped, rejected } = counts
    stdout.write(`${singleLine(feed.title)}: ${created} new, ${changed} changed, ${known} known, ${dropped} dropped, ${rejected} rejected\n`)
  }
  if (leftOut > 0) stderr.write(`${counted(leftOut, isLines ? 'line' : 'item')} beyond the first ${rows.length} left out: split the file\n`)
  for (const { message } of problems) stderr.write(`${singleLine(message)}\n`)
  return counts.rejected > 0 || leftOut > 0 ? EXIT.failed : EXIT.ok
}

function members({ place, outcome, title, headline, reason }: FileRow) {
  return { place, outcome, title, headline: headline ?? null, reason: reason ?? null }
}

function cells({ place, outcome, title, reason = '' }: FileRow): readonly string[] {
  return [String(place), outcome, title, reason]
}
