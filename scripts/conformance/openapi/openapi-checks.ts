/**
 * The description of the API before programs of others:
 *
 * - openapi-spec-validator, which brings its own schema of OpenAPI 3.1, and jsonschema, which must agree with our own
 *   validator about the table of its tests;
 * - generators of clients, whose clients compile and talk with a running service;
 * - schemathesis, which sends what the description allows, and what it does not, and compares the responses with it.
 *
 *   npm run conformance -- openapi
 *   npm run conformance -- openapi schemathesis 240
 *
 * A number is how many seconds the last one takes.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '../../../src/api/openapi/openapi.ts'
import { VERSION } from '../../../src/base/version.ts'
import type { CheckRun, Conformance } from '../conformance.ts'
import { checkGeneratedClients } from './generated-clients.ts'
import { runSchemathesis } from './schemathesis.ts'
import { npmTools, pythonTools } from '../fetched-tools.ts'

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
const CASES = join(import.meta.dirname, '../../../test/cases/json-schema.json')
const CHECK_MS_MAX = 60_000
const SCHEMATHESIS_SECONDS = 45

export const OPENAPI: Conformance = {
  checks: { validators: validate, clients: checkClients, schemathesis: checkBySchemathesis },
  words: /^\d+$/,
}

function validate(): void {
  const bin = pythonTools({ name: 'openapi', packages: VALIDATORS, probe: 'import openapi_spec_validator, jsonschema' })
  const file = join(bin, '..', 'openapi.json')
  writeFileSync(file, JSON.stringify(openApiDocument({ version: VERSION })))
  const args = ['-X', 'utf8', join(import.meta.dirname, 'check.py'), file, CASES]
  const { status } = spawnSync(join(bin, 'python'), args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: CHECK_MS_MAX })
  if (status !== 0) throw new Error(`check.py ended with ${status}`)
}

async function checkClients(run: CheckRun): Promise<void> {
  const probe = 'import openapi_python_client, datamodel_code_generator, openapi_generator_cli, dateutil'
  const bin = pythonTools({ name: 'openapi-clients-python', packages: GENERATORS, probe })
  await checkGeneratedClients({ packages: npmTools({ name: 'openapi-clients', packages: NPM_GENERATORS }), bin }, run)
}

async function checkBySchemathesis(run: CheckRun): Promise<void> {
  const bin = pythonTools({ name: 'schemathesis', packages: SCHEMATHESIS, probe: 'import schemathesis' })
  await runSchemathesis({ bin, seconds: Number(run.words[0] ?? SCHEMATHESIS_SECONDS) }, run)
}
