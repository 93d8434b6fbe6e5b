/** `dateline backup`: a checked copy of the database, also while the service writes. */
import { constants, setPriority } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { counted, sizeText } from '../../base/counted.ts'
import { readConfig } from '../../config/read-config.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { backupName, writeBackup, type Backup } from '../../store/backup/backup.ts'
import { databaseFile } from '../../store/db/data-dir.ts'
import { EXIT, type Command } from '../command.ts'
import { commandRecord, recordBeside } from '../command-record.ts'
import { abortOn, progressOn } from '../progress.ts'

export const backupCommand: Command = {
  name: 'backup',
  summary: 'copy the database to a file and check the copy; also while the service runs',
  options: [
    {
      flag: '--to',
      value: 'FILE',
      meaning: 'file to write, in a directory that exists (default: backups/dateline-DATE.db in the data directory)',
    },
    { flag: '--json', meaning: 'print the result as JSON' },
  ],
  settings: ['dataDir'],
  examples: ['dateline backup', 'dateline backup --data-dir /srv/dateline --to /mnt/usb/dateline.db'],
  async run({ options, settings }, terminal) {
    const { dataDir } = readConfig(settings, terminal.environment)
    yieldToService()
    const progress = progressOn(terminal, 'Backing up')
    const backup = await writeBackup({
      database: databaseFile(resolve(dataDir)),
      target: options.get('--to') ?? join(dataDir, 'backups', backupName(systemClock())),
      makesDirectory: !options.has('--to'),
      models: STORED_MODELS,
      now: systemClock,
      signal: abortOn(terminal.interrupted),
      onProgress: progress.show,
    }).finally(progress.end)
    const { file, bytes, schema, version, items, pictures, ms } = backup
    await recordBeside({ dataDir }, terminal, commandRecord('backup', { file, bytes: String(bytes) }))
    const count = Object.values(items).reduce((sum, n) => sum + n, 0)
    terminal.stdout.write(
      options.has('--json')
        ? `${JSON.stringify({ file, bytes, schema, version, items, pictures, ms })}\n`
        : `Wrote ${file}: ${sizeText(bytes)}, ${counted(count, 'item')}, checked, in ${(ms / 1000).toFixed(1)} s\n${picturesText(pictures, file)}`,
    )
    return EXIT.ok
  },
}

function picturesText({ count, missing }: Backup['pictures'], file: string): string {
  if (count === 0) return ''
  const found = `Its ${counted(count, 'picture is', 'pictures are')} in ${join(dirname(file), 'media')}`
  return missing === 0 ? `${found}\n` : `${found}, without ${missing} that the site lacks: see dateline media check\n`
}

/** Where there are few cores, the service goes first. */
function yieldToService(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The user may not set priorities; the backup works all the same.
  }
}
