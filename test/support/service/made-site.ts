/** Data directories that are made once in a process, and copied for each test: a copy takes a few milliseconds. */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runHere } from './in-process.ts'
import { temporaryDirectory, type Cleanup } from '../../../scripts/tools/temporary-directory.ts'

/** The administrator of each. */
export const BOSS = 'you@example.org'

const made = new Map<string, Promise<string>>()

/** A new data directory with an administrator alone. */
export function siteWithBoss(t: Cleanup): Promise<string> {
  return copyOf(t, ['admin', '--yes', '--email', BOSS])
}

/** A new data directory with the sample content alone. */
export function siteWithSamples(t: Cleanup): Promise<string> {
  return copyOf(t, ['seed', '--yes'])
}

async function copyOf(t: Cleanup, words: readonly string[]): Promise<string> {
  const key = words.join(' ')
  if (!made.has(key)) made.set(key, make(words))
  const data = join(temporaryDirectory(t), 'data')
  cpSync((await made.get(key)) ?? '', data, { recursive: true, preserveTimestamps: true })
  return data
}

async function make(words: readonly string[]): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-test-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const data = join(directory, 'data')
  const { code, stderr } = await runHere([...words, '--data-dir', data])
  assert.equal(code, 0, stderr)
  return data
}
