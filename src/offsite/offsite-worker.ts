/** The program of the threads that store off-site backups: encryption, compression and transfers, beside the event loop. */
import { constants, setPriority } from 'node:os'
import { parseRecipientsFile } from '../age/age-keys.ts'
import { systemClock } from '../base/clock.ts'
import { runTasks } from '../base/thread.ts'
import { VERSION } from '../base/version.ts'
import { STORED_MODELS } from '../models/registry.ts'
import { parseOutboundAllow } from '../outbound/outbound-allow.ts'
import { readOutboundRules, type OutboundOptions } from '../outbound/outbound-settings.ts'
import { DatabaseFileError } from '../store/backup/database-copy.ts'
import { picturesBeside } from '../store/backup/picture-copies.ts'
import type { PicturePlace } from '../store/media/picture-table.ts'
import { openPlace } from './open-place.ts'
import { storePictures, type StoredPictures } from './picture-objects.ts'
import type { PlaceAddress } from './place-address.ts'
import { PlaceError, type PlaceErrorKind } from './place.ts'
import { templateFiles, type SmallFile } from './site-archive.ts'
import { ForkedChain, storeChanges, storeSnapshot, tidyPlace, type ChangesJob, type StoredChanges, type StoredSnapshot, type TidyJob } from './storing.ts'
import { openUnnamedPictures } from './unnamed-pictures.ts'

export interface OffsiteTask {
  readonly address: PlaceAddress
  readonly keys: readonly (readonly [string, string])[]
  /** The text of their file. */
  readonly recipients: string
  readonly rate: number | undefined
  readonly wasUsed: boolean
  readonly outbound: WorkerOutbound
  readonly job:
    | ({ readonly kind: 'changes' } & ChangesJob)
    | { readonly kind: 'snapshot'; readonly database: string; readonly copy: string; readonly dataDir: string; readonly beside: readonly SmallFile[]; readonly lastAt: number; readonly isWholeProofDue: boolean }
    | { readonly kind: 'pictures'; readonly database: string; readonly after: PicturePlace | undefined }
    | ({ readonly kind: 'tidy' } & TidyJob)
}

/** The rules for connections in a form that can be sent to a thread. */
export interface WorkerOutbound extends Omit<OutboundOptions, 'outboundAllow'> {
  readonly allow: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type FailureKind = PlaceErrorKind | 'database' | 'forked'

export type OffsiteResult =
  | { readonly kind: 'changes'; readonly stored: StoredChanges | undefined }
  | { readonly kind: 'snapshot'; readonly stored: StoredSnapshot }
  | { readonly kind: 'pictures'; readonly stored: StoredPictures }
  | { readonly kind: 'tidied'; readonly removed: number }
  | { readonly kind: 'failed'; readonly reason: FailureKind; readonly message: string }

// On Linux, 0 is the calling thread: where there are few cores, requests go first.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

runTasks(async ({ address, keys, recipients, rate, wasUsed, outbound, job }: OffsiteTask): Promise<OffsiteResult> => {
  const now = systemClock
  try {
    const { rules } = readOutboundRules({ ...outbound, outboundAllow: parseOutboundAllow(outbound.allow) }, { now, environment: outbound.environment })
    const place = openPlace(address, { keys: new Map(keys), rules, rate, wasUsed, now })
    const storing = { place, recipients: parseRecipientsFile(recipients), now }
    if (job.kind === 'changes') return { kind: 'changes', stored: await storeChanges(storing, job) }
    if (job.kind === 'pictures') {
      const { database, after } = job
      const unnamed = openUnnamedPictures(database, place.name)
      return { kind: 'pictures', stored: await storePictures(storing, { rows: database, files: picturesBeside(database), after, unnamed }) }
    }
    if (job.kind === 'tidy') return { kind: 'tidied', removed: await tidyPlace(storing, job) }
    const beside = [...job.beside, ...(await templateFiles(job.dataDir))]
    return { kind: 'snapshot', stored: await storeSnapshot(storing, { ...job, beside, version: VERSION, models: STORED_MODELS }) }
  } catch (error) {
    if (error instanceof PlaceError) return { kind: 'failed', reason: error.kind, message: error.message }
    if (error instanceof ForkedChain) return { kind: 'failed', reason: 'forked', message: error.message }
    if (error instanceof DatabaseFileError) return { kind: 'failed', reason: 'database', message: error.message }
    throw error
  }
})
