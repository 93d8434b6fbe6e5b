/** `dateline cluster init`: makes the log of a site in etcd, from the data of this machine or from a backup. */
import { existsSync, renameSync } from 'node:fs'
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { VERSION } from '../../base/version.ts'
import { ClusterSettingError } from '../../cluster/etcd-target.ts'
import { keyRingFile, newNode, newSite, removeIdentity, writeIdentity } from '../../cluster/node-identity.ts'
import { openKeyRing } from '../../cluster/sealing/key-ring.ts'
import { createSite, type SiteRecord } from '../../cluster/site-record.ts'
import type { Config } from '../../config/settings.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import { restoreDatabase } from '../../store/backup/restore.ts'
import { filePosition, forgetPosition, startOfLog } from '../../store/replica/position-table.ts'
import { DataDirError, ownDataDir, prepareDataDir, type DataDir } from '../../store/sqlite/data-dir.ts'
import { EXIT, type Command, type Terminal } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { abortOn, progressOn } from '../progress.ts'
import { openForCommand } from '../with-services.ts'
import { withEtcd, type Reached } from './member.ts'

export const clusterInitCommand: Command = {
  name: 'cluster init',
  summary: 'make the log of a site in etcd, from this data directory or from a backup; not while the service runs',
  options: [
    {
      flag: '--from',
      value: 'FILE',
      meaning: 'restore this backup first; where its log is still in etcd, the node goes on behind the backup',
    },
  ],
  settings: [...DATA_SETTINGS, 'flagBaseUrl'],
  examples: [
    'dateline cluster init --cluster https://e1:2379,https://e2:2379,https://e3:2379 --cluster-ca ca.pem',
    'dateline cluster init --cluster https://e1:2379 --from dateline-data/backups/dateline-20260301T120000Z.db',
  ],
  run: (args, terminal) =>
    withEtcd(args, terminal, async (reached) => {
      const { config, target, found } = reached
      const dir = prepareDataDir(config.dataDir)
      const from = args.options.get('--from')
      if (found !== undefined) requireBackupOf(found, dir, { from, prefix: target.prefix })
      if (from !== undefined) await restoreFrom(from, dir, terminal)
      if (found === undefined) await makeLog(reached, dir, config, terminal)
      else writeIdentity(dir.path, { node: newNode(), site: found.site })
      terminal.stdout.write(
        `${found === undefined ? 'Made' : 'Joined'} the log at ${target.prefix} with the data of ${dir.path}\n` +
          `Keep a copy of ${dir.secrets} and ${keyRingFile(dir.path)} elsewhere: without them no entry of the log can be read\n` +
          'Now start it: dateline serve with the same --cluster, and join the other nodes\n',
      )
      return EXIT.ok
    }),
}

/** A log that is there is never replaced. Throws ClusterSettingError unless the backup is of the same site. */
function requireBackupOf({ site, createdAt }: SiteRecord, dir: DataDir, { from, prefix }: { from: string | undefined; prefix: string }): void {
  const problem = `Cannot make a log at ${prefix}: there is one since ${createdAt}`
  if (from === undefined) {
    throw new ClusterSettingError(
      `${problem}: join it with "dateline cluster join", name another --cluster-prefix, or, where all nodes are lost, a backup with --from`,
    )
  }
  if (filePosition(from)?.site !== site) {
    throw new ClusterSettingError(`${problem}, and "${from}" is no backup of its site: name another --cluster-prefix`)
  }
  if (!existsSync(keyRingFile(dir.path))) {
    throw new DataDirError(
      `Cannot read the log at ${prefix} without its keys: put the files secrets and cluster-keys of a lost node into "${dir.path}", ` +
        'or name another --cluster-prefix to go on with the backup alone',
    )
  }
}

async function restoreFrom(from: string, dir: DataDir, terminal: Terminal): Promise<void> {
  const lock = ownDataDir(dir, { pid: process.pid, startedAt: isoDate(systemClock()) })
  const progress = progressOn(terminal, 'Restoring')
  try {
    const signal = abortOn(terminal.interrupted)
    // A node that goes on behind its backup has to have the rows that the others have.
    await restoreDatabase({ dir, from, models: STORED_MODELS, version: VERSION, now: systemClock, signal, onProgress: progress.show, keepsCredentials: true })
  } finally {
    progress.end()
    lock.release()
  }
}

/** Epochs after the first one begin at places of the log that they were made in: in another log, no entry could follow them. */
function setAsideLaterKeys(file: string): void {
  if (existsSync(file) && openKeyRing(file).newest > 1) renameSync(file, `${file}.before`)
}

/** The identity is written before the log is made: what is interrupted can be run again. */
async function makeLog({ etcd, target }: Reached, dir: DataDir, config: Config, terminal: Terminal): Promise<void> {
  // What makes the directory that of an earlier log means nothing in this one.
  removeIdentity(dir.path)
  if (existsSync(dir.database) && filePosition(dir.database) !== undefined) forgetPosition(dir.database)
  await (await openForCommand(config, terminal, { own: true })).store.close()
  const lock = ownDataDir(dir, { pid: process.pid, startedAt: isoDate(systemClock()) })
  try {
    const site = newSite()
    setAsideLaterKeys(keyRingFile(dir.path))
    openKeyRing(keyRingFile(dir.path))
    startOfLog(dir.database, site)
    writeIdentity(dir.path, { node: newNode(), site })
    if (await createSite(etcd, target.prefix, site, systemClock())) return
    throw new ClusterSettingError(`Cannot make a log at ${target.prefix}: another node made one in this moment: join it`)
  } finally {
    lock.release()
  }
}
