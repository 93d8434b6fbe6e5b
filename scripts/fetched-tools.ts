/**
 * Programs of others for checks and benchmarks, fetched once into dist/tools: packages of Python with their programs, packages of npm,
 * and folders of source packages. They are no part of the service and of nothing that is built. Each says in `missing` why it cannot
 * be had.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FETCH_MS_MAX = 180_000
const TOOLS = join(import.meta.dirname, '../dist/tools')
const PIP = ['-m', 'pip', '--quiet', '--disable-pip-version-check', '--retries=1']
const NPM = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', '--fetch-retries=1']

interface PythonTools {
  /** The directory in dist/tools. */
  readonly name: string
  readonly packages: readonly string[]
  /** Code of Python that fails where they are not installed. */
  readonly probe: string
}

/** The directory of the programs of Python's packages, from PyPI. */
export function pythonTools({ name, packages, probe }: PythonTools): { readonly bin: string; readonly missing: string | undefined } {
  const [tools, bin, python] = [join(TOOLS, name), join(TOOLS, name, 'bin'), join(TOOLS, name, 'bin/python')]
  if (tryRun(python, ['-c', probe]) === undefined) return { bin, missing: undefined }
  // Half of one would be taken for a whole one the next time.
  const missing = inNewDirectory(tools, (fresh) => tryRun('python3', ['-m', 'venv', fresh])) ?? tryRun(python, [...PIP, 'install', ...packages])
  return { bin, missing }
}

interface NpmTools {
  readonly name: string
  /** Versions by the names of packages. */
  readonly packages: Readonly<Record<string, string>>
}

/** The directory that has packages of npm in its node_modules. */
export function npmTools({ name, packages }: NpmTools): Fetched {
  const directory = join(TOOLS, name)
  const manifest = JSON.stringify({ private: true, dependencies: packages })
  const done = (of: string): string => join(of, 'installed.json')
  if (existsSync(done(directory)) && readFileSync(done(directory), 'utf8') === manifest) return { directory, missing: undefined }
  const missing = inNewDirectory(directory, (fresh) => {
    writeFileSync(join(fresh, 'package.json'), manifest)
    const reason = tryRun('npm', NPM, fresh)
    if (reason === undefined) writeFileSync(done(fresh), manifest)
    return reason
  })
  return { directory, missing }
}

interface SourcePackage {
  readonly name: string
  readonly version: string
  /** pip checks it before it looks into the archive. */
  readonly sha256: string
  /** Within the package. */
  readonly folder: string
}

/** A folder of a source package at PyPI. */
export function sourcePackage({ name, version, sha256, folder }: SourcePackage): Fetched {
  const directory = join(TOOLS, name, `${name}-${version}`, folder)
  if (existsSync(directory)) return { directory, missing: undefined }
  const missing = inNewDirectory(join(TOOLS, name), (fresh) => {
    const wanted = join(fresh, 'wanted.txt')
    writeFileSync(wanted, `${name}==${version} --hash=sha256:${sha256}\n`)
    const words = ['download', '--no-deps', '--no-binary', ':all:', '--require-hashes', '-r', wanted, '-d', fresh]
    return tryRun('python3', [...PIP, ...words]) ?? tryRun('tar', ['-xzf', join(fresh, `${name}-${version}.tar.gz`), '-C', fresh])
  })
  return { directory, missing }
}

interface Fetched {
  readonly directory: string
  readonly missing: string | undefined
}

/** The directory is there as a whole, or as it was before. */
function inNewDirectory(directory: string, make: (fresh: string) => string | undefined): string | undefined {
  const fresh = `${directory}.partial`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  const missing = make(fresh)
  if (missing !== undefined) return missing
  rmSync(directory, { recursive: true, force: true })
  renameSync(fresh, directory)
  return undefined
}

/** Undefined where the program ended well, else the last line of what it said. */
function tryRun(program: string, words: readonly string[], cwd?: string): string | undefined {
  const { status, stderr, error } = spawnSync(program, words, { cwd, encoding: 'utf8', timeout: FETCH_MS_MAX })
  if (error !== undefined) return error.message
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `${program} ended with ${status}`)
}
