/** Regular files up to a limit: all of their bytes, or what was expected and found. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { readRegularFile } from '../../src/base/regular-file.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

it('a file is read up to the limit, and refused one byte past it', (t) => {
  const path = join(temporaryDirectory(t), 'file')
  for (const bytes of [0, 1, 4_096, 4_097, 100_000]) {
    const content = Buffer.alloc(bytes, 'abc')
    writeFileSync(path, content)
    for (const bytesMax of [bytes, 1_000_000]) assert.ok(readRegularFile(path, bytesMax).equals(content), `${bytes} of ${bytesMax}`)
    if (bytes > 0) assert.throws(() => readRegularFile(path, bytes - 1), { name: 'WrongFileError', message: `expected at most ${bytes - 1} bytes, found ${bytes}` })
  }
})

it('a file that reports no size is read to its end', { skip: process.platform !== 'linux' }, () => {
  const maps = readRegularFile('/proc/self/maps', 10_000_000)
  assert.ok(maps.length > 4_096)
  assert.match(maps.toString(), /^[0-9a-f]+-[^]*\[stack\][^]*\n$/)
  assert.throws(() => readRegularFile('/proc/self/maps', 100), { name: 'WrongFileError', message: 'expected at most 100 bytes, found more' })
})
