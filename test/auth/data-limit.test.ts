/** The limit on data requests of a user, of which each node of a cluster has its share. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDataLimit } from '../../src/auth/limits.ts'
import { Failure } from '../../src/base/failure.ts'
import { windowsMemory } from '../../src/base/shared-windows.ts'

/** How many requests of one user are taken at once. */
function taken(perUser: number, nodes: number): number {
  const limit = createDataLimit(() => perUser, { onRefused: () => {}, windows: windowsMemory(), nodes: () => nodes })
  for (let count = 0; ; count++) {
    try {
      limit.dataRequest('a user', 0)
    } catch (error) {
      assert.ok(error instanceof Failure && error.code === 'tooManyRequests')
      return count
    }
  }
}

it('the nodes of a cluster together take as many requests as one process does', () => {
  for (const [perUser, nodes, share] of [
    [6, 1, 6],
    [6, 3, 2],
    [600, 3, 200],
    // Each takes one at least.
    [2, 3, 2],
    [3, 9, 1],
  ] as const) {
    assert.equal(taken(perUser, nodes), share, `${perUser} of ${nodes} nodes`)
  }
})
