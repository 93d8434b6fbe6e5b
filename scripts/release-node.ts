/**
 * The systems that a release is for, and the pinned Node of each, from npm.
 *
 * The sums are those that the registry gave when the version was pinned; a package that differs from them is refused,
 * whoever it comes from. They change together with the version of `node` in package.json.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { entriesOfTar } from './release-archive.ts'

export interface System {
  readonly name: string
  /** SHA-512 of the package `node-NAME` of the pinned version, as the registry writes it. */
  readonly integrity: string
  /** The executable in the package. */
  readonly binary: string
}

export const SYSTEMS: readonly System[] = [
  {
    name: 'linux-x64',
    integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    binary: 'bin/node',
  },
  {
    name: 'linux-arm64',
    integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    binary: 'bin/node',
  },
  {
    name: 'win-x64',
    integrity: 'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    binary: 'bin/node.exe',
  },
  {
    name: 'darwin-x64',
    integrity: 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    binary: 'bin/node',
  },
]

/**
 * Fetches the package through npm, which keeps it for the next time. Gives its files by name. Throws with the cause.
 */
export function fetchNode({ name, integrity }: System, version: string): ReadonlyMap<string, Buffer> {
  const directory = mkdtempSync(join(tmpdir(), 'dateline-node-'))
  try {
    const words = ['pack', `node-${name}@${version}`, '--silent', '--prefer-offline']
    const packed = spawnSync('npm', words, { cwd: directory, encoding: 'utf8', shell: process.platform === 'win32' })
    if (packed.status !== 0) {
      throw new Error(`npm cannot fetch node-${name}@${version}: ${packed.stderr.trim() || String(packed.error)}`)
    }
    const archive = readFileSync(join(directory, packed.stdout.trim()))
    checkIntegrity(`node-${name}@${version}`, archive, integrity)
    const files = entriesOfTar(gunzipSync(archive))
    return new Map(files.map(({ path, bytes }) => [path.replace(/^package\//, ''), bytes]))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Throws where the bytes do not have the sum, `sha512-` and Base64 (Subresource Integrity). */
export function checkIntegrity(what: string, bytes: Buffer, wanted: string): void {
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (found !== wanted) throw new Error(`${what} is not what was pinned: wanted ${wanted}, found ${found}`)
}
