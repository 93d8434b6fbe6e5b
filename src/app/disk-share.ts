/** What one kind of data may take of the disk of the service: a share of it, or what the operator says. */
import { statfsSync, type StatsFs } from 'node:fs'
import { fail } from '../base/failure.ts'
import { systemReason } from '../base/system-error.ts'

export const MIB = 1024 * 1024
/** Of what it may take: administrators are told ahead of the limit. */
export const NEARLY_ALL = 0.95

export interface DiskShare {
  /** Of the whole disk, where the setting is 0. */
  readonly share: number
  /** What that share is at most. */
  readonly bytesMax: number
  /** With less free on the disk, nothing is added. */
  readonly freeBytesMin: number
}

/** `mb` gives the setting in use. The disk is asked each time, which takes some microseconds. Throws networkError where it is gone. */
export function diskLimit(dataDir: string, mb: () => number, { share, bytesMax, freeBytesMin }: DiskShare) {
  return (): { readonly bytesMax: number; readonly isDiskShort: boolean } => {
    const { blocks, bavail, bsize } = diskOf(dataDir)
    const set = mb()
    return { bytesMax: set > 0 ? set * MIB : Math.min(bytesMax, Math.floor(blocks * bsize * share)), isDiskShort: bavail * bsize < freeBytesMin }
  }
}

function diskOf(directory: string): StatsFs {
  try {
    return statfsSync(directory)
  } catch (error) {
    throw fail('networkError', `The data directory cannot be used now: ${systemReason(error)}`, { cause: error })
  }
}
