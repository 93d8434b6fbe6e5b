/**
 * Making backups while the service runs: one at a time, in a thread. Each kind makes room only for its own: an attacker
 * with an administrator's token could else push out every good backup by making a few new ones.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { fail } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { systemReason } from '../../base/system-error.ts'
import type { AuditEntry } from '../audit/audit-trail.ts'
import { startBackupThread, type BackupThread } from './backup-thread.ts'
import { backupName, partialFiles, removeOldBackups, type BackupKind } from './backup.ts'

export interface BackupRecord {
  /** When it started, in milliseconds since the epoch. */
  readonly at: number
  readonly file: string
  readonly bytes: number
  readonly ms: number
}

export function backupMade({ file, bytes }: BackupRecord): AuditEntry {
  const details = [
    { name: 'name', value: basename(file) },
    { name: 'bytes', value: String(bytes) },
  ]
  return { event: 'backup.made', details }
}

export type BackupRuns = ReturnType<typeof createBackupRuns>

export interface RunsOptions {
  readonly database: string
  readonly directory: string
  /** Number of backups of each kind that are kept, the new one included; read when one is made. */
  readonly keep: () => number
  readonly now: Clock
  readonly log: Log
}

export function createBackupRuns({ database, directory, keep, now, log }: RunsOptions) {
  let running: { readonly thread: BackupThread; readonly settled: Promise<unknown> } | undefined
  let isStopped = false

  const run = async (thread: BackupThread, target: string, { kind, at }: { readonly kind: BackupKind; readonly at: number }): Promise<BackupRecord> => {
    try {
      const written = await thread.run({ kind: 'backup', database, target })
      if (written.kind !== 'written') throw new Error('The thread did something else')
      const { file, bytes, pictures, ms } = written.backup
      log.info('backup.written', { file, bytes, pictures: pictures.count, ms })
      if (pictures.missing > 0) log.warn('backup.pictures_missing', { file, pictures: pictures.missing, advice: 'dateline media check' })
      await makeRoom(kind, thread)
      return { at, file, bytes, ms }
    } catch (error) {
      throw isStopped ? fail('networkError', 'The service is stopping', { cause: error }) : error
    } finally {
      await thread.end()
      running = undefined
    }
  }

  /** The new backup is good, even where old ones cannot be removed. */
  const makeRoom = async (kind: BackupKind, thread: BackupThread): Promise<void> => {
    try {
      const removed = await removeOldBackups(directory, { keep: keep(), kind, now: now() })
      if (removed.length === 0) return
      log.info('backup.removed', { files: removed })
      await thread.run({ kind: 'prune', database, directory })
    } catch (error) {
      log.error('backup.not_removed', { reason: systemReason(error) })
    }
  }

  return {
    /**
     * Removes the oldest of its kind. While another runs, a scheduled one waits, and a manual one throws conflict, as
     * in the same second. Throws DatabaseFileError; nothing is left then.
     */
    async make(kind: BackupKind): Promise<BackupRecord> {
      while (kind === 'scheduled' && running !== undefined) await running.settled
      if (isStopped) throw fail('networkError', 'The service is stopping')
      if (running !== undefined) throw fail('conflict', 'A backup is being made already: wait until it is done')
      const at = now()
      const target = join(directory, backupName(at, kind))
      if (existsSync(target)) throw fail('conflict', 'A backup was made in this very second: it is in the list')
      const thread = startBackupThread()
      const made = run(thread, target, { kind, at })
      running = { thread, settled: made.catch(() => {}) }
      return made
    },
    async stop(): Promise<void> {
      isStopped = true
      const interrupted = running
      await interrupted?.thread.end()
      await interrupted?.settled
      // The thread may have been ended at any point.
      for (const file of await partialFiles(directory)) await rm(file, { force: true })
    },
  }
}
