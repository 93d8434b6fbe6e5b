/** What a command that was killed left in the directory of a node. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { it } from 'node:test'
import { makeCommandDirectory, removeLeftCommands } from '../../src/app/cluster/command-copies.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

it('copies of commands that were killed are removed, those of running ones and anything else stay', (t) => {
  const directory = temporaryDirectory(t)
  const running = basename(makeCommandDirectory(directory))
  const { pid: ended } = spawnSync('true')
  for (const name of [`command-${ended}-abc`, 'command-x', 'commands']) {
    mkdirSync(join(directory, name))
    writeFileSync(join(directory, name, 'dateline.db'), 'all data')
  }
  removeLeftCommands(directory)
  assert.deepEqual(readdirSync(directory).sort(), [running, 'command-x', 'commands'].sort())
})
