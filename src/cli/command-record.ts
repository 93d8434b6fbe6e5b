/**
 * The record of a command in the audit trail: its name, its arguments, and the user that it changed. Secrets and e-mail
 * addresses are never in it: a record outlives the account that an address belongs to.
 */
import { resolve } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { systemReason } from '../base/system-error.ts'
import { VERSION } from '../base/version.ts'
import { readIdentity } from '../cluster/node-identity.ts'
import type { Config } from '../config/settings.ts'
import { STORED_MODELS } from '../models/registry.ts'
import { user } from '../models/user.ts'
import { OPERATOR } from '../store/actor.ts'
import type { AuditEntry } from '../store/audit/audit-trail.ts'
import { databaseFile, prepareDataDir } from '../store/db/data-dir.ts'
import { openStore } from '../store/open-store.ts'
import type { Terminal } from './command.ts'
import { openForReading } from './documents/open-for-reading.ts'

export type Given = Readonly<Record<string, string | undefined>>

export function commandRecord(name: string, given: Given = {}, userId?: string): AuditEntry {
  const details = Object.entries({ name, ...given }).flatMap(([key, value]) =>
    value === undefined ? [] : [{ name: key, value }],
  )
  return { event: 'command', details, ...(userId === undefined ? {} : { model: user.name, documentId: userId }) }
}

/** Records a command that works on the file. Where that is not possible, stderr says so and the command succeeds. */
export async function recordBeside(
  { dataDir }: Pick<Config, 'dataDir'>,
  { stderr }: Pick<Terminal, 'stderr'>,
  entry: AuditEntry,
): Promise<void> {
  try {
    if (readIdentity(resolve(dataDir)) !== undefined) throw new Error('a node writes through the log of its cluster only')
    // Opening a database of an older program would change its schema.
    openForReading({ dataDir }).close()
    const store = openStore({ dir: prepareDataDir(dataDir), models: STORED_MODELS, version: VERSION, now: systemClock })
    try {
      await store.as(OPERATOR).record(entry)
    } finally {
      await store.close()
    }
  } catch (error) {
    stderr.write(`Not recorded in the audit trail of "${databaseFile(dataDir)}": ${systemReason(error)}\n`)
  }
}
