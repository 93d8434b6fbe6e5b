/** A file system of a few megabytes in memory, for tests of a full disk. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from './temporary-directory.ts'

/** Why there can be none here; false where there can. */
export const noSmallDisk: string | false =
  process.platform === 'linux' && process.getuid?.() === 0 && canMount() ? false : 'mounting a small tmpfs wants root on Linux'

/** Mounts one that goes when the test ends. */
export function smallDisk(t: Cleanup, megabytes: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-disk-'))
  mount(directory, megabytes)
  t.after(() => {
    spawnSync('umount', ['--lazy', directory])
    rmdirSync(directory)
  })
  return directory
}

function mount(directory: string, megabytes: number): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory])
  if (status !== 0) throw new Error(`Cannot mount: ${String(stderr)}`)
}

/** Root of a container may not mount. */
function canMount(): boolean {
  return spawnSync('unshare', ['--mount', 'true']).status === 0
}
