/** Programs of Python packages, installed once from PyPI to dist/tools. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const INSTALL_MS_MAX = 180_000

interface PythonTools {
  /** The directory in dist/tools. */
  readonly name: string
  readonly packages: readonly string[]
  /** Code of Python that fails where they are not installed. */
  readonly probe: string
}

/** The directory of their programs; `missing` says why they cannot be had. */
export function pythonTools({ name, packages, probe }: PythonTools): { readonly bin: string; readonly missing: string | undefined } {
  const tools = join(import.meta.dirname, '..', 'dist', 'tools', name)
  const bin = join(tools, 'bin')
  const python = join(bin, 'python')
  if (tryRun(python, ['-c', probe]) === undefined) return { bin, missing: undefined }
  // Half of one would be taken for a whole one the next time.
  rmSync(tools, { recursive: true, force: true })
  mkdirSync(join(tools, '..'), { recursive: true })
  const missing =
    tryRun('python3', ['-m', 'venv', tools]) ??
    tryRun(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries=1', ...packages])
  return { bin, missing }
}

/** Undefined where the program ended well, else the last line of what it said. */
function tryRun(program: string, words: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8', timeout: INSTALL_MS_MAX })
  if (error !== undefined) return error.message
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `${program} ended with ${status}`)
}
