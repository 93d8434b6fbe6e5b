/**
 * What keeps the service from its work: each check gives a reason, or nothing. Only a check of this process takes it out of
 * a load balancer: mail and backups fail in the same way wherever a request is served, so their reasons are warnings. Every
 * client that can reach the port reads both, so they tell what is wrong and not where: paths and replies of mail servers are
 * in the log.
 */
import { statfs } from 'node:fs/promises'
import type { Clock } from '../base/clock.ts'
import { concern, type Concern } from '../base/concern.ts'
import { counted } from '../base/counted.ts'
import { isoDate } from '../base/dates.ts'
import { MINUTE_MS, showDuration } from '../base/duration.ts'
import { offsiteConcerns, type OffsitePlaces } from './offsite-concerns.ts'
import { REMOTE_CONFIG_ID, remoteConfig } from '../models/remote-config.ts'
import type { BackupState } from '../store/backup/backup-schedule.ts'
import type { Replication } from '../store/cluster/replication.ts'
import { databaseFile } from '../store/db/data-dir.ts'
import { watchPath } from '../store/db/moved-file.ts'
import type { ReadStore } from '../store/read-store.ts'

/** Less than this, and a checkpoint of the log may fail. */
export const FREE_BYTES_MIN = 64 * 1024 * 1024
/** A code lives for minutes. A mail server that fails for longer than this does more than restart. */
const MAIL_FAILS_MAX_MS = 3 * MINUTE_MS
/** The checks whose reasons do not make this process unable to serve requests. */
const WARNINGS: readonly string[] = ['mail', 'backups', 'offsite', 'folder'] satisfies (keyof ReadinessChecks)[]

/** A reason in a few words, or undefined where all is well. What it throws is a reason too. */
export type ReadinessCheck = () => Promise<Concern | undefined>

export type ReadinessChecks = Readonly<Record<'database' | 'disk' | 'mail' | 'backups' | 'offsite' | 'cluster' | 'folder', ReadinessCheck>>

export interface ReadinessOptions {
  readonly store: Pick<ReadStore, 'documents'>
  readonly dataDir: string
  /** Undefined while the service makes none by itself. */
  readonly backups: () => { state(): BackupState } | undefined
  readonly offsite: OffsitePlaces
  /** Since when the mail server fails for every message. */
  readonly mailFailingSince: () => number | undefined
  /** Why the folder of feeds cannot be used. */
  readonly folderConcern: () => string | undefined
  readonly now: Clock
  /** Of a node. */
  readonly replication: Pick<Replication, 'state'> | undefined
}

export function readinessChecks({ store, dataDir, backups, offsite, mailFailingSince, folderConcern, now, replication }: ReadinessOptions): ReadinessChecks {
  const isMoved = watchPath(databaseFile(dataDir))
  return {
    async database() {
      store.documents.get(remoteConfig, REMOTE_CONFIG_ID)
      return isMoved() ? concern('databaseMoved', 'its file was moved, removed or replaced: put it back, or restore a backup') : undefined
    },
    async disk() {
      const free = await freeBytes(dataDir)
      if (free >= FREE_BYTES_MIN) return undefined
      return concern('diskShort', `only ${Math.floor(free / 1024 / 1024)} MiB are free`, { bytes: free, limit: FREE_BYTES_MIN })
    },
    async mail() {
      const failing = now() - (mailFailingSince() ?? now())
      if (failing <= MAIL_FAILS_MAX_MS) return undefined
      const ms = Math.floor(failing / MINUTE_MS) * MINUTE_MS
      return concern('mailFailing', `the mail server has failed for ${showDuration(ms)}`, { ms })
    },
    async backups() {
      const { last, failure } = backups()?.state() ?? {}
      if (failure === undefined) return undefined
      if (last === undefined) return concern('backupMissing', 'none could be made yet')
      const at = isoDate(last.at)
      return concern('backupOld', `the last one is of ${at}`, { at })
    },
    async offsite() {
      const failing = offsiteConcerns(offsite, now()).length
      const total = offsite.places().length
      if (failing === 0) return undefined
      return concern('offsiteFailing', `${failing} of ${counted(total, 'place')} cannot store backups`, { count: failing, total })
    },
    /** Without a quorum, a node still serves reads. */
    async cluster() {
      const state = replication?.state()
      if (state?.kind !== 'diverged') return undefined
      if (state.isAhead) return concern('logLost', 'this node keeps its data, of which the log has lost a part')
      return concern('diverged', 'this node fetches its data again from another one, which has to run')
    },
    async folder() {
      return folderConcern() === undefined ? undefined : concern('folder', 'the folder of feeds cannot be used')
    },
  }
}

export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

export interface Readiness {
  /** Why this process cannot serve requests. */
  readonly reasons: readonly string[]
  /** What else an operator should look at. */
  readonly warnings: readonly string[]
}

export async function readiness(checks: ReadinessChecks): Promise<Readiness> {
  const found = await problemsFound(checks)
  const texts = (areWarnings: boolean): readonly string[] =>
    found.filter(({ check }) => WARNINGS.includes(check) === areWarnings).map(({ check, reason }) => `${check}: ${reason.message}`)
  return { reasons: texts(false), warnings: texts(true) }
}

export async function problemsFound<Name extends string>(
  checks: Readonly<Record<Name, ReadinessCheck>>,
): Promise<readonly { readonly check: Name; readonly reason: Concern }[]> {
  const names = Object.keys(checks) as Name[]
  const found = await Promise.all(
    names.map(async (check) => {
      const reason = await checks[check]().catch(() => concern('unanswered', 'it does not answer'))
      return reason === undefined ? [] : [{ check, reason }]
    }),
  )
  return found.flat()
}
