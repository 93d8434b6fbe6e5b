/** Data directories that a command has made. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { copyMade, madeOnce } from '../../../scripts/tools/made-once.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { runHere } from './in-process.ts'

/** The administrator of each. */
export const BOSS = 'you@example.org'

/** A new data directory with an administrator alone. */
export function siteWithBoss(t: Cleanup): Promise<string> {
  return copyOf(t, ['admin', '--yes', '--email', BOSS])
}

/** A new data directory with the sample content alone. */
export function siteWithSamples(t: Cleanup): Promise<string> {
  return copyOf(t, ['seed', '--yes'])
}

async function copyOf(t: Cleanup, words: readonly string[]): Promise<string> {
  const made = await madeOnce(words.join(' '), async (directory) => {
    const data = join(directory, 'data')
    const { code, stderr } = await runHere([...words, '--data-dir', data])
    assert.equal(code, 0, stderr)
    return data
  })
  const data = join(temporaryDirectory(t), 'data')
  copyMade(made, data)
  return data
}
