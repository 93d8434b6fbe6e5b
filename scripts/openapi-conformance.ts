/**
 * The description of the API before validators of others: openapi-spec-validator, which brings its own schema of
 * OpenAPI 3.1 and validates every schema in the document, and jsonschema, which must agree with our own validator about
 * the table of its tests.
 *
 *   npm run openapi-conformance
 *
 * Both are Python packages, installed once to dist/tools/openapi. Where there is no Python, or PyPI cannot be reached,
 * it says so and passes.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '../src/api/openapi/openapi.ts'
import { VERSION } from '../src/base/version.ts'

const PACKAGES = ['openapi-spec-validator==0.9.0', 'jsonschema==4.26.0']
const INSTALL_MS_MAX = 180_000
const CHECK_MS_MAX = 60_000

const root = join(import.meta.dirname, '..')
const tools = join(root, 'dist', 'tools', 'openapi')
const python = join(tools, 'bin', 'python')

const missing = install()
if (missing === undefined) {
  check()
} else {
  process.stdout.write(`openapi-conformance: not run: ${missing}\n`)
}

/** Makes the virtual environment; gives why it cannot be had. */
function install(): string | undefined {
  if (tryRun(python, ['-c', 'import openapi_spec_validator, jsonschema']) === undefined) return undefined
  // Half of one would be taken for a whole one the next time.
  rmSync(tools, { recursive: true, force: true })
  mkdirSync(join(tools, '..'), { recursive: true })
  return (
    tryRun('python3', ['-m', 'venv', tools]) ??
    tryRun(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries=1', ...PACKAGES])
  )
}

/** Undefined where the program ended well, else the last line of what it said. */
function tryRun(program: string, words: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8', timeout: INSTALL_MS_MAX })
  if (error !== undefined) return error.message
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `${program} ended with ${status}`)
}

function check(): void {
  const file = join(tools, 'openapi.json')
  writeFileSync(file, JSON.stringify(openApiDocument({ version: VERSION })))
  const cases = join(root, 'test', 'cases', 'json-schema.json')
  const program = join(import.meta.dirname, 'openapi-conformance', 'check.py')
  const words = ['-X', 'utf8', program, file, cases]
  const { status } = spawnSync(python, words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: CHECK_MS_MAX })
  process.exitCode = status === 0 ? 0 : 1
}
