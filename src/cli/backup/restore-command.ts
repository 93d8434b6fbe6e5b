/** `dateline restore`: replaces the database by a backup, while no service runs on the directory. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { counted, sizeText } from '../../base/counted.ts'
import { isoDate } from '../../base/dates.ts'
import { VERSION } from '../../base/version.ts'
import { readConfig } from '../../config/read-config.ts'
import { readIdentity } from '../../cluster/node-identity.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { DataDirError, discardDataDir, ownDataDir, prepareDataDir } from '../../store/db/data-dir.ts'
import { forgetPosition } from '../../store/cluster/position-table.ts'
import { endRestore, removeRestoreFiles } from '../../store/backup/pending-restore.ts'
import { removeReplaced, REPLACED_MAX, restoreDatabase } from '../../store/backup/restore.ts'
import { ADMINISTRATORS_TOLD_MAX, type CopyDifferences, type RemovedCredentials } from '../../store/backup/restored-copy.ts'
import { EXIT, type Command } from '../command.ts'
import { commandRecord, recordBeside } from '../command-record.ts'
import { singleLine } from '../print-table.ts'
import { abortOn, progressOn } from '../progress.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'replace the database with a backup, and keep the old one beside it; not while the service runs',
  operands: [{ name: 'FILE', meaning: 'a backup, or a dateline.db.before-schema-N that was kept before a migration' }],
  options: [
    { flag: '--keep-tokens', meaning: 'keep tokens of the API and passkeys that the database in use does not have; for a file that no stranger could write' },
    { flag: '--json', meaning: 'print the result as JSON' },
  ],
  settings: ['dataDir'],
  examples: ['dateline restore dateline-data/backups/dateline-20260301T120000Z.db'],
  async run({ operands: [from = ''], options, settings }, terminal) {
    const { dataDir } = readConfig(settings, terminal.environment)
    const dir = prepareDataDir(dataDir)
    if (readIdentity(dir.path) !== undefined) {
      throw new DataDirError(
        `Cannot restore into "${dir.path}": it is that of a node: stop all nodes, then run "dateline cluster init --from ${from}" ` +
          'with another --cluster-prefix, and join the others again with empty data directories',
      )
    }
    const lock = ownDataDir(dir, { pid: process.pid, startedAt: isoDate(systemClock()) })
    let isDone = false
    try {
      const record = (replaced?: string): Promise<void> =>
        recordBeside({ dataDir }, terminal, commandRecord('restore', { file: resolve(from), replaced }))
      const progress = progressOn(terminal, 'Restoring')
      const restored = await restoreDatabase({
        dir,
        from,
        models: STORED_MODELS,
        version: VERSION,
        now: systemClock,
        signal: abortOn(terminal.interrupted),
        onProgress: progress.show,
        onReplace: () => (existsSync(dir.database) ? record() : Promise.resolve()),
        keepsCredentials: options.has('--keep-tokens'),
      }).finally(progress.end)
      // A backup of a node: this directory belongs to no cluster.
      forgetPosition(dir.database)
      // One that the service was asked for and had no time for is overtaken.
      endRestore(dir)
      removeRestoreFiles(dir)
      isDone = true
      const { gone, left } = removeReplaced(dir, from)
      const { bytes, schema, version, items, replaced, removed, differs } = restored
      await record(replaced)
      const count = Object.values(items).reduce((sum, n) => sum + n, 0)
      terminal.stdout.write(
        options.has('--json')
          ? `${JSON.stringify({ database: dir.database, replaced, bytes, schema, version, items, removed, differs, removedFiles: gone, leftFiles: left })}\n`
          : `Restored ${dir.database}: ${sizeText(bytes)}, ${counted(count, 'item')}\n` +
              (replaced === undefined
                ? 'That directory had no database before\n'
                : `The database that was there is kept as ${replaced}\n`) +
              removedText(removed) +
              differsText(differs) +
              (gone.length === 0 ? '' : `Removed ${gone.join(', ')}: of replaced databases, the newest ${REPLACED_MAX} are kept\n`),
      )
      for (const { name, reason } of left) {
        terminal.stderr.write(`The database is restored, but ${join(dir.path, name)} could not be removed (${reason}): remove it by hand, with its -wal, -shm and -journal\n`)
      }
      return EXIT.ok
    } finally {
      lock.release()
      // A mistyped FILE must not leave an empty data directory.
      if (!isDone) discardDataDir(dir)
    }
  },
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
