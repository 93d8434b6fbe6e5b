/**
 * The image of examples/container and the files beside it: what they name exists, and the files of the image are enough
 * for the service, on a root that is read-only.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { SECRETS } from '../../src/config/secrets.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { ENDPOINTS } from '../../src/endpoints/endpoints.ts'
import { runHere } from '../support/service/in-process.ts'
import { EXECUTABLE } from '../support/service/program.ts'
import { temporaryDirectory } from '../support/service/temporary-directory.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples/container')
const FILES = readdirSync(EXAMPLES).sort()
const read = (name: string): string => readFileSync(join(EXAMPLES, name), 'utf8')
const DOCKERFILE = read('Dockerfile')
const OWNER = 10001

describe('the container files', () => {
  const variables: ReadonlySet<string> = new Set([...SETTINGS.flatMap(({ environment }) => environment), ...SECRETS])
  const paths = new Set(ENDPOINTS.map(({ path }) => path))

  for (const name of FILES) {
    it(`${name} names variables, paths, ports and commands that exist`, async () => {
      const text = read(name)
      const settings = text.replace(/^\s*#.*$/gm, '')
      assert.deepEqual([...settings.matchAll(/\bDATELINE_\w+/g)].map(String).filter((one) => !variables.has(one)), [])
      assert.deepEqual([...text.matchAll(/\/(?:healthz|readyz|metrics)\w*/g)].map(String).filter((one) => !paths.has(one)), [])
      for (const [, port] of text.matchAll(/\b(?:dateline:|containerPort: |EXPOSE |port: )(\d+)/g)) assert.equal(port, '8080')
      for (const [, command = '', rest = ''] of text.matchAll(/^#.* dateline (admin|health|token)\b(.*)$/gm)) {
        const { stdout } = await runHere(['help', command])
        for (const [flag] of rest.matchAll(/--[a-z-]+/g)) assert.match(stdout, new RegExp(`^  ${flag} `, 'm'))
      }
    })
  }

  it('the image runs as no root, keeps its data in a volume, and checks its health without a shell', () => {
    assert.match(DOCKERFILE, /^USER 10001:10001$/m)
    assert.match(DOCKERFILE, /^VOLUME \/data$/m)
    assert.match(DOCKERFILE, /^HEALTHCHECK .* CMD \["dateline", "health"\]$/m)
    assert.match(DOCKERFILE, /^CMD \["serve"\]$/m)
    const manifest = read('kubernetes.yaml')
    for (const line of ['readOnlyRootFilesystem: true', 'runAsNonRoot: true', 'enableServiceLinks: false', `runAsUser: ${OWNER}`])
      assert.ok(manifest.includes(line), line)
    assert.match(read('compose.yaml'), /^ {4}read_only: true$/m)
  })
})

/** `ENV` of the Dockerfile. */
function imageEnvironment(): Readonly<Record<string, string>> {
  const [, text = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(DOCKERFILE) ?? []
  return Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]))
}

/** What the stage `files` of the Dockerfile puts into the image: the program, the loader and the libraries. */
function makeImage(root: string, program: string): void {
  const libraries = spawnSync('ldd', [program], { encoding: 'utf8' }).stdout.match(/\/\S*/g) ?? []
  assert.ok(libraries.length > 3)
  for (const file of libraries) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    place(file, join(root, file))
  }
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true })
  place(program, join(root, 'usr/local/bin/dateline'))
  mkdirSync(join(root, 'data'))
  for (const directory of ['usr', 'usr/local', 'usr/local/bin', 'lib', 'lib64']) chmodSync(join(root, directory), 0o755)
  chmodSync(root, 0o755)
}

function place(from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o755)
}

const canRun =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  EXECUTABLE !== undefined &&
  spawnSync('ldd', [EXECUTABLE]).status === 0 &&
  spawnSync('unshare', ['--mount', 'true']).status === 0
const skip = canRun ? false : 'it wants the executable in TEST_PROGRAM, and root on Linux'

it('the files of the image are enough, on a root that is read-only and a volume as Kubernetes makes it', { skip }, async (t) => {
  const [root, volume] = [join(temporaryDirectory(t), 'image'), join(temporaryDirectory(t), 'volume')]
  mkdirSync(root)
  makeImage(root, EXECUTABLE ?? '')
  mkdirSync(volume)
  // kubelet leaves a volume to root and gives it to the group of fsGroup.
  chownSync(volume, 0, OWNER)
  chmodSync(volume, 0o2775)
  const inside = 'mount --bind "$1" "$1" && mount --bind "$2" "$1/data" && mount -o remount,bind,ro "$1" && root=$1 && shift 2 && exec chroot --userspec=10001:10001 "$root" "$@"'
  const words = (...command: readonly string[]) => ['--mount', 'sh', '-c', inside, 'sh', root, volume, 'dateline', ...command]
  const dataDir = /name: DATELINE_DATA_DIR\n +value: (\S+)/.exec(read('kubernetes.yaml'))?.[1] ?? ''
  const env = { ...imageEnvironment(), DATELINE_DATA_DIR: dataDir, DATELINE_PORT: '0', PATH: `${process.env['PATH']}:/usr/local/bin` }
  const child = spawn('unshare', words('serve'), { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text))
  let port = ''
  for await (const line of createInterface({ input: child.stdout })) {
    port = String((JSON.parse(line) as { port: number }).port)
    break
  }
  assert.notEqual(port, '', stderr)
  const run = (environment: Readonly<Record<string, string>>, ...command: readonly string[]) =>
    spawnSync('unshare', words(...command), { env: { ...env, ...environment }, encoding: 'utf8' })
  const health = run({ DATELINE_PORT: port }, 'health')
  assert.deepEqual([health.status, health.stderr], [0, ''])
  const admin = run({}, 'admin', '--email', 'you@example.org', '--code')
  assert.deepEqual([admin.status, admin.stderr], [0, ''])
  assert.match(admin.stdout, /Sign-in code: \d{6} /)
  const backup = run({}, 'backup')
  assert.equal(backup.status, 0, backup.stderr)
  child.kill('SIGTERM')
  assert.deepEqual(await closed, [0, null], stderr)
  assert.doesNotMatch(stderr, /"level":"error"/)
})
