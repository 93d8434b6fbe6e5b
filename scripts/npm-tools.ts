/** Packages of npm for checks, installed once to dist/tools. They are no part of the service and of nothing that is built. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const INSTALL_MS_MAX = 180_000

interface NpmTools {
  /** The directory in dist/tools. */
  readonly name: string
  /** Versions by the names of packages. */
  readonly packages: Readonly<Record<string, string>>
}

/** The directory that has them; `missing` says why they cannot be had. */
export function npmTools({ name, packages }: NpmTools): { readonly directory: string; readonly missing: string | undefined } {
  const directory = join(import.meta.dirname, '..', 'dist', 'tools', name)
  const manifest = JSON.stringify({ private: true, dependencies: packages })
  const done = join(directory, 'installed.json')
  if (existsSync(done) && readFileSync(done, 'utf8') === manifest) return { directory, missing: undefined }
  const partial = `${directory}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  writeFileSync(join(partial, 'package.json'), manifest)
  const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', '--fetch-retries=1']
  const { status, stderr, error } = spawnSync('npm', words, { cwd: partial, encoding: 'utf8', timeout: INSTALL_MS_MAX })
  if (error !== undefined) return { directory, missing: error.message }
  if (status !== 0) return { directory, missing: stderr.trim().split('\n').at(-1) ?? `npm ended with ${status}` }
  writeFileSync(join(partial, 'installed.json'), manifest)
  rmSync(directory, { recursive: true, force: true })
  renameSync(partial, directory)
  return { directory, missing: undefined }
}
