import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openFilesMax, parseOpenFiles } from '../../src/base/open-files.ts'

describe('openFilesMax()', () => {
  it('knows the limit of this process', { skip: process.platform === 'win32' }, () => {
    assert.ok((openFilesMax() ?? 0) >= 64)
  })

  for (const [line, limit] of [
    ['Max open files            1024                 524288               files     ', 1024],
    ['Max open files            unlimited            unlimited            files     ', undefined],
    ['Max processes             1024                 1024                 processes ', undefined],
  ] as const) {
    it(`reads ${JSON.stringify(line.trim())}`, () => {
      assert.equal(parseOpenFiles(`Limit      Soft Limit      Hard Limit      Units\n${line}\n`), limit)
    })
  }
})
