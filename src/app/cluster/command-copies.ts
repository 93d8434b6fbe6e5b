/**
 * Directories inside that of a node in which commands work on a copy of its database. A command that is killed leaves its
 * directory behind, with all data: the node removes it when it starts.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../base/system-error.ts'

const NAME = /^command-(\d+)-\w+$/

/** Makes one for this process. */
export function makeCommandDirectory(directory: string): string {
  return mkdtempSync(join(directory, `command-${process.pid}-`))
}

/** Removes those whose process has ended. Throws the error of the file system. */
export function removeLeftCommands(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = NAME.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(directory, name), { recursive: true, force: true })
  }
}

/** Signal 0 reaches a process and does nothing (kill(2)). One of another user is there as well. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}
