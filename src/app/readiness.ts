/**
 * Whether the service can do its work: each check gives a reason why not, or nothing. Every client that can reach the
 * port reads the reasons, so they tell what is wrong and not where: paths and words of mail servers are in the log.
 */
import { statfs } from 'node:fs/promises'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { MINUTE_MS, showDuration } from '../base/duration.ts'
import { REMOTE_CONFIG_ID, remoteConfig } from '../models/remote-config.ts'
import type { BackupState } from '../store/backup/backup-schedule.ts'
import type { Replication } from '../store/replica/replication.ts'
import type { DocumentStore, OutboxStore } from '../store/store.ts'

/** Less than this, and a checkpoint of the log may fail. */
export const FREE_BYTES_MIN = 64 * 1024 * 1024
/** A code lives for minutes: mail that waits longer than this will soon be of no use. */
const MAIL_WAITS_MAX_MS = 3 * MINUTE_MS

/** A reason in a few words, or undefined where all is well. What it throws is a reason too. */
export type ReadinessCheck = () => Promise<string | undefined>

export type ReadinessChecks = Readonly<Record<'database' | 'disk' | 'mail' | 'backups' | 'cluster', ReadinessCheck>>

export interface ReadinessParts {
  readonly store: Pick<DocumentStore, 'get'> & Pick<OutboxStore, 'oldestWaitingAt'>
  readonly dataDir: string
  /** Undefined while the service makes none by itself. */
  readonly backups: () => { state(): BackupState } | undefined
  readonly now: Clock
  /** Of a node. */
  readonly replication: Pick<Replication, 'state'> | undefined
}

export function readinessChecks({ store, dataDir, backups, now, replication }: ReadinessParts): ReadinessChecks {
  return {
    async database() {
      store.get(remoteConfig, REMOTE_CONFIG_ID)
      return undefined
    },
    async disk() {
      const free = await freeBytes(dataDir)
      return free < FREE_BYTES_MIN ? `only ${Math.floor(free / 1024 / 1024)} MiB are free` : undefined
    },
    async mail() {
      const waits = now() - ((await store.oldestWaitingAt()) ?? now())
      return waits > MAIL_WAITS_MAX_MS
        ? `a message has been waiting for ${showDuration(Math.floor(waits / MINUTE_MS) * MINUTE_MS)}`
        : undefined
    },
    async backups() {
      const { last, failure } = backups()?.state() ?? {}
      if (failure === undefined) return undefined
      return last === undefined ? 'none could be made yet' : `the last one is of ${isoDate(last.at)}`
    },
    /** Without a quorum, a node still serves reads. */
    async cluster() {
      const state = replication?.state()
      if (state?.kind !== 'diverged') return undefined
      return state.isAhead ? 'the log has lost entries that this node has' : 'this node fetches its data again from another one'
    },
  }
}

export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

export async function reasonsAgainst(checks: Readonly<Record<string, ReadinessCheck>>): Promise<readonly string[]> {
  return (await problemsFound(checks)).map(({ check, reason }) => `${check}: ${reason}`)
}

export async function problemsFound<Name extends string>(
  checks: Readonly<Record<Name, ReadinessCheck>>,
): Promise<readonly { readonly check: Name; readonly reason: string }[]> {
  const names = Object.keys(checks) as Name[]
  const found = await Promise.all(
    names.map(async (check) => {
      const reason = await checks[check]().catch(() => 'it does not answer')
      return reason === undefined ? [] : [{ check, reason }]
    }),
  )
  return found.flat()
}
