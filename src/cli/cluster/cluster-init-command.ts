/** `dateline cluster init`: makes the log of a site in etcd, from the data of this machine or from a backup. */
import { existsSync } from 'node:fs'
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { VERSION } from '../../base/version.ts'
import { clusterKeysOf } from '../../cluster/cluster-keys.ts'
import { ClusterSettingError } from '../../cluster/etcd-target.ts'
import { newestEntryKey } from '../../cluster/log/etcd-log.ts'
import {
  adoptDraft,
  newNode,
  newSite,
  readDraft,
  removeDraft,
  removeIdentity,
  writeDraft,
  type NodeIdentity,
} from '../../cluster/node-identity.ts'
import { createSite, type SiteRecord } from '../../cluster/site-record.ts'
import { readSecrets } from '../../config/secrets.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { isRestorePending } from '../../store/backup/pending-restore.ts'
import { restoreDatabase } from '../../store/backup/restore.ts'
import { requireRestored } from '../../store/backup/unfinished-restore.ts'
import { filePosition, forgetPosition, startOfLog } from '../../store/cluster/position-table.ts'
import { DataDirError, discardDataDir, ownDataDir, prepareDataDir, type DataDir, type DataDirLock } from '../../store/db/data-dir.ts'
import { schemaOfFile } from '../../store/schema/migrate.ts'
import { EXIT, type Command, type Terminal } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { abortOn, progressOn } from '../progress.ts'
import { openForCommand } from '../with-services.ts'
import { secretsOf, withEtcd, type Reached } from './member.ts'

export const clusterInitCommand: Command = {
  name: 'cluster init',
  summary: 'make the log of a site in etcd, from this data directory or from a backup; not while the service runs',
  options: [
    {
      flag: '--from',
      value: 'FILE',
      meaning: 'restore this backup first; if its log is still in etcd, the node continues after the backup',
    },
  ],
  settings: [...DATA_SETTINGS, 'flagBaseUrl'],
  examples: [
    'dateline cluster init --cluster https://e1:2379,https://e2:2379,https://e3:2379 --cluster-ca ca.pem',
    'dateline cluster init --cluster https://e1:2379 --from dateline-data/backups/dateline-20260301T120000Z.db',
  ],
  run: (args, terminal) =>
    withEtcd(args, terminal, async (reached) => {
      const dir = prepareDataDir(reached.config.dataDir)
      let isDone = false
      try {
        // A running service keeps the lock: it is refused before anything of it is judged or changed.
        const lock = ownDataDir(dir, { pid: process.pid, startedAt: isoDate(systemClock()) })
        try {
          requireRestored(dir.path)
          terminal.stdout.write(await initialize({ reached, dir, lock, from: args.options.get('--from'), terminal }))
          isDone = true
        } finally {
          lock.release()
        }
      } finally {
        if (!isDone) discardDataDir(dir)
      }
      return EXIT.ok
    }),
}

interface Initializing {
  readonly reached: Reached
  readonly dir: DataDir
  /** Held until the end. */
  readonly lock: DataDirLock
  readonly from: string | undefined
  readonly terminal: Terminal
}

/** Judges all, then acts. Returns what to tell the operator. */
async function initialize(work: Initializing): Promise<string> {
  const { reached, dir, from } = work
  const { found, target } = reached
  const draft = readDraft(dir.path, 'init')
  // Of an earlier run that was interrupted: no node has used that log yet.
  const isOurs = found !== undefined && found.site === draft?.site
  if (isRestorePending(dir)) {
    throw new DataDirError(`Cannot use the data directory "${dir.path}": a restore waits in it for the next start: start the service alone, and stop it`)
  }
  if (found !== undefined && !isOurs) await requireBackupOf(found, work)
  else if (from === undefined) schemaOfFile(dir.database, VERSION)
  if (found === undefined || isOurs) await makeLog(work, isOurs ? draft : undefined)
  else await goOn(work, found)
  return (
    `${found === undefined || isOurs ? 'Made' : 'Joined'} the log at ${target.prefix} with the data of ${dir.path}\n` +
    `Keep a copy of ${dir.secrets} elsewhere: without it no entry of the log can be read\n` +
    'Now start it: dateline serve with the same --cluster, and join the other nodes\n'
  )
}

/**
 * A log that is there is never replaced. Rejects with ClusterSettingError unless the backup is of the same site, and with
 * DataDirError unless the secrets of the directory open its newest entry.
 */
async function requireBackupOf({ site, createdAt }: SiteRecord, { reached, dir, from, terminal }: Initializing): Promise<void> {
  const { etcd, target: { prefix } } = reached
  const problem = `Cannot make a log at ${prefix}: there is one since ${createdAt}`
  if (from === undefined) {
    throw new ClusterSettingError(
      `${problem}: join it with "dateline cluster join", name another --cluster-prefix, or, where all nodes are lost, a backup with --from`,
    )
  }
  if (filePosition(from)?.site !== site) {
    throw new ClusterSettingError(`${problem}, and "${from}" is no backup of its site: name another --cluster-prefix`)
  }
  const otherwise = 'or name another --cluster-prefix to continue with the backup alone, without later writes'
  const remedy = `put the file secrets of a lost node into "${dir.path}", ${otherwise}`
  if (readSecrets(terminal.environment).jwtSecret === undefined && !existsSync(dir.secrets)) {
    throw new DataDirError(`Cannot read the log at ${prefix} without the secrets of its site: ${remedy}`)
  }
  const [{ entries }, newest] = [clusterKeysOf(secretsOf(reached.config, terminal)), await newestEntryKey(etcd, prefix)]
  if (newest === undefined || entries.some(({ id }) => id === newest)) return
  throw new DataDirError(`Cannot go on with the log at ${prefix}: its newest entry is sealed with another secret than those given: ${remedy}`)
}

async function restoreFrom(from: string, { dir, terminal }: Initializing, onReplace?: () => Promise<void>): Promise<void> {
  const progress = progressOn(terminal, 'Restoring')
  const signal = abortOn(terminal.interrupted)
  // A node that goes on behind its backup has to have the rows that the others have.
  const request = { dir, from, models: STORED_MODELS, version: VERSION, now: systemClock, signal, onProgress: progress.show, keepsCredentials: true }
  await restoreDatabase({ ...request, ...(onReplace && { onReplace }) }).finally(progress.end)
}

/** Goes on behind a backup, as a new node, where all nodes of a log are lost. */
async function goOn(work: Initializing, { site }: SiteRecord): Promise<void> {
  if (work.from !== undefined) await restoreFrom(work.from, work)
  writeDraft(work.dir.path, 'init', { node: newNode(), site })
  adoptDraft(work.dir.path, 'init')
}

/**
 * The prefix is taken before the data are changed, and the draft of the identity is written before that: an interrupted
 * run can be run again, and one that is too late has changed nothing.
 */
async function makeLog(work: Initializing, draft: NodeIdentity | undefined): Promise<void> {
  const { dir, lock, from, terminal, reached } = work
  const { config, etcd, target } = reached
  const identity = draft ?? { node: newNode(), site: newSite() }
  const take = async (): Promise<void> => {
    if (draft !== undefined) return
    writeDraft(dir.path, 'init', identity)
    if (await createSite(etcd, target.prefix, identity.site, systemClock())) return
    removeDraft(dir.path, 'init')
    throw new ClusterSettingError(`Cannot make a log at ${target.prefix}: another node made one in this moment: join it`)
  }
  if (from === undefined) await take()
  else await restoreFrom(from, work, take)
  // What makes the directory that of an earlier log means nothing in this one.
  removeIdentity(dir.path)
  if (filePosition(dir.database) !== undefined) forgetPosition(dir.database)
  await (await openForCommand(config, terminal, { own: lock })).store.close()
  startOfLog(dir.database, identity.site)
  adoptDraft(dir.path, 'init')
}
