/**
 * The description of the API before programs of others:
 *
 * - openapi-spec-validator, which brings its own schema of OpenAPI 3.1, and jsonschema, which must agree with our own
 *   validator about the table of its tests;
 * - generators of clients, whose clients compile and talk with a running service;
 * - schemathesis, which sends what the description allows, and what it does not, and compares the responses with it.
 *
 *   npm run openapi-conformance
 *   npm run openapi-conformance -- schemathesis 240
 *
 * Words choose some of `validators`, `clients` and `schemathesis`; a number is how many seconds the last one takes. The
 * programs are fetched from PyPI and npm, once, to dist/tools. Where these cannot be reached, it says so and passes.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '../src/api/openapi/openapi.ts'
import { VERSION } from '../src/base/version.ts'
import type { Cleanup } from './tools/temporary-directory.ts'
import { checkGeneratedClients } from './openapi-conformance/generated-clients.ts'
import { runSchemathesis } from './openapi-conformance/schemathesis.ts'
import { withCleanup } from './with-cleanup.ts'
import { npmTools, pythonTools } from './fetched-tools.ts'

const VALIDATORS = ['openapi-spec-validator==0.9.0', 'jsonschema==4.26.0']
const GENERATORS = [
  ...['openapi-python-client==0.29.1', 'datamodel-code-generator==0.89.0', 'openapi-generator-cli==7.26.0'],
  // What the clients need: openapi-generator pins nothing.
  ...['pydantic==2.14.4', 'python-dateutil==2.9.0.post0', 'urllib3==2.8.0'],
]
const NPM_GENERATORS = {
  ...{ orval: '8.38.0', '@hey-api/openapi-ts': '0.99.0', 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0' },
  // They read types with the compiler that they were written for.
  typescript: '5.9.3',
}
const SCHEMATHESIS = ['schemathesis==4.32.5']
const CHECK_MS_MAX = 60_000
const SCHEMATHESIS_SECONDS = 45

const words = process.argv.slice(2)
const seconds = Number(words.find((word) => /^\d+$/.test(word)) ?? SCHEMATHESIS_SECONDS)
const chosen = words.filter((word) => !/^\d+$/.test(word))
const wants = (name: string): boolean => chosen.length === 0 || chosen.includes(name)

try {
  await withCleanup(async (cleanup) => {
    if (wants('validators')) validate()
    if (wants('clients')) await checkClients(cleanup)
    if (wants('schemathesis')) await checkBySchemathesis(cleanup)
  })
} catch (error) {
  process.stderr.write(`openapi-conformance: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

function validate(): void {
  const probe = 'import openapi_spec_validator, jsonschema'
  const { bin, missing } = pythonTools({ name: 'openapi', packages: VALIDATORS, probe })
  if (missing !== undefined) return sayNotRun('validators', missing)
  const file = join(bin, '..', 'openapi.json')
  writeFileSync(file, JSON.stringify(openApiDocument({ version: VERSION })))
  const cases = join(import.meta.dirname, '..', 'test', 'cases', 'json-schema.json')
  const program = join(import.meta.dirname, 'openapi-conformance', 'check.py')
  const args = ['-X', 'utf8', program, file, cases]
  const { status } = spawnSync(join(bin, 'python'), args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: CHECK_MS_MAX })
  if (status !== 0) process.exitCode = 1
}

async function checkClients(cleanup: Cleanup): Promise<void> {
  const probe = 'import openapi_python_client, datamodel_code_generator, openapi_generator_cli, dateutil'
  const { bin, missing } = pythonTools({ name: 'openapi-clients-python', packages: GENERATORS, probe })
  if (missing !== undefined) return sayNotRun('clients', missing)
  const { directory, missing: missingPackages } = npmTools({ name: 'openapi-clients', packages: NPM_GENERATORS })
  if (missingPackages !== undefined) return sayNotRun('clients', missingPackages)
  await checkGeneratedClients({ packages: directory, bin }, cleanup)
}

async function checkBySchemathesis(cleanup: Cleanup): Promise<void> {
  const { bin, missing } = pythonTools({ name: 'schemathesis', packages: SCHEMATHESIS, probe: 'import schemathesis' })
  if (missing !== undefined) return sayNotRun('schemathesis', missing)
  await runSchemathesis({ bin, seconds }, cleanup)
}

function sayNotRun(name: string, why: string): void {
  process.stdout.write(`openapi-conformance: not run: ${name}: ${why}\n`)
}
