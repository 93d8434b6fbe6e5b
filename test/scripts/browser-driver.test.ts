/** The process of a browser's driver that does not come up. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'
import { startDriver } from '../support/browser/driver-process.ts'

it('a driver that is killed before it is ready fails at once, and its directory is gone', { skip: process.platform === 'win32' && 'it has no shell', timeout: 20_000 }, async (t) => {
  const [driver, note] = ['driver', 'note'].map((name) => join(temporaryDirectory(t), name)) as [string, string]
  writeFileSync(driver, `#!/bin/sh\necho "$TMPDIR" > '${note}'\necho Starting\nkill -KILL $$\n`)
  chmodSync(driver, 0o700)
  await assert.rejects(startDriver(driver), { message: 'The driver ended before it was ready: Starting\n' })
  assert.equal(existsSync(readFileSync(note, 'utf8').trim()), false)
})
