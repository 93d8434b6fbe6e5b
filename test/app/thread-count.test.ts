import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { threadCount } from '../../src/app/threads/thread-count.ts'

const MIB = 1024 * 1024
const PORT = { kind: 'tcp', host: '127.0.0.1', port: 8080 } as const
const SOCKET = { kind: 'unix', path: '/run/dateline.sock' } as const
const MACHINE = { platform: 'linux', cores: 2, memoryBytes: 4096 * MIB }

describe('threadCount()', () => {
  for (const [name, wanted, address, machine, threads, says] of [
    ['is the number of cores', 'auto', PORT, MACHINE, 2, false],
    ['is four at most', 'auto', PORT, { ...MACHINE, cores: 16 }, 4, false],
    ['is one below 512 MiB', 'auto', PORT, { ...MACHINE, memoryBytes: 512 * MIB - 1 }, 1, false],
    ['is more at 512 MiB', 'auto', PORT, { ...MACHINE, memoryBytes: 512 * MIB }, 2, false],
    ['is what the operator says', 7, PORT, { ...MACHINE, memoryBytes: MIB }, 7, false],
    ['is one on a Unix socket, and says so', 'auto', SOCKET, MACHINE, 1, true],
    ['is one on a Unix socket, and says so where more were asked for', 3, SOCKET, MACHINE, 1, true],
    ['is one on a Unix socket, and says nothing where one was asked for', 1, SOCKET, MACHINE, 1, false],
    ['is one on an inherited socket', 2, { kind: 'inherited', descriptor: 3 }, MACHINE, 1, true],
    ['is one on Windows', 2, PORT, { ...MACHINE, platform: 'win32' }, 1, true],
    ['is one on macOS', 'auto', PORT, { ...MACHINE, platform: 'darwin' }, 1, true],
  ] as const) {
    it(name, () => {
      const found = threadCount(wanted, { address, isNode: false }, machine)
      assert.equal(found.threads, threads)
      assert.equal(found.reason !== undefined, says)
    })
  }

  it('is one in a cluster', () => {
    assert.equal(threadCount('auto', { address: PORT, isNode: true }, MACHINE).threads, 1)
  })
})
