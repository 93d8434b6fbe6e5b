// gate: compiles the client, and runs it in each runtime
/**
 * The client as it is given away: one file that stands alone, with types that are those of the declarations, and that
 * runs in every runtime that can be found here.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { openApiDocument } from '../../src/api/openapi/openapi.ts'
import { clientSource } from '../../src/reference/client-source.ts'
import { describedApi } from '../../src/reference/described-api.ts'
import { exampleValues, requestExamples, variantsOf } from '../../src/reference/request-examples.ts'
import type { Cleanup } from '../../scripts/tools/temporary-directory.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const ROOT = join(import.meta.dirname, '../..')
const WALK = join(ROOT, 'test/support/service/client-walk.ts')
const TEXT = clientSource('0.0.0')
const service = await startSuiteService()

/** A directory within the project, where the compiler finds the types of Node. */
function projectDirectory(t: Cleanup): string {
  const dist = join(ROOT, 'dist')
  mkdirSync(dist, { recursive: true })
  const directory = mkdtempSync(join(dist, 'client-test-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

it('is one file without imports, and the same at each time', () => {
  assert.equal(clientSource('0.0.0'), TEXT)
  assert.doesNotMatch(TEXT, /^\s*import\b|\bimport\(|\brequire\(/m)
  assert.match(TEXT, /^\/\*\*\n \* A client of Dateline 0\.0\.0,/)
  const declared = [...TEXT.matchAll(/^export (?:interface|type|class|function) (\w+)/gm)].map(([, name]) => name)
  assert.equal(new Set(declared).size, declared.length, 'two of one name would become one interface')
})

describe('its types', () => {
  const PROBE = `
import type * as ours from '../../src/client/client-types.ts'
import type * as responses from '../../src/models/responses.ts'
import type * as printed from './MODULE'
import { createClient, type Filter } from './MODULE'

/** A type with all of its members in place, so that how it was put together makes no difference. */
type Plain<T> = T extends object ? { [name in keyof T]: Plain<T[name]> } : T
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false

type Takeable = Exclude<ours.ModelName, 'dashboard_summary'>
export const same: [
  Same<ours.Models, printed.Models>,
  Same<Pick<ours.Bodies, Takeable>, Pick<printed.Bodies, Takeable>>,
  Same<Pick<ours.Replacements, Takeable>, Pick<printed.Replacements, Takeable>>,
  Same<ours.Offers, printed.Offers>,
  Same<responses.ServiceStatus, printed.ServiceStatus>,
  Same<responses.ServiceSettings, printed.ServiceSettings>,
  Same<responses.LogLines, printed.LogLines>,
  Same<responses.OutboxMessages, printed.OutboxMessages>,
  Same<responses.OutboxRetry, printed.OutboxRetry>,
  Same<responses.MailTest, printed.MailTest>,
  Same<responses.Backup, printed.Backup>,
  Same<responses.Backups, printed.Backups>,
  Same<responses.UserSessions, printed.UserSessions>,
  Same<responses.SessionsEnded, printed.SessionsEnded>,
  Same<responses.DashboardSetup, printed.DashboardSetup>,
  Same<responses.DashboardOverview, printed.DashboardOverview>,
  Same<responses.DocumentProblems, printed.DocumentProblems>,
  Same<responses.QueryPlan, printed.QueryPlan>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]
`
  const USE = `
export async function use(): Promise<void> {
  const { data } = createClient({ url: '' })
  const reference = { id: '1' }
  const { document } = await data('headline').create(
    { title: '', excerpt: '', url: '', imageUrl: '', source: reference, topic: reference, eventCountry: reference })
  await data('headline').replace(document.id, { ...document, title: 'new' }, { ifMatch: undefined })
  await data('headline').list({ filter: { status: 'active', $or: [{ 'topic.id': { $in: ['1'] } }, { tags: ['a'] }] } })
  await data('headline').list({ filter: { q: 'sea', title: { $not: { $regex: 'a', $options: 'i' } }, n: { a: 1 } } })
  const filter: Filter = { status: 'active' }
  const path: string = 'topic.id'
  await data('headline').list({ filter: { ...filter, [path]: '1', places: { $elemMatch: { name: 'a' } }, cursor: null } })
  const { cursor } = await data('headline').list({ filter: { $and: [filter, { n: { $not: { $gt: 1 } } }] } })
  await data('headline').list({ cursor })
  await data('dashboard_summary').get('1')
}
`
  /** Each must be an error, or the types are of no help. */
  const WRONG = [
    "await data('headlines').list()",
    "await data('dashboard_summary').create({})",
    "await data('topic').create({ name: '', description: '' })",
    "await data('topic').create({ name: '', description: '', iconUrl: '', status: 'new' })",
    "await data('topic').replace('1', { name: '', description: '', iconUrl: '' })",
    "await data('topic').list({ filter: { name: { $inn: ['a'] } } })",
    "await data('topic').list({ filter: { $or: { name: 'a' } } })",
    "await data('topic').list({ filter: { name: { $in: 'a' } } })",
    "await data('topic').list({ filter: { $gt: 1 } })",
    "await data('topic').list({ filter: { name: undefined } })",
    "await data('topic').list({ filter: { name: [1].find(Boolean) } })",
    "await data('topic').list({ filter: { createdAt: { $gte: new Date(0) } } })",
    "for await (const { title } of data('topic').iterate()) void title",
  ]
  const CHANGES: readonly (readonly [string, string])[] = [
    ['readonly flagUrl: string', 'readonly flagUrl: number'],
    ["readonly status?: 'active'", "readonly status: 'active'"],
    ["'archived'", "'deleted'"],
    ['readonly oldestWaitingAt: string | null', 'readonly oldestWaitingAt: string'],
    ['readonly lastShownAt?: string | null', ''],
    ["'list' | 'iterate'", "'iterate'"],
  ]

  it('are those of the declarations, exactly, find mistakes, and take every example of the reference', (t) => {
    const directory = projectDirectory(t)
    const write = (name: string, text: string): void => writeFileSync(join(directory, name), text)
    write('dateline.ts', TEXT)
    write('probe.ts', PROBE.replaceAll('MODULE', 'dateline.ts') + USE)
    for (const [i, [from, to]] of CHANGES.entries()) {
      assert.ok(TEXT.includes(from), from)
      write(`changed-${i}.ts`, TEXT.replace(from, to))
      write(
        `probe-changed-${i}.ts`,
        PROBE.replaceAll('MODULE', `changed-${i}.ts`).replace('import { createClient', '//'),
      )
    }
    for (const [i, statement] of WRONG.entries()) {
      write(
        `wrong-${i}.ts`,
        `import { createClient } from './dateline.ts'\nconst { data } = createClient()\n${statement}\n`,
      )
    }
    // The next page of a list is asked for with its `cursor`, which is null in the examples and was none to the types.
    const examples = referenceExamples()
    assert.ok(examples.length > 60 && examples.some((text) => text.includes('"cursor": null')))
    for (const [i, text] of examples.entries()) write(`example-${i}.ts`, text)
    const compilerOptions = { noUnusedLocals: false }
    write('tsconfig.json', JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }))
    const found = compile(directory)
    const files = new Set([...found.matchAll(/([\w-]+\.ts)\(\d+,\d+\): error/g)].map(([, file]) => file))
    const wanted = [...CHANGES.map((_, i) => `probe-changed-${i}.ts`), ...WRONG.map((_, i) => `wrong-${i}.ts`)]
    assert.deepEqual([...files].sort(), wanted.sort(), found)
  })

  function referenceExamples(): readonly string[] {
    const { operations } = describedApi(openApiDocument({ version: '0.0.0' }))
    return operations.flatMap((operation) =>
      ['', ...variantsOf(operation)].flatMap((variant) =>
        requestExamples(operation, exampleValues(operation, variant), `${service.url}/`)
          .filter(({ language }) => language === 'Client')
          .map(({ code }) => `declare const TOKEN: string\n${code}\nexport {}\n`),
      ),
    )
  }

  it('are understood in a project for browsers, whatever it is strict about', (t) => {
    const directory = projectDirectory(t)
    writeFileSync(join(directory, 'dateline.ts'), TEXT)
    // In Bun, fetch has members that no function of anybody else has.
    writeFileSync(
      join(directory, 'bun.d.ts'),
      'declare namespace fetch { export function preconnect(url: string): void }',
    )
    const own =
      "createClient({ url: '', fetch: async (url, init) => fetch(url, init) }); createClient({ url: '', fetch })"
    writeFileSync(join(directory, 'own.ts'), `import { createClient } from './dateline'\n${own}`)
    for (const [i, more] of [
      {
        ...{ strict: true, exactOptionalPropertyTypes: true, noPropertyAccessFromIndexSignature: true, noUnusedLocals: true },
        ...{ isolatedModules: true, target: 'es2020', lib: ['es2022', 'dom', 'dom.asynciterable'] },
      },
      { strict: false },
    ].entries()) {
      const base = { target: 'es2022', lib: ['es2022', 'dom'], module: 'esnext', moduleResolution: 'bundler' }
      const compilerOptions = { ...base, types: [], noEmit: true, ...more }
      writeFileSync(
        join(directory, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['bun.d.ts', 'own.ts'] }),
      )
      assert.equal(compile(directory), '', `row ${i}`)
    }
  })

  function compile(directory: string): string {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    return spawnSync(process.execPath, [compiler, '-p', directory], { encoding: 'utf8' }).stdout
  }
})

describe('it runs', () => {
  const otherNode = spawnSync('node', ['-p', 'process.version'], { encoding: 'utf8', env: systemPath() })
  const lacks = (program: string): string | false =>
    spawnSync(program, ['--version']).status === 0 ? false : `there is no ${program} in PATH`

  const rows = [
    { name: 'in this Node as it is', command: [process.execPath], as: 'ts', skip: false },
    {
      name: `in the Node of this machine, ${otherNode.stdout?.trim()}, without its types`,
      command: ['node'],
      as: 'mjs',
      skip: otherNode.status === 0 ? false : 'there is no other node in PATH',
    },
    { name: 'in Bun as it is', command: ['bun', 'run'], as: 'ts', skip: lacks('bun') },
    { name: 'in Deno as it is', command: ['deno', 'run', '--allow-all', '--no-check'], as: 'ts', skip: lacks('deno') },
  ] as const

  for (const { name, command, as, skip } of rows) {
    it(name, { skip }, async (t) => {
      const directory = projectDirectory(t)
      const [client, walk] = [join(directory, `dateline.${as}`), join(directory, `walk.${as}`)]
      if (as === 'ts') {
        writeFileSync(client, TEXT)
        copyFileSync(WALK, walk)
      } else {
        // Nothing but the types goes: what Node 18 does not know would stay, and fail.
        const strip = async (text: string): Promise<string> =>
          (await transform(text, { loader: 'ts', target: 'esnext' })).code
        writeFileSync(client, await strip(TEXT))
        writeFileSync(walk, await strip(readFileSync(WALK, 'utf8')))
      }
      const { token } = await service.admin()
      const found = await run([...command, walk, pathToFileURL(client).href, service.url, token])
      assert.deepEqual(JSON.parse(found), {
        guest: [true, true, true],
        errors: {
          refused: 'Forbidden forbidden 403',
          wrongCode: 'BadRequest invalidInput 400',
          signedOut: 'Unauthorized unauthorized 401',
          badFilter: 'BadRequest badRequest 400',
        },
        names: ['Walk 0', 'Walk 1', 'Walk 2', 'Walk 3', 'Walk 4', 'Walk 5', 'Walk 6'],
        longNames: 7,
        replaced: ['After', 'kept'],
        gone: true,
        aborted: 'AbortError 20 ',
        unreachable: 'NetworkError noReply 0',
      })
      const topics = await service.data('GET', '', { model: 'topic', limit: 100 }, { token })
      for (const { id } of topics.at('data.items') as { id: string }[]) {
        await service.data('DELETE', `/${id}`, { model: 'topic' }, { token })
      }
    })
  }
})

it('does what the example of the guide says', async (t) => {
  const guide = readFileSync(join(ROOT, 'data/guides/client.md'), 'utf8')
  const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(guide) ?? []
  assert.match(example, /from '\.\/dateline\.ts'/)
  const directory = projectDirectory(t)
  writeFileSync(join(directory, 'dateline.ts'), TEXT)
  writeFileSync(join(directory, 'example.ts'), example.replace('http://127.0.0.1:8080', service.url))
  writeFileSync(join(directory, 'tsconfig.json'), '{ "extends": "../../tsconfig.json", "include": ["*.ts"] }')
  const { token } = await service.admin()
  const printed = await run([process.execPath, join(directory, 'example.ts')], { TOKEN: token })
  assert.match(printed, /^Harbours\n/)
})

/** The environment without the directory that npm puts in front for our own Node. */
function systemPath(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = (process.env['PATH'] ?? '').split(':').filter((directory) => !directory.includes('node_modules'))
  return { ...process.env, PATH: path.join(':'), ...more }
}

/** Runs a program to its end, and gives what it printed. The service is in this process, so it must not be waited for. */
async function run([command = '', ...args]: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(command, args, {
    env: command === 'node' ? systemPath(environment) : { ...process.env, ...environment },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(code, 0, stderr)
  return stdout
}
