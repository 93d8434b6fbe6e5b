/** A folder of a source package at PyPI, fetched once into dist/tools and checked by its digest. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FETCH_MS_MAX = 180_000

export interface SourcePackage {
  readonly name: string
  readonly version: string
  readonly sha256: string
  /** Within the package. */
  readonly folder: string
}

/** The folder; `missing` says why it cannot be had. */
export function sourcePackage({ name, version, sha256, folder }: SourcePackage): { readonly directory: string; readonly missing: string | undefined } {
  const root = join(import.meta.dirname, '../dist/tools', name)
  const directory = join(root, `${name}-${version}`, folder)
  if (existsSync(directory)) return { directory, missing: undefined }
  const partial = `${root}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  const wanted = join(partial, 'wanted.txt')
  writeFileSync(wanted, `${name}==${version} --hash=sha256:${sha256}\n`)
  // pip checks the digest before it looks into the archive.
  const words = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '--require-hashes', '-r', wanted, '-d', partial]
  const archive = join(partial, `${name}-${version}.tar.gz`)
  const missing = tryRun('python3', [...words, '--disable-pip-version-check']) ?? digestProblem(archive, sha256) ?? tryRun('tar', ['-xzf', archive, '-C', partial])
  if (missing !== undefined) return { directory, missing }
  rmSync(root, { recursive: true, force: true })
  renameSync(partial, root)
  return { directory, missing: undefined }
}

function digestProblem(archive: string, wanted: string): string | undefined {
  const found = createHash('sha256').update(readFileSync(archive)).digest('hex')
  return found === wanted ? undefined : `the package has the SHA-256 ${found}, expected ${wanted}`
}

function tryRun(program: string, words: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8', timeout: FETCH_MS_MAX })
  if (error !== undefined) return error.message
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `${program} ended with ${status}`)
}
