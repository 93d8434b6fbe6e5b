/**
 * A directory in memory for the files of tests. Their services wait for the disk at each of ten thousand commits, for most
 * of the run where something else writes to it; here the same calls return at once.
 *
 * What a file system does to a database that is killed has drills of its own, in the directory of the system.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, mkdtempDisposableSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const SHARED_MEMORY = '/dev/shm'
const GIB = 1024 ** 3
/** Free in the directory and in memory. The tests have less than half of it in use at a time. */
const FREE_BYTES_MIN = 3 * GIB

/** Undefined where there is none, or it is too small, or no program may run from it. */
export function memoryDirectory(): string | undefined {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(SHARED_MEMORY)
    const isLarge = bavail * bsize >= FREE_BYTES_MIN && freemem() >= FREE_BYTES_MIN
    return isLarge && runsPrograms(SHARED_MEMORY) ? SHARED_MEMORY : undefined
  } catch {
    return undefined
  }
}

/** Containers often forbid it there. */
function runsPrograms(directory: string): boolean {
  using temporary = mkdtempDisposableSync(join(directory, 'dateline-program-'))
  const program = join(temporary.path, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  return spawnSync(program).status === 0
}
