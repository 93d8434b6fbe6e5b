/** The disk of the data directory, which may be unmounted or moved while the service runs. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { diskLimit } from '../../src/app/disk-share.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

it('a data directory that is gone is unavailable, and no failure of the server', (t) => {
  const limit = diskLimit(join(temporaryDirectory(t), 'gone'), () => 0, { share: 0.1, bytesMax: 1_000, freeBytesMin: 0 })
  assert.throws(limit, { code: 'networkError', message: 'The data directory cannot be used now: no such file or directory' })
})
