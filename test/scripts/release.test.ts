import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { unsignPe } from '../../scripts/build-pe.ts'
import { checkIntegrity, entriesOfTar } from '../../scripts/pinned-node.mjs'
import { tarGz, zip } from '../../scripts/release-archive.ts'
import { SYSTEMS } from '../../scripts/release-node.ts'
import { billOfMaterials } from '../../scripts/release-sbom.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const FILES = [
  { path: 'dateline', bytes: Buffer.from('program '.repeat(1000)), isExecutable: true },
  { path: 'LICENSE.node.txt', bytes: Buffer.from('x'.repeat(512)), isExecutable: false },
  { path: 'empty', bytes: Buffer.alloc(0), isExecutable: false },
]

function hasTool(name: string): boolean {
  return spawnSync(name, ['--help']).error === undefined
}

it('what tarGz() packs is what entriesOfTar() finds', async () => {
  assert.deepEqual(entriesOfTar(gunzipSync(await tarGz(FILES))), FILES)
})

it('the tar of the system unpacks it, and the program may be executed', { skip: !hasTool('tar') }, async (t) => {
  const directory = temporaryDirectory(t)
  writeFileSync(join(directory, 'a.tar.gz'), await tarGz(FILES))
  const { status, stderr } = spawnSync('tar', ['-xzf', 'a.tar.gz'], { cwd: directory, encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
  for (const { path, bytes, isExecutable } of FILES) {
    assert.deepEqual(readFileSync(join(directory, path)), bytes)
    if (process.platform !== 'win32') {
      assert.equal((statSync(join(directory, path)).mode & 0o111) !== 0, isExecutable, path)
    }
  }
})

it('unzip unpacks what zip() packs', { skip: !hasTool('unzip') }, async (t) => {
  const directory = temporaryDirectory(t)
  writeFileSync(join(directory, 'a.zip'), await zip(FILES))
  const { status, stdout } = spawnSync('unzip', ['a.zip'], { cwd: directory, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
  for (const { path, bytes } of FILES) assert.deepEqual(readFileSync(join(directory, path)), bytes)
})

it('a package with another sum than the pinned one is refused', () => {
  const bytes = Buffer.from('node')
  const sum = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  checkIntegrity('node-x', bytes, sum)
  assert.throws(
    () => checkIntegrity('node-x', Buffer.from('nodf'), sum),
    /^Error: node-x is not the package that was pinned: wanted/,
  )
  assert.equal(new Set(SYSTEMS.map(({ node }) => node.integrity)).size, SYSTEMS.length)
  for (const { node } of SYSTEMS) assert.equal(Buffer.from(node.integrity.slice(7), 'base64').length, 64)
})

it('the bill of materials names Dateline, Node and every library in it, and is the same each time', () => {
  const text = billOfMaterials('1.2.3', process.versions)
  assert.equal(text, billOfMaterials('1.2.3', { ...process.versions, nothing: '' }))
  const bill = JSON.parse(text) as {
    metadata: { component: { purl: string } }
    components: { name: string; purl: string; 'bom-ref': string; licenses: object[] }[]
    dependencies: { ref: string; dependsOn?: string[] }[]
  }
  assert.equal(bill.metadata.component.purl, 'pkg:generic/dateline@1.2.3')
  const purls = bill.components.map(({ purl }) => purl)
  const { node, openssl, sqlite, undici } = process.versions
  for (const wanted of [
    `generic/node@${node}`,
    `generic/openssl@${openssl}`,
    `generic/sqlite@${sqlite}`,
    `npm/undici@${undici}`,
    'npm/%40fontsource-variable/newsreader@5.3.0',
  ])
    assert.ok(purls.includes(`pkg:${wanted}`), wanted)
  assert.equal(new Set(purls).size, purls.length)
  const licenses = new Map(bill.components.map((one) => [one.name, one.licenses]))
  assert.deepEqual(licenses.get('public-sans'), [{ license: { id: 'OFL-1.1' } }])
  assert.deepEqual(licenses.get('openssl'), [{ license: { id: 'Apache-2.0' } }])
  assert.deepEqual(licenses.get('tzdata'), [{ license: { name: 'Public Domain' } }])
  assert.deepEqual(licenses.get('amaro'), [{ expression: 'MIT AND Apache-2.0' }])
  assert.throws(() => billOfMaterials('1.2.3', { ...process.versions, newcomer: '1' }), /No licence of newcomer is known/)
  const known = new Set([bill.metadata.component.purl, ...purls])
  for (const { ref, dependsOn = [] } of bill.dependencies) assert.ok([ref, ...dependsOn].every((one) => known.has(one)))
})

/** The head of an executable of Windows with a body, and a signature where one is given. */
function pe(signature: string): Buffer {
  const [file, header] = [Buffer.alloc(512), 128]
  file.write('MZ')
  file.writeUInt32LE(header, 0x3c)
  file.write('PE\0\0', header)
  file.writeUInt16LE(0x20b, header + 24)
  file.writeUInt32LE(0xbeef, header + 24 + 64)
  if (signature === '') return file
  file.writeUInt32LE(512, header + 24 + 112 + 32)
  file.writeUInt32LE(signature.length, header + 24 + 112 + 36)
  return Buffer.concat([file, Buffer.from(signature)])
}

it('unsignPe() takes the signature and the checksum out, and nothing else', () => {
  const unsigned = unsignPe(pe('signed by another publisher'))
  const bare = pe('')
  bare.writeUInt32LE(0, 128 + 24 + 64)
  assert.deepEqual(unsigned, bare)
  assert.deepEqual(unsignPe(unsigned), unsigned)
})
