/** `dateline restore`: replaces the database by a backup, while no service runs on the directory. */
import { join, resolve } from 'node:path'
import { timeOfSite, type FetchedSite } from '../../app/restoring/site-fetch.ts'
import { givenFlags, writeBeside } from '../../app/restoring/site-files.ts'
import { systemClock } from '../../base/clock.ts'
import { counted, sizeText } from '../../base/counted.ts'
import { isoDate } from '../../base/dates.ts'
import { VERSION } from '../../base/version.ts'
import { readConfig } from '../../config/read-config.ts'
import { readIdentity } from '../../cluster/node-identity.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { maskPlaces } from '../../offsite/place-address.ts'
import { DataDirError, discardDataDir, hasDatabase, ownDataDir, prepareDataDir, type DataDirLock } from '../../store/db/data-dir.ts'
import { forgetPosition } from '../../store/cluster/position-table.ts'
import { endRestore, removeRestoreFiles } from '../../store/backup/pending-restore.ts'
import type { CopiedPictures } from '../../store/backup/picture-copies.ts'
import { removeReplaced, REPLACED_MAX, restoreDatabase } from '../../store/backup/restore.ts'
import { ADMINISTRATORS_TOLD_MAX, type CopyDifferences, type RemovedCredentials } from '../../store/backup/restored-copy.ts'
import { beginRestore, type BegunRestore } from '../../store/backup/unfinished-restore.ts'
import type { Config } from '../../config/settings.ts'
import { EXIT, UsageError, type Arguments, type Command } from '../command.ts'
import { commandHere, shellWord } from '../../config/command-here.ts'
import { commandRecord, recordBeside } from '../command-record.ts'
import { singleLine } from '../print-table.ts'
import { abortOn, progressOn } from '../progress.ts'
import { downloadSite } from './site-download.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'replace the database with a backup, from a file or an off-site place, and keep the old one beside it; not while the service runs',
  operands: [{ name: 'FILE', meaning: 'a backup, or a dateline.db.before-schema-N that was kept before a migration', isOptional: true }],
  options: [
    { flag: '--from', value: 'PLACE', meaning: 'fetch the site from a place of off-site backups, as in --offsite, with its secrets and templates' },
    { flag: '--identity', value: 'FILE', meaning: 'with --from: the file with what "dateline backup key" has printed' },
    { flag: '--passphrase-stdin', meaning: 'with --identity: read the passphrase of that file from standard input' },
    { flag: '--at', value: 'TIME', meaning: 'with --from: the site as it was at a time, such as 2026-11-24T09:30Z; the newest state without it' },
    { flag: '--yes', meaning: 'with --from: restore without asking; needed where there is no terminal to ask on' },
    { flag: '--keep-tokens', meaning: 'keep tokens of the API and passkeys that the database in use does not have; for a file that no stranger could write' },
    { flag: '--json', meaning: 'print the result as JSON' },
  ],
  settings: ['dataDir', 'offsiteKeysFile', 'backupRate', 'outboundAllow', 'outboundProxy', 'outboundCa'],
  examples: [
    'dateline restore dateline-data/backups/dateline-20260301T120000Z.db',
    'dateline restore --from "s3://AKID@backups/news?region=eu-central-1" --offsite-keys-file keys.txt --identity key.txt',
    'dateline restore --from file:///mnt/nas/dateline --identity key.txt --at 2026-11-24T09:30Z',
  ],
  async run(args, terminal) {
    const { operands, options, settings } = args
    if (options.has('--from') === (operands.length === 1)) throw new UsageError('dateline restore needs FILE, or --from PLACE with --identity FILE')
    const stray = ['--identity', '--passphrase-stdin', '--at', '--yes'].find((flag) => options.has(flag) && !options.has('--from'))
    if (stray !== undefined) throw new UsageError(`${stray} needs --from PLACE`)
    const config = readConfig(settings, terminal.environment)
    const { dataDir } = config
    const path = resolve(dataDir)
    if (readIdentity(path) !== undefined) {
      throw new DataDirError(
        `Cannot restore into "${path}": it is that of a node: stop all nodes, then run "dateline cluster init --from ${operands[0] ?? 'FILE'}" ` +
          'with another --cluster-prefix, and join the others again with empty data directories',
      )
    }
    const dir = prepareDataDir(path)
    let [isReplaced, isDone] = [false, false]
    let lock: DataDirLock | undefined
    let begun: BegunRestore | undefined
    let fetched: FetchedSite | undefined
    try {
      lock = ownDataDir(dir, { pid: process.pid, startedAt: isoDate(systemClock()) })
      const unfinished = (begun = beginRestore(dir, commandHere(wordsOf(args, config), config)))
      fetched = options.has('--from') ? await downloadSite(args, config, dir.path, terminal) : undefined
      const from = fetched?.file ?? operands[0]
      if (from === undefined) return EXIT.failed
      const record = (replaced?: string): Promise<void> =>
        recordBeside({ dataDir }, terminal, commandRecord('restore', fetched === undefined ? { file: resolve(from), replaced } : { place: fetched.place, replaced }))
      const progress = progressOn(terminal, 'Restoring')
      const restored = await restoreDatabase({
        dir,
        from,
        models: STORED_MODELS,
        version: VERSION,
        isAlone: fetched !== undefined,
        now: systemClock,
        signal: abortOn(terminal.interrupted),
        onProgress: progress.show,
        async onReplace() {
          if (hasDatabase(dir.path)) await record()
          // Its secrets follow.
          if (fetched !== undefined) unfinished.replacing()
        },
        // A place is written by those who know its recipient: tokens and passkeys come back with their site.
        keepsCredentials: options.has('--keep-tokens') || fetched !== undefined,
      }).finally(progress.end)
      isReplaced = true
      // A backup of a node: this directory belongs to no cluster.
      forgetPosition(dir.database)
      // One that the service was asked for and had no time for is overtaken.
      endRestore(dir)
      removeRestoreFiles(dir)
      if (fetched !== undefined) writeBeside(dir, fetched.beside)
      unfinished.end()
      isDone = true
      const { gone, left } = removeReplaced(dir, from)
      const { bytes, schema, version, items, pictures, replaced, removed, differs } = restored
      await record(replaced)
      const count = Object.values(items).reduce((sum, n) => sum + n, 0)
      terminal.stdout.write(
        options.has('--json')
          ? `${JSON.stringify({ database: dir.database, replaced, bytes, schema, version, items, pictures, removed, differs, removedFiles: gone, leftFiles: left, ...(fetched && { replayed: fetched.replayed, until: isoDate(timeOfSite(fetched)) }) })}\n`
          : `Restored ${dir.database}: ${sizeText(bytes)}, ${counted(count, 'item')}\n` +
              (replaced === undefined
                ? 'That directory had no database before\n'
                : `The database that was there is kept as ${replaced}\n`) +
              picturesText(pictures, from, fetched?.place) +
              removedText(removed) +
              differsText(differs) +
              (fetched === undefined ? '' : fetchedText(fetched, config)) +
              (gone.length === 0 ? '' : `Removed ${gone.join(', ')}: of replaced databases, the newest ${REPLACED_MAX} are kept\n`),
      )
      for (const { name, reason } of left) {
        terminal.stderr.write(`The database is restored, but ${join(dir.path, name)} could not be removed (${reason}): remove it by hand, with its -wal, -shm and -journal\n`)
      }
      return EXIT.ok
    } finally {
      fetched?.discard()
      if (!isReplaced) begun?.undo()
      lock?.release()
      // A mistyped FILE must not leave an empty data directory.
      if (!isDone) discardDataDir(dir)
    }
  },
}

/** What to type again after an interruption; other settings may have secrets in them. */
function wordsOf({ operands, options }: Arguments, { offsiteKeysFile }: Config): string {
  const words = ['restore', ...operands.map((file) => resolve(file))]
  for (const [flag, value] of options) {
    if (flag === '--json' || flag === '--yes') continue
    words.push(flag, ...(value === '' ? [] : [flag === '--identity' ? resolve(value) : maskPlaces(value)]))
  }
  if (options.has('--from') && offsiteKeysFile !== undefined) words.push('--offsite-keys-file', resolve(offsiteKeysFile))
  return words.map(shellWord).join(' ')
}

function fetchedText(site: FetchedSite, config: Config): string {
  const changes = site.replayed === 0 ? '' : `, and ${counted(site.replayed, 'change')} behind it`
  return (
    `It is the site of ${isoDate(timeOfSite(site))}: the snapshot of ${isoDate(site.found.snapshot.at)}${changes}\n` +
    `Start the service: ${commandHere(['serve', ...givenFlags(site.beside)].join(' '), config)}\n`
  )
}

function picturesText({ count, missing }: CopiedPictures, from: string, place: string | undefined): string {
  if (missing === 0) return count === 0 ? '' : `Its ${counted(count, 'picture is', 'pictures are')} there\n`
  if (place !== undefined) {
    return `Warning: at ${place}, ${missing} of ${counted(count, 'picture')} missing or damaged: restore from another place, or upload them again\n`
  }
  return `Warning: ${missing} of its ${counted(count, 'picture')} are missing: put the directory "media" of the backup beside ${from}, and restore again\n`
}

function removedText({ apiTokens, passkeys }: RemovedCredentials): string {
  if (apiTokens + passkeys === 0) return ''
  return (
    `Removed ${counted(apiTokens, 'token of the API', 'tokens of the API')} and ${counted(passkeys, 'passkey')} that the database ` +
    'before did not have: anyone who could write the file could have added them. Make them again, or restore with --keep-tokens\n'
  )
}

function differsText({ administrators, settings }: CopyDifferences): string {
  const many = administrators.length === ADMINISTRATORS_TOLD_MAX ? ' and perhaps more' : ''
  const people = administrators.map((email) => singleLine(email)).join(', ')
  return (
    (people === ''
      ? ''
      : `Warning: administrators that the database before did not have: ${people}${many}: where you do not know one, run ` +
        '"dateline user set-role ADDRESS --dashboard none" before the service starts\n') +
    (settings.length === 0
      ? ''
      : `Warning: stored settings that were others before: ${settings.join(', ')}: see "dateline settings list" before the service starts\n`)
  )
}
