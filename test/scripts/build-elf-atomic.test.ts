// night: it rewrites whole copies of Node; check-executable.ts sees that the executable does without the library
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { withoutLibatomic } from '../../scripts/build-elf-atomic.ts'
import { stripElf } from '../../scripts/build-elf.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

/** V8 claims an entry of a shared table for each function and each WebAssembly function that is called: threads race for them. */
const CLAIMS = `
  const { Worker, isMainThread } = require('node:worker_threads')
  const wasm = Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 7, 11])
  let sum = 0
  for (let i = 0; i < 3000; i++) {
    sum += new Function('return ' + i)()
    if (i % 300 === 0) sum += new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports.f()
  }
  if (sum !== 4498570) throw new Error('The sum is ' + sum)
  if (isMainThread) for (let i = 0; i < 4; i++) new Worker(__filename)
`

describe('withoutLibatomic()', { skip: process.platform !== 'linux' }, () => {
  const node = stripElf(readFileSync(process.execPath))

  it('gives a Node that does not load the library, and whose threads compare and exchange as before', (t) => {
    const directory = temporaryDirectory(t)
    const [program, script] = [join(directory, 'node'), join(directory, 'claims.cjs')]
    writeFileSync(program, withoutLibatomic(node), { mode: 0o755 })
    writeFileSync(script, CLAIMS)
    const libraries = (path: string) => spawnSync(path, [], { env: { LD_TRACE_LOADED_OBJECTS: '1' }, encoding: 'utf8' }).stdout
    assert.match(libraries(process.execPath), /libatomic/)
    assert.doesNotMatch(libraries(program), /libatomic|not found/)
    const { status, signal, stderr } = spawnSync(program, [script], { env: {}, encoding: 'utf8' })
    assert.deepEqual([status, signal, stderr], [0, null, ''])
  })

  it('refuses a Node that uses another function of the library', () => {
    const other = Buffer.from(node)
    other.write('__atomic_fetch_add_16\0', other.indexOf('\0__atomic_compare_exchange\0') + 1)
    assert.throws(() => withoutLibatomic(other), /^Error: Cannot take libatomic.so.1 out of Node: it also uses __atomic_fetch_add_16$/)
  })

})
