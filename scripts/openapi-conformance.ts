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
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '../src/api/openapi/openapi.ts'
import { VERSION } from '../src/base/version.ts'
import { pythonTools } from './python-tools.ts'

const PACKAGES = ['openapi-spec-validator==0.9.0', 'jsonschema==4.26.0']
const CHECK_MS_MAX = 60_000

const root = join(import.meta.dirname, '..')
const probe = 'import openapi_spec_validator, jsonschema'
const { bin, missing } = pythonTools({ name: 'openapi', packages: PACKAGES, probe })
if (missing === undefined) {
  check()
} else {
  process.stdout.write(`openapi-conformance: not run: ${missing}\n`)
}

function check(): void {
  const file = join(bin, '..', 'openapi.json')
  writeFileSync(file, JSON.stringify(openApiDocument({ version: VERSION })))
  const cases = join(root, 'test', 'cases', 'json-schema.json')
  const program = join(import.meta.dirname, 'openapi-conformance', 'check.py')
  const words = ['-X', 'utf8', program, file, cases]
  const { status } = spawnSync(join(bin, 'python'), words, { stdio: ['ignore', 'inherit', 'inherit'], timeout: CHECK_MS_MAX })
  process.exitCode = status === 0 ? 0 : 1
}
