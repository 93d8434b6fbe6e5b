/** How often backups are made where the operator does not say, and whether there is room for one. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/duration.ts'

const DEFAULT_MS = DAY_MS
/** The log of a cluster is trimmed behind backups. */
const NODE_DEFAULT_MS = 6 * HOUR_MS
/** A new site is filled first, and a program that runs for seconds leaves no backup behind. */
const FIRST_AFTER_MS = 10 * MINUTE_MS
/** Backups that the operator did not ask for leave this much of the disk free. */
const LEFT_FREE_BYTES = 512 * 1024 ** 2

export interface BackupRule {
  readonly everyMs: number
  /** How long after the start the first one of a site is made. */
  readonly firstAfterMs: number
  /** Whether it is left out where the disk is short. */
  readonly yieldsRoom: boolean
}

/** The rule of a setting: a time, `daily` where none is given, undefined for none. A node always has one. */
export function backupRule(setting: number | 'daily' | undefined, isNode: boolean): BackupRule | undefined {
  if (typeof setting === 'number') return { everyMs: setting, firstAfterMs: 0, yieldsRoom: false }
  if (isNode) return { everyMs: NODE_DEFAULT_MS, firstAfterMs: 0, yieldsRoom: false }
  return setting === 'daily'
    ? { everyMs: DEFAULT_MS, firstAfterMs: FIRST_AFTER_MS, yieldsRoom: true }
    : undefined
}

/** Why there is no room for a backup of a database; undefined where there is. */
export function lackOfRoom({ bytes, freeBytes }: { readonly bytes: number; readonly freeBytes: number }): string | undefined {
  if (freeBytes - bytes >= LEFT_FREE_BYTES) return undefined
  const mib = (count: number): number => Math.ceil(count / 1024 ** 2)
  return (
    `only ${mib(freeBytes)} MiB are free, and a backup of ${mib(bytes)} MiB has to leave ${mib(LEFT_FREE_BYTES)}: make room, ` +
    'keep fewer with --backup-keep, or end them with --backup-every off'
  )
}
