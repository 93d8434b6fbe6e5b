/**
 * Programs of others for checks and benchmarks, fetched once into dist/tools: packages of Python with their programs, packages of npm,
 * and folders of source packages. They are no part of the service and of nothing that is built. Each throws NotAvailable where it
 * cannot be had.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotAvailable } from './conformance.ts'

const FETCH_MS_MAX = 180_000
const TOOLS = join(import.meta.dirname, '../../dist/tools')
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
export function pythonTools({ name, packages, probe }: PythonTools): string {
  const [tools, bin, python] = [join(TOOLS, name), join(TOOLS, name, 'bin'), join(TOOLS, name, 'bin/python')]
  if (spawnSync(python, ['-c', probe]).status === 0) return bin
  // Half of one would be taken for a whole one the next time.
  inNewDirectory(tools, (fresh) => run('python3', ['-m', 'venv', fresh]))
  run(python, [...PIP, 'install', ...packages])
  return bin
}

interface NpmTools {
  readonly name: string
  /** Versions by the names of packages. */
  readonly packages: Readonly<Record<string, string>>
}

/** The directory that has packages of npm in its node_modules. */
export function npmTools({ name, packages }: NpmTools): string {
  const directory = join(TOOLS, name)
  const manifest = JSON.stringify({ private: true, dependencies: packages })
  const done = (of: string): string => join(of, 'installed.json')
  if (existsSync(done(directory)) && readFileSync(done(directory), 'utf8') === manifest) return directory
  inNewDirectory(directory, (fresh) => {
    writeFileSync(join(fresh, 'package.json'), manifest)
    run('npm', NPM, fresh)
    writeFileSync(done(fresh), manifest)
  })
  return directory
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
export function sourcePackage({ name, version, sha256, folder }: SourcePackage): string {
  const directory = join(TOOLS, name, `${name}-${version}`, folder)
  if (existsSync(directory)) return directory
  inNewDirectory(join(TOOLS, name), (fresh) => {
    const wanted = join(fresh, 'wanted.txt')
    writeFileSync(wanted, `${name}==${version} --hash=sha256:${sha256}\n`)
    const words = ['download', '--no-deps', '--no-binary', ':all:', '--require-hashes', '-r', wanted, '-d', fresh]
    run('python3', [...PIP, ...words])
    run('tar', ['-xzf', join(fresh, `${name}-${version}.tar.gz`), '-C', fresh])
  })
  return directory
}

/** The directory is there as a whole, or as it was before. */
function inNewDirectory(directory: string, make: (fresh: string) => void): void {
  const fresh = `${directory}.partial`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  make(fresh)
  rmSync(directory, { recursive: true, force: true })
  renameSync(fresh, directory)
}

/** Throws NotAvailable with the last line of what the program said where it fails. */
function run(program: string, words: readonly string[], cwd?: string): void {
  const { status, stderr, error } = spawnSync(program, words, { cwd, encoding: 'utf8', timeout: FETCH_MS_MAX })
  if (status !== 0) throw new NotAvailable(error?.message ?? stderr.trim().split('\n').at(-1) ?? `${program} ended with ${status}`)
}
