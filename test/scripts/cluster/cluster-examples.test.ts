/** The units of a cluster: what systemd says of them, and whether their flags and variables exist. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { SETTINGS } from '../../../src/config/settings.ts'
import { temporaryDirectory } from '../../../scripts/tools/temporary-directory.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples/cluster')
const UNITS = readdirSync(EXAMPLES).filter((name) => name.endsWith('.service'))
const read = (name: string): string => readFileSync(join(EXAMPLES, name), 'utf8')
const noSystemd = spawnSync('systemd-analyze', ['--version']).status === 0 ? false : 'there is no systemd-analyze'

it('there are units for etcd and a node', () => assert.deepEqual(UNITS, ['dateline-etcd.service', 'dateline-node.service']))

for (const name of UNITS) {
  it(`systemd finds no fault with ${name}`, { skip: noSystemd }, (t) => {
    // The programs are not on this machine.
    const file = join(temporaryDirectory(t), name)
    writeFileSync(file, read(name).replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
  })
}

describe('the flags and variables of Dateline in the examples', () => {
  const flags: ReadonlySet<string> = new Set(SETTINGS.map(({ flag }) => flag))
  const variables: ReadonlySet<string> = new Set(SETTINGS.flatMap(({ environment }) => environment))

  for (const name of ['dateline-node.service', 'compose.yaml', 'cluster.env']) {
    it(`of ${name} exist`, () => {
      const text = read(name).replace(/^#.*$/gm, '')
      const given = [...text.matchAll(/(?<=\s|\[)--[a-z-]+/g)].map(String)
      assert.deepEqual(given.filter((flag) => !flags.has(flag)), [])
      const used = [...text.matchAll(/\bDATELINE_\w+/g)].map(String)
      assert.deepEqual(used.filter((variable) => !variables.has(variable)), [])
      assert.ok(given.length + used.length > 1)
    })
  }
})
