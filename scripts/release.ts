/**
 * `npm run release [-- --key FILE] [--only NAMES] [--out DIR]`: the executable for every system, each also compressed,
 * with SHA256SUMS, a bill of materials, and a signature when there is a key.
 *
 * The key is an Ed25519 private key as PEM (`openssl genpkey -algorithm ed25519`), in the file of --key or of
 * DATELINE_SIGN_KEY_FILE. The signature is over SHA256SUMS, 64 bytes as they are, so that openssl can check it as well
 * as `dateline verify`. Nothing in a release depends on the time or the directory of the build.
 *
 * What cannot be done here: a Mac accepts the executable without a signature, also one with Apple's own processor that
 * translates it, but a signature that macOS shows as a publisher's needs Apple's tools; so does one of Windows.
 */
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { VERSION } from '../src/base/version.ts'
import { bundleProgram } from './build-bundle.ts'
import { buildExecutable } from './build-executable.ts'
import { EXAMPLES, readExample } from '../src/guides/examples.ts'
import { PINNED_VERSION } from './pinned-node.mjs'
import { tarGz, zip } from './release-archive.ts'
import { billOfMaterials } from './release-sbom.ts'
import { fetchNode, SYSTEMS, type System } from './release-node.ts'

const ROOT = join(import.meta.dirname, '..')
/** Node's package for Windows has no LICENSE; it is the same text for all. */
const LICENSED = SYSTEMS[0] as System

const { values } = parseArgs({
  options: { key: { type: 'string' }, only: { type: 'string' }, out: { type: 'string' } },
})
if (process.versions.node !== PINNED_VERSION) throw new Error(`Run it by npm: this is not Node ${PINNED_VERSION}`)
const keyFile = values.key ?? process.env['DATELINE_SIGN_KEY_FILE']
// A key that cannot be used is told before the work and not after it.
const key = keyFile === undefined ? undefined : readKey(keyFile)
const directory = values.out ?? join(ROOT, 'dist', 'release')
const wanted = values.only === undefined ? SYSTEMS : values.only.split(',').map(systemNamed)
const work = mkdtempSync(join(tmpdir(), 'dateline-release-'))
const sums = new Map<string, string>()
/** Of the typefaces inside the executable. */
const fontLicenses = ['public-sans', 'newsreader'].map((name) => ({ path: `LICENSE.${name}.txt`, bytes: readFileSync(join(ROOT, `data/fonts/${name}-license.txt`)) }))
const examples = EXAMPLES.map((one) => ({ path: `examples/${one.file}`, bytes: Buffer.from(readExample(one)) }))

try {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const bundle = await bundleProgram()
  const license = fetchNode(LICENSED.node).get('LICENSE')
  if (license === undefined) throw new Error(`${LICENSED.node.name} has no LICENSE`)
  for (const system of wanted) {
    try {
      const { binary } = system.node
      const node = fetchNode(system.node).get(binary)
      if (node === undefined) throw new Error(`${system.node.name} has no ${binary}`)
      writeFileSync(join(work, 'node'), node)
      const [name, ending] = [`dateline-${VERSION}-${system.name}`, binary.endsWith('.exe') ? '.exe' : '']
      const output = join(directory, name + ending)
      buildExecutable({ bundle, node: join(work, 'node'), output })
      const executable = readFileSync(output)
      const files = [
        { path: `dateline${ending}`, bytes: executable, isExecutable: true },
        { path: 'LICENSE.node.txt', bytes: license },
        ...fontLicenses,
        ...examples,
      ]
      add(name + ending, executable)
      if (ending === '') write(`${name}.tar.gz`, await tarGz(files))
      else write(`${name}.zip`, await zip(files))
    } catch (error) {
      console.error(`release: ${system.name} is left out: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = 1
    }
  }
  write(`dateline-${VERSION}.cdx.json`, Buffer.from(billOfMaterials(VERSION, process.versions)))
  const list = Buffer.from([...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(''))
  writeFileSync(join(directory, 'SHA256SUMS'), list)
  if (key === undefined) console.error('release: not signed: no --key and no DATELINE_SIGN_KEY_FILE')
  else writeFileSync(join(directory, 'SHA256SUMS.sig'), sign(null, list, key))
} finally {
  rmSync(work, { recursive: true, force: true })
}

function write(name: string, bytes: Buffer): void {
  writeFileSync(join(directory, name), bytes)
  add(name, bytes)
}

function add(name: string, bytes: Buffer): void {
  sums.set(name, createHash('sha256').update(bytes).digest('hex'))
  console.log(`${name}: ${(bytes.length / 1e6).toFixed(1)} MB`)
}

function systemNamed(name: string): System {
  const system = SYSTEMS.find((one) => one.name === name)
  if (system !== undefined) return system
  throw new Error(`There is no system "${name}": use one of ${SYSTEMS.map((one) => one.name).join(', ')}`)
}

function readKey(file: string): ReturnType<typeof createPrivateKey> {
  const found = createPrivateKey(readFileSync(file))
  if (found.asymmetricKeyType !== 'ed25519') {
    throw new Error(`Cannot sign with "${file}": expected a key of Ed25519, found ${found.asymmetricKeyType ?? 'none'}`)
  }
  return found
}
