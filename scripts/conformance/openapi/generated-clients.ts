/**
 * Clients that generators of others make of the description of the API: they compile, and list, read, create, patch and
 * follow headlines of a running service. Each program in clients/ does that with one of them.
 *
 * Dart is generated, and not compiled: no registry here has its SDK.
 */
import { build } from 'esbuild'
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiFor } from '../../../src/api/openapi/openapi-of-model.ts'
import { VERSION } from '../../../src/base/version.ts'
import { headline } from '../../../src/models/headline.ts'
import { newCast } from '../../../test/support/cast.ts'
import { bodyOf } from '../../tools/data-bodies.ts'
import { startService, type TestService } from '../../../test/support/service/service.ts'
import type { CheckRun } from '../conformance.ts'

const PROGRAMS = join(import.meta.dirname, 'clients')
const MODULES = join(import.meta.dirname, '../../../node_modules')
const GENERATED = 'generated'
const JAR = `import openapi_generator_cli, os; print(os.path.join(os.path.dirname(openapi_generator_cli.__file__), 'openapi-generator.jar'))`
const RUN_MS_MAX = 120_000
/** Of openapi-generator, which has its own directory for each. */
const JAVA_CLIENTS = ['typescript-fetch', 'python', 'dart']

const COMPILER_OPTIONS = {
  ...{ strict: true, target: 'esnext', module: 'esnext', moduleResolution: 'bundler', noEmit: true, skipLibCheck: true },
  ...{ lib: ['esnext', 'dom', 'dom.iterable'], types: ['node'], typeRoots: [join(MODULES, '@types')] },
}

export interface Tools {
  /** Of npm's packages. */
  readonly packages: string
  /** Of the programs of Python's packages. */
  readonly bin: string
}

/** Throws what the first program says that fails. */
export async function checkGeneratedClients(tools: Tools, { cleanup, say }: CheckRun): Promise<void> {
  const directory = join(tools.packages, 'clients')
  const hasJava = await generateAll(tools, directory, say)
  await compile(directory, hasJava)
  say('all that is TypeScript compiles, of the whole API as well')
  const service = await startService(cleanup)
  const environment = await makeHeadlineParts(service)
  for (const program of programsOf(hasJava)) {
    const name = program.replace(/\.\w+$/, '')
    const isPython = program.endsWith('.py')
    const words = isPython ? [join(directory, program)] : [join(directory, 'out', `${name}.js`)]
    const paths = [join(directory, GENERATED, 'python'), join(directory, GENERATED, 'openapi-python-client'), join(directory, GENERATED)]
    await run(isPython ? join(tools.bin, 'python') : process.execPath, words, {
      ...{ ...environment, DATELINE_TITLE: `Of ${name}`, PYTHONPATH: paths.join(':') },
    })
    say(`${name}: creates, lists, reads, patches and follows headlines`)
  }
}

/** Whether there is a Java for openapi-generator. */
async function generateAll({ packages, bin }: Tools, directory: string, say: CheckRun['say']): Promise<boolean> {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(join(directory, GENERATED), { recursive: true })
  symlinkSync(join(packages, 'node_modules'), join(directory, 'node_modules'))
  for (const [name, model] of [['model', headline], ['whole', undefined]] as const) {
    writeFileSync(join(directory, `${name}.json`), JSON.stringify(openApiFor({ version: VERSION, model })))
  }
  const out = (name: string): string => join(directory, GENERATED, name)
  const [model, whole] = [join(directory, 'model.json'), join(directory, 'whole.json')]
  const npm = (name: string, ...words: readonly string[]): Promise<string> => run(join(packages, 'node_modules/.bin', name), words)
  const python = (name: string, ...words: readonly string[]): Promise<string> => run(join(bin, name), words)
  await Promise.all([
    npm('openapi-typescript', model, '-o', out('openapi-typescript.ts')),
    npm('openapi-typescript', whole, '-o', out('whole.ts')),
  ])
  await Promise.all([
    npm('openapi-ts', '-i', model, '-o', out('hey-api'), '-c', '@hey-api/client-fetch'),
    npm('openapi-ts', '-i', whole, '-o', out('whole-hey-api'), '-c', '@hey-api/client-fetch'),
  ])
  await Promise.all([
    npm('orval', '--input', model, '--output', out('orval.ts'), '--client', 'fetch'),
    npm('orval', '--input', whole, '--output', out('whole-orval.ts'), '--client', 'fetch'),
  ])
  await Promise.all([
    python('openapi-python-client', 'generate', '--path', model, '--output-path', out('openapi-python-client'), '--overwrite'),
    python('datamodel-codegen', '--input', model, '--input-file-type', 'openapi', '--output', out('models.py'), '--output-model-type', 'pydantic_v2.BaseModel'),
  ])
  say('openapi-typescript, hey-api, orval, openapi-python-client and datamodel-code-generator generate')
  return generateByJava(bin, directory, say)
}

/** One start of Java for all. */
async function generateByJava(bin: string, directory: string, say: CheckRun['say']): Promise<boolean> {
  const hasJava = await run('java', ['-version']).then(
    () => true,
    () => false,
  )
  if (!hasJava) {
    say('not run: openapi-generator: there is no java')
    return false
  }
  const jar = (await run(join(bin, 'python'), ['-c', JAR])).trim()
  const configurations = JAVA_CLIENTS.map((generatorName) => {
    const file = join(directory, `${generatorName}.json`)
    const outputDir = join(directory, GENERATED, generatorName)
    writeFileSync(file, JSON.stringify({ generatorName, inputSpec: join(directory, 'model.json'), outputDir }))
    return file
  })
  await run('java', ['-jar', jar, 'batch', '--fail-fast', '-r', '1', ...configurations])
  say(`openapi-generator generates ${JAVA_CLIENTS.join(', ')}`)
  return true
}

async function compile(directory: string, hasJava: boolean): Promise<void> {
  const files = [...programsOf(hasJava), 'given.ts', 'given.py']
  for (const file of files) cpSync(join(PROGRAMS, file), join(directory, file))
  const include = ['*.ts', `${GENERATED}/**/*.ts`]
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include }))
  await run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', directory])
  const scripts = files.filter((file) => file.endsWith('.ts')).map((file) => join(directory, file))
  await build({ entryPoints: scripts, bundle: true, platform: 'node', format: 'esm', outdir: join(directory, 'out'), logLevel: 'warning' })
  writeFileSync(join(directory, 'out/package.json'), '{"type":"module"}')
}

/** Of openapi-generator only where it ran. */
function programsOf(hasJava: boolean): readonly string[] {
  const ofJava = ['typescript-fetch.ts', 'openapi_generator.py']
  return readdirSync(PROGRAMS).filter((name) => !name.startsWith('given') && /\.(?:ts|py)$/.test(name) && (hasJava || !ofJava.includes(name)))
}

/** The documents that a headline names, and what the programs need to reach them. */
async function makeHeadlineParts(service: TestService): Promise<Readonly<Record<string, string>>> {
  const { publisher, admin } = await newCast(service)
  const ids: string[] = []
  for (const model of ['source', 'country', 'topic']) {
    const made = await service.data('POST', '', { model }, { token: admin.token, body: bodyOf(model) })
    if (made.status !== 201) throw new Error(`Cannot create a ${model}: ${made.text}`)
    ids.push(String(made.at('data.id')))
  }
  return { DATELINE_URL: service.url, DATELINE_TOKEN: publisher.token, DATELINE_IDS: ids.join() }
}

/** What the program wrote. Throws that where it fails. */
async function run(program: string, words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(program, words, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'], timeout: RUN_MS_MAX })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk))
  child.on('error', reject)
  child.on('close', (code, signal) => {
    if (code === 0) resolve(stdout)
    else reject(new Error(`${program} ${words.join(' ')} ended with ${code ?? signal}:\n${stdout}${stderr}`))
  })
  return promise
}
