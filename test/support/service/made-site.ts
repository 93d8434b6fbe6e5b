/** Data directories that a command has made. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { copyMade, madeOnce } from '../../../scripts/tools/made-once.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { readConfig } from '../../../src/config/read-config.ts'
import { runHere } from './in-process.ts'
import { placeSeededDatabase } from './seeded-database.ts'

const { flagBaseUrl } = readConfig(new Map(), {})

/** The administrator of each. */
export const BOSS = 'you@example.org'

/** A data directory as the first start of a service leaves it, which is most of its work. */
export async function startedSite(t: Cleanup): Promise<string> {
  const data = join(temporaryDirectory(t), 'data')
  await placeSeededDatabase(data, { flagBaseUrl })
  return data
}

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
