/** Named pipes: what opens one to read waits in the system until it is opened to write. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'

/** A new pipe. What still waits for a writer is let go when the test ends. */
export function namedPipe(t: Cleanup): string {
  let path: string | undefined
  // A system does not wait for the other side where a pipe is opened for both.
  t.after(() => {
    if (path !== undefined) closeSync(openSync(path, 'r+'))
  })
  path = join(temporaryDirectory(t), 'pipe')
  execFileSync('mkfifo', [path])
  return path
}
