/** `dateline restore`: replaces the database by a backup, while no service runs on the directory. */
import { resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { VERSION } from '../../base/version.ts'
import { readConfig } from '../../config/read-config.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { discardDataDir, ownDataDir, prepareDataDir } from '../../store/sqlite/data-dir.ts'
import { restoreDatabase } from '../../store/backup/restore.ts'
import { EXIT, type Command } from '../command.ts'
import { commandRecord, recordBeside } from '../command-record.ts'
import { abortOn, progressOn, sizeText } from '../progress.ts'

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'replace the database by a backup, and keep the old one beside it; not while the service runs',
  operands: [{ name: 'FILE', meaning: 'a backup, or a dateline.db.before-schema-N that was kept before a migration' }],
  options: [{ flag: '--json', meaning: 'print the result as JSON' }],
  settings: ['dataDir'],
  examples: ['dateline restore dateline-data/backups/dateline-20260301T120000Z.db'],
  async run({ operands: [from = ''], options, settings }, terminal) {
    const { dataDir } = readConfig(settings, terminal.environment)
    const dir = prepareDataDir(dataDir)
    const lock = ownDataDir(dir, { pid: process.pid, startedAt: isoDate(systemClock()) })
    let isDone = false
    try {
      const progress = progressOn(terminal, 'Restoring')
      const restored = await restoreDatabase({
        dir,
        from,
        models: STORED_MODELS,
        version: VERSION,
        now: systemClock,
        signal: abortOn(terminal.interrupted),
        onProgress: progress.show,
      }).finally(progress.end)
      isDone = true
      const { bytes, schema, version, items, replaced } = restored
      await recordBeside({ dataDir }, terminal, commandRecord('restore', { file: resolve(from), replaced }))
      const count = Object.values(items).reduce((sum, n) => sum + n, 0)
      terminal.stdout.write(
        options.has('--json')
          ? `${JSON.stringify({ database: dir.database, replaced, bytes, schema, version, items })}\n`
          : `Restored ${dir.database}: ${sizeText(bytes)}, ${count} items\n` +
              (replaced === undefined
                ? 'That directory had no database before\n'
                : `The database that was there is kept as ${replaced}\n`),
      )
      return EXIT.ok
    } finally {
      lock.release()
      // A mistyped FILE must not leave an empty data directory.
      if (!isDone) discardDataDir(dir)
    }
  },
}
