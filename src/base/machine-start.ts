/** When the machine started: what a process wrote and did not sync may be gone after another start. */
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import type { Clock } from './clock.ts'

/** proc(5), under /proc/sys/kernel/random. */
const LINUX_BOOT_ID = '/proc/sys/kernel/random/boot_id'
/** Two starts are further apart than what setting the clock changes in the time of one. */
const TOLERANCE_SECONDS = 60

export interface MachineStart {
  /** Names this start in a stored text. */
  readonly name: string
  /** Whether a stored name is that of this start. */
  is(name: string): boolean
}

/** By the identity that Linux gives each start; elsewhere by its time, in seconds since the epoch. */
export function machineStart(now: Clock, readBootId: () => string = () => readFileSync(LINUX_BOOT_ID, 'latin1')): MachineStart {
  try {
    const name = readBootId().trim()
    return { name, is: (other) => other === name }
  } catch {
    const seconds = Math.round(now() / 1_000 - uptime())
    return { name: String(seconds), is: (other) => Math.abs(Number(other) - seconds) <= TOLERANCE_SECONDS }
  }
}
