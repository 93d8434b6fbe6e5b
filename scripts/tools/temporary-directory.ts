/** Directories of tests. In a file of its own, since most tests of files need no service. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where clean-up is registered: a test's context, or `{ after }` of node:test for a whole file. */
export interface Cleanup {
  after(work: () => void | Promise<void>): void
}

/** For what `before()` makes for all tests of a suite: it is removed behind the last of them, newest first. */
export function suiteCleanup(after: (work: () => Promise<void>) => void): Cleanup {
  const made: (() => void | Promise<void>)[] = []
  after(async () => {
    for (const remove of made.toReversed()) await remove()
  })
  return { after: (work) => void made.push(work) }
}

/** A fresh directory that goes when the test ends. */
export function temporaryDirectory(t: Cleanup): string {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-test-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
