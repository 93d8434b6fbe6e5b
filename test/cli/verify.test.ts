import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { codeBlocks, DOCUMENTS } from '../support/service/documented-commands.ts'
import { runCheaply } from '../support/service/in-process.ts'
import { temporaryDirectory, type Cleanup } from '../../scripts/tools/temporary-directory.ts'

const NAME = 'dateline-1.0.0-linux-x64.tar.gz'
const CONTENT = 'the published file'

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A directory of downloads: a file, the checksums, their signature, and the key. */
function download(t: Cleanup) {
  const directory = temporaryDirectory(t)
  const [file, sums, key] = [join(directory, NAME), join(directory, 'SHA256SUMS'), join(directory, 'dateline.pub')]
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const publish = (list: string): void => {
    writeFileSync(sums, list)
    writeFileSync(`${sums}.sig`, sign(null, Buffer.from(list), privateKey))
  }
  writeFileSync(file, CONTENT)
  writeFileSync(key, publicKey.export({ type: 'spki', format: 'pem' }))
  publish(`${sha256('another')}  another.tar.gz\n${sha256(CONTENT)}  ${NAME}\n`)
  return { directory, file, sums, key, publish }
}
type Download = ReturnType<typeof download>

it('verify says that the file is listed and the list is signed', async (t) => {
  const { file, sums, key } = download(t)
  const { code, stdout, stderr } = await runCheaply(['verify', file, '--key', key])
  assert.deepEqual([code, stderr], [0, ''])
  assert.equal(stdout, `"${file}" has the sum in "${sums}"\n"${sums}" is signed with the key\n`)
  const asJson = await runCheaply(['verify', file, '--key', key, '--json'])
  assert.deepEqual(JSON.parse(asJson.stdout), { file, sha256: sha256(CONTENT), sums, signed: true })
})

it('verify without a key says that the signature was not checked', async (t) => {
  const { file } = download(t)
  const { code, stdout } = await runCheaply(['verify', file])
  assert.equal(code, 0)
  assert.match(stdout, /was not checked: give the key of the publisher with --key\n$/)
})

it('verify takes a list in another place, with the mark of binary files and the line ends of Windows', async (t) => {
  const { directory, file, key } = download(t)
  const sums = join(directory, 'elsewhere')
  writeFileSync(sums, `${sha256(CONTENT).toUpperCase()} *${NAME}\r\n`)
  assert.equal((await runCheaply(['verify', file, '--sums', sums])).code, 0)
  const unsigned = await runCheaply(['verify', file, '--sums', sums, '--key', key])
  assert.deepEqual([unsigned.code, unsigned.stderr], [1, `Cannot read "${sums}.sig": no such file or directory\n`])
})

const changed = ({ file }: Download): void => appendFileSync(file, '!')
const listedAs = (...rows: readonly (readonly [text: string, name: string])[]) =>
  ({ publish }: Download): void => publish(rows.map(([text, name]) => `${sha256(text)}  ${name}\n`).join(''))

for (const [name, change, message] of [
  ['a file that was changed', changed, /: expected the SHA-256 [0-9a-f]{64}, found [0-9a-f]{64}\n$/],
  [
    'a list that was changed together with the file',
    (there: Download) => {
      changed(there)
      writeFileSync(there.sums, `${sha256(`${CONTENT}!`)}  ${NAME}\n`)
    },
    /Cannot trust ".*SHA256SUMS": its signature was not made with the key of ".*dateline\.pub"\n$/,
  ],
  ['a signature that is none', ({ sums }: Download) => writeFileSync(`${sums}.sig`, 'signed'), /Cannot trust/],
  ['a list without the file', listedAs([CONTENT, `x${NAME}`]), /Cannot check ".*": ".*SHA256SUMS" does not list it\n$/],
  ['a list with two sums for the file', listedAs([CONTENT, NAME], ['x', NAME]), /lists it more than once\n$/],
  [
    'a list that is far too large',
    ({ sums }: Download) => writeFileSync(sums, Buffer.alloc(2 * 1024 ** 2)),
    /Cannot read ".*SHA256SUMS": expected at most 1048576 bytes, found 2097152\n$/,
  ],
] as const) {
  it(`verify refuses ${name}, in one sentence with status 1`, async (t) => {
    const there = download(t)
    change(there)
    const { code, stdout, stderr } = await runCheaply(['verify', there.file, '--key', there.key])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, message)
    assert.equal(stderr.split('\n').length, 2)
  })
}

it('verify tells what it cannot read', async (t) => {
  const { directory, file, sums, publish } = download(t)
  const missing = join(directory, 'missing')
  publish(`${sha256('')}  missing\n${sha256('')}  folder\n`)
  mkdirSync(join(directory, 'folder'))
  const curve = join(directory, 'curve.pub')
  writeFileSync(curve, generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }))
  for (const [words, code, message] of [
    [['verify', join(missing, NAME)], 1, `Cannot read "${join(missing, NAME)}": no such file or directory\n`],
    [['verify', missing], 1, `Cannot read "${missing}": no such file or directory\n`],
    [['verify', join(directory, 'folder')], 1, `Cannot read "${join(directory, 'folder')}": it is a directory\n`],
    [['verify', file, '--sums', missing], 1, `Cannot read "${missing}": no such file or directory\n`],
    [['verify', file, '--key', missing], 1, `Cannot read "${missing}": no such file or directory\n`],
    [['verify', file, '--key', curve], 2, `Cannot use --key "${curve}": expected a public key of Ed25519 as PEM\n`],
    [['verify', file, '--key', sums], 2, `Cannot use --key "${sums}": expected a public key of Ed25519 as PEM\n`],
    [['verify'], 2, 'dateline verify needs FILE: the file to check\n'],
  ] as const) {
    const found = await runCheaply(words)
    assert.deepEqual([found.code, found.stdout, found.stderr], [code, '', message])
  }
})

const noOpenssl = /^OpenSSL [3-9]/.test(spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '')
  ? false
  : 'there is no OpenSSL from 3.0 on'

it('the lines of the guide check a download without the program, and see a change of list or file', { skip: noOpenssl }, (t) => {
  const { directory, file, sums } = download(t)
  const lines = codeBlocks(DOCUMENTS.get('data/guides/operations.md') ?? '', 'console').find((block) => block.includes('openssl pkeyutl')) ?? ''
  const check = () => spawnSync('sh', ['-ec', lines], { cwd: directory, encoding: 'utf8' })
  assert.equal(check().stdout, `Signature Verified Successfully\n${NAME}: OK\n`)
  appendFileSync(file, '!')
  assert.notEqual(check().status, 0)
  writeFileSync(file, CONTENT)
  appendFileSync(sums, '\n')
  assert.notEqual(check().status, 0)
})
