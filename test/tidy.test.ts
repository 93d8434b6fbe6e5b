// isolated: it sets variables of the process
/** The rules that keep this code base readable, and for each of them made-up files that it must find fault with. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FAILURES } from '../src/base/failure.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { codeOf, exportsOf, importsOf, readTree, type Tree } from '../scripts/tidy/source-tree.ts'
import {
  clientImportsTypes,
  documentsAreTrue,
  handlersWriteAsCallers,
  importsAreOurs,
  layersAreKept,
  namesAreGood,
  noBannedCalls,
  noDeadExports,
  noDeadFiles,
  noImportCycles,
  noShortcuts,
  packagesAreFew,
} from '../scripts/tidy/tidy-rules.ts'
import type { Allowance } from '../scripts/tidy/tidy-rules.ts'

const ALLOWED: readonly Allowance[] = [
  {
    file: 'src/base/clock.ts',
    call: 'Date.now',
    because: 'it is the one clock; everybody else gets it as an argument',
  },
  { file: 'src/app/references/reference-worker.ts', call: 'performance.now', because: 'a pause is as long as its step, by a clock that is never set' },
  { file: 'src/app/references/reference-work.ts', call: 'performance.now', because: 'a pause is as long as its step, by a clock that is never set' },
  { file: 'src/store/db/waiting-writers.ts', call: 'setTimeout', because: 'SQLite does not say when its lock is free' },
  { file: 'src/app/change-feed.ts', call: 'setInterval', because: 'open streams get a sign of life, and sessions end' },
  { file: 'src/app/change-feed.ts', call: 'performance.now', because: 'how long a round of streams takes is measured by a clock that is never set' },
  { file: 'src/client/client.ts', call: 'setTimeout', because: 'a stream that has ended, or is silent for too long, is opened again' },
  { file: 'src/client/client.ts', call: 'Math.random', because: 'clients that have lost the same server come back one after the other' },
  { file: 'src/http/incoming-exchange.ts', call: 'setTimeout', because: 'a short body has to come within seconds' },
  { file: 'src/http/response-writer.ts', call: 'setTimeout', because: 'a body that no handler reads may never end' },
  { file: 'src/http/connection.ts', call: 'setTimeout', because: 'a client that does not read its response is watched' },
  {
    file: 'src/http/incoming-exchange.ts',
    call: 'setInterval',
    because: 'a client that closed its sending half is asked whether it is there',
  },
  { file: 'src/http/server.ts', call: 'performance.now', because: 'the default for measuring how long a request took' },
  { file: 'src/http/connection-guard.ts', call: 'setInterval', because: 'one timer checks all connections that wait' },
  { file: 'src/http/server.ts', call: 'setTimeout', because: 'close() cuts connections off after ten seconds' },
  { file: 'src/base/pause.ts', call: 'setTimeout', because: 'a caller waits for as long as it says' },
  { file: 'src/base/repeating.ts', call: 'setTimeout', because: 'background jobs are repeated' },
  { file: 'src/base/log-output.ts', call: 'setTimeout', because: 'a log that is not read is tried again' },
  { file: 'src/mail/delivery/mail-program.ts', call: 'setTimeout', because: 'a program that takes mail may never end' },
  { file: 'src/mail/smtp/smtp-inbox.ts', call: 'setTimeout', because: 'a mail server may stop answering at any point' },
  { file: 'src/mail/smtp/channel-use.ts', call: 'setTimeout', because: 'an idle connection is closed after a while' },
  { file: 'src/mail/smtp/smtp-attempt.ts', call: 'setTimeout', because: 'an attempt is bounded, whatever it waits for' },
  { file: 'src/outbound/time-budget.ts', call: 'setTimeout', because: 'a server may take for ever to respond' },
  { file: 'src/outbound/time-budget.ts', call: 'performance.now', because: 'the time left for the next redirect is measured by a clock that is never set' },
  { file: 'src/content/feeds/ingest-pace.ts', call: 'performance.now', because: 'a pause is in proportion to its step, by a clock that is never set' },
  { file: 'src/auth/mail-attempts.ts', call: 'setTimeout', because: 'an attempt has a limit' },
  { file: 'src/app/threads/serving-threads.ts', call: 'setTimeout', because: 'a thread that fails again and again is started less often' },
  { file: 'src/store/query/threads/fair-slots.ts', call: 'setTimeout', because: 'a query waits for its turn no longer than its client' },
  { file: 'src/store/query/threads/finder.ts', call: 'setInterval', because: 'a moment without readers is looked for' },
  { file: 'src/store/query/threads/scan-thread.ts', call: 'setTimeout', because: 'a query that misses its deadline is ended' },
  {
    file: 'src/store/cluster/replicated-queue.ts',
    call: 'performance.now',
    because: 'how long a write waits for the log is measured by a clock that is never set',
  },
  { file: 'src/store/db/reader-gate.ts', call: 'performance.now', because: 'the thread that writes waits for readers no longer than a moment' },
  { file: 'src/store/db/wal/checkpoints.ts', call: 'setTimeout', because: 'an erasure that a reader holds up is tried again' },
  { file: 'src/store/db/wal/checkpoints.ts', call: 'setTimeout', because: 'a thread that no move needs is ended' },
  { file: 'src/cluster/heartbeat.ts', call: 'setTimeout', because: 'a node is heard every second, and keeper for no longer than its lease' },
  { file: 'src/cluster/heartbeat.ts', call: 'performance.now', because: 'a lease is measured by a clock that is never set' },
  { file: 'src/cluster/cluster-node.ts', call: 'performance.now', because: 'appends are measured by a clock that is never set' },
  { file: 'src/cluster/keeper-requests.ts', call: 'setTimeout', because: 'a keeper that is silent is asked whether it lives' },
  { file: 'src/app/cluster/node-service.ts', call: 'performance.now', because: 'a keeper that failed is left alone by a clock that is never set' },
  { file: 'src/app/cluster/cluster-work.ts', call: 'performance.now', because: 'the window of the log is measured by a clock that is never set' },
  { file: 'src/cluster/etcd/grpc-call.ts', call: 'setTimeout', because: 'a server may take a call and never respond' },
  { file: 'src/cluster/etcd/grpc-connection.ts', call: 'setTimeout', because: 'a server may be cut off without a word' },
  { file: 'src/cluster/etcd/grpc-connection.ts', call: 'setInterval', because: 'a connection on which nothing happens is probed' },
  { file: 'src/main.ts', call: 'setInterval', because: 'a command is to end with its result, whatever it waits for' },
  { file: 'src/cli/serve/parent-watch.ts', call: 'setInterval', because: 'a process is not told that its parent is gone' },
  { file: 'src/store/history/change-listeners.ts', call: 'setInterval', because: 'SQLite does not tell of commits of other processes' },
  { file: 'src/dashboard/timing.ts', call: 'Date.now', because: 'the pages have one clock, and it is here' },
  { file: 'src/dashboard/timing.ts', call: 'setTimeout', because: 'all that the pages put off goes through here' },
  { file: 'src/dashboard/timing.ts', call: 'setInterval', because: 'all that the pages repeat goes through here' },
  {
    file: 'src/dashboard/browser-storage.ts',
    call: 'localStorage',
    because: 'it says what a browser keeps: the token where that was ticked, and small choices',
  },
  {
    file: 'src/dashboard/theme-at-load.ts',
    call: 'localStorage',
    because: 'it runs before all modules, and reads the choice of light or dark',
  },
  { file: 'src/main.ts', call: 'process.env', because: 'the environment enters the program here' },
  { file: 'src/cli/serve/process-end.ts', call: 'process.exit', because: 'the process is to end whatever keeps its event loop' },
  { file: 'src/main.ts', call: 'process.exit', because: 'a command may write for ever to a pipe without a reader' },
]

const tree = readTree(`${import.meta.dirname}/..`)
const DOCUMENTED = {
  settings: [{ flag: '--port', environment: ['DATELINE_PORT', 'PORT'] }, { environment: ['DATELINE_KEY'] }],
  codes: { notFound: 404, conflict: 409 },
}
const ROWS = '| `notFound` | 404 | gone |\n| `conflict` | `409` | twice |\n'

function assertTidy(findings: readonly string[]): void {
  assert.equal(findings.length, 0, `\n  ${findings.join('\n  ')}\n`)
}

function made(files: Readonly<Record<string, string>>): Tree {
  return new Map(Object.entries(files))
}

it('the tree was read', () => {
  assert.ok([...tree.keys()].filter((path) => path.startsWith('src/')).length > 10)
  assert.ok(tree.has('package.json') && tree.has('test/tidy.test.ts') && tree.has('scripts/toolchain.mjs'))
})

describe('in our tree', () => {
  it('imports go down the layers only', () => assertTidy(layersAreKept(tree)))
  it('the client imports types only', () => assertTidy(clientImportsTypes(tree)))
  it('handlers of requests write in the name of their caller', () => assertTidy(handlersWriteAsCallers(tree)))
  it('there are no import cycles', () => assertTidy(noImportCycles(tree)))
  it('every file of src is part of the program', () => assertTidy(noDeadFiles(tree)))
  it('every export of src is imported somewhere', () => assertTidy(noDeadExports(tree)))
  it('files are well named', () => assertTidy(namesAreGood(tree)))
  it('time, chance and the process are used where it was agreed', () => assertTidy(noBannedCalls(tree, ALLOWED)))
  it('there are no short cuts', () => assertTidy(noShortcuts(tree)))
  it('the program consists of our files and of node', () => assertTidy(importsAreOurs(tree)))
  it('packages are few and exact', () => assertTidy(packagesAreFew(tree)))
  it('the README and the guides name flags, variables and error codes that exist', () => {
    const codes = Object.fromEntries(Object.entries(FAILURES).map(([code, { status }]) => [code, status]))
    assertTidy(documentsAreTrue(tree, { settings: SETTINGS, codes }))
  })
})

/** A rule with files of which it must find one fault, and say this about it. */
const FAULTS: readonly (readonly [rule: (tree: Tree) => readonly string[], files: Readonly<Record<string, string>>, wanted: RegExp])[] = [
  [layersAreKept, { 'src/base/a.ts': "import {\n  x,\n} from '../http/b.ts'" }, /src\/base\/a\.ts imports src\/http\/b\.ts: base lies below http/],
  [layersAreKept, { 'src/query/a.ts': "import type { X } from '../http/b.ts'" }, /query stands beside http/],
  [layersAreKept, { 'src/store/schema/b.ts': '', 'src/store/db/c.ts': "import '../schema/b.ts'" }, /store\/db lies below store\/schema/],
  [layersAreKept, { 'src/extra/a.ts': "import { x } from '../http/b.ts'" }, /src\/extra has no place/],
  [layersAreKept, { 'src/client/a.ts': "import type { X } from '../http/b.ts'" }, /may know models only/],
  [layersAreKept, { 'src/api/a.ts': "import { x } from '../dashboard/d.ts'" }, /only what runs in browsers/],
  [layersAreKept, { 'src/app.ts': "import { x } from './reference/r.ts'" }, /only the build knows it/],
  [clientImportsTypes, { 'src/client/a.ts': "import {\n  type Model,\n  model,\n} from '../models/schema.ts'" }, /may import types only/],
  [handlersWriteAsCallers, { 'src/endpoints/a.ts': 'store.as(SYSTEM).revoke(token)' }, /src\/endpoints\/a\.ts writes in the name/],
  [
    noImportCycles,
    { 'src/base/a.ts': "import type { B } from './b.ts'", 'src/base/b.ts': "import { c } from './c.ts'", 'src/base/c.ts': "import { a } from './a.ts'" },
    /a\.ts → src\/base\/b\.ts → src\/base\/c\.ts → src\/base\/a\.ts/,
  ],
  [noDeadFiles, { 'src/main.ts': "import './http/b.ts'", 'src/base/dead.ts': '', 'test/dead.test.ts': "import '../src/base/dead.ts'" }, /src\/base\/dead\.ts/],
  [noDeadExports, { 'src/a.ts': 'export async function dead() {}' }, /src\/a\.ts: nothing imports "dead"/],
  [noDeadExports, { 'src/a.ts': 'const x = 1\nexport { x as dead }' }, /nothing imports "dead"/],
  [noDeadExports, { 'src/a.ts': 'export type dead = 1' }, /nothing imports "dead"/],
  [namesAreGood, { 'src/http/index.ts': '' }, /no index files/],
  [namesAreGood, { 'test/support/helpers.ts': '' }, /after the concept/],
  [namesAreGood, { 'src/http/queryString.ts': '' }, /kebab-case/],
  [namesAreGood, { 'src/auth/limits.ts': '', 'src/http/limits.ts': '' }, /src\/auth\/limits\.ts and src\/http\/limits\.ts: .* unique/],
  ...([
    ['Date.now', 'const clock = Date.now'],
    ['Date.now', 'const t = new Date()'],
    ['setTimeout', 'const t = `${setTimeout(f, 1)}`'],
    ['console', 'console.log(1)'],
    ['process.env', "const home = process.env['HOME']"],
    ['innerHTML', "row['innerHTML'] = title"],
    ['insertAdjacentHTML', "frame.setAttribute('srcdoc', title)"],
    ['document.write', 'document . writeln(title)'],
    ['eval', 'globalThis.eval (title)'],
    ['new Function', 'const f = Function(title)'],
    ["setAttribute('style')", 'row.setAttribute( "onclick", title)'],
    ['localStorage', 'document.cookie = token'],
  ] as const).map(
    ([call, text]) =>
      [(made: Tree) => noBannedCalls(made, []), { 'src/base/a.ts': `// one\n${text}` }, new RegExp(`a\\.ts:2 uses ${RegExp.escape(call)}: `)] as const,
  ),
  [(made) => noBannedCalls(made, [{ file: 'src/base/a.ts', call: 'Date.now', because: '' }]), { 'src/base/a.ts': '' }, /drop the allowance/],
  [noShortcuts, { 'src/base/a.ts': `// ${'TO' + 'DO'}: later` }, /a\.ts:1 leaves work/],
  [noShortcuts, { 'test/a.ts': `// @ts-${'expect-error'} because` }, /silences the compiler/],
  [noShortcuts, { 'src/base/a.ts': 'const x: Map<string, any> = y' }, /uses any/],
  [importsAreOurs, { 'src/base/a.ts': "const x = await import('express')" }, /wanted a node: module/],
  [importsAreOurs, { 'src/base/a.ts': "import { join } from 'node:paths'" }, /node has no "node:paths"/],
  [importsAreOurs, { 'src/base/a.ts': "import { x } from './b.js'" }, /wanted the ending \.ts/],
  [importsAreOurs, { 'src/base/a.ts': "import { x } from './c.ts'" }, /there is no src\/base\/c\.ts/],
  [packagesAreFew, { 'package.json': '{"optionalDependencies":{"x":"1.0.0"}}' }, /has optionalDependencies/],
  [packagesAreFew, { 'package.json': '{"devDependencies":{"prettier":"3.0.0"}}' }, /wants "prettier"/],
  [packagesAreFew, { 'package.json': '{"devDependencies":{"esbuild":"^0.28.2"}}' }, /wants "esbuild" as "\^0\.28\.2"/],
  ...([
    [`${ROWS}\`serve --porti=1\``, /names --porti:/],
    [`${ROWS}DATELINE_PROT=1`, /names DATELINE_PROT:/],
    [`${ROWS}| \`gone\` | 410 | x |`, /has the error code gone with 410: the code is unknown/],
    [ROWS.replace('404', '403'), /has the error code notFound with 403: the code is 404/],
    ['| `notFound` | 404 | gone |', /The guides lack the error code conflict/],
  ] as const).map(([text, wanted]) => [(made: Tree) => documentsAreTrue(made, DOCUMENTED), { 'data/guides/api.md': text }, wanted] as const),
]

for (const [rule, files, wanted] of FAULTS) {
  it(`${rule.name} finds ${wanted.source}`, () => {
    const findings = rule(made({ 'src/http/b.ts': '', ...files }))
    assert.equal(findings.length, 1, `wanted one finding, got ${JSON.stringify(findings)}`)
    assert.match(findings[0] ?? '', wanted)
  })
}

it('the rules take what is allowed, and words in comments, texts and patterns', () => {
  const text = "import { y } from './c.ts'\n// import { z } from '../cli/z.ts'\n"
  assertTidy(layersAreKept(made({ 'src/http/b.ts': text, 'test/base/a.test.ts': "import '../../src/main.ts'" })))
  assertTidy(clientImportsTypes(made({ 'src/client/a.ts': "import type { A } from '../models/a.ts'\nexport type { C } from './c.ts'" })))
  assertTidy(handlersWriteAsCallers(made({ 'src/endpoints/a.ts': '// not as SYSTEM', 'src/cli/a.ts': 'store.as(OPERATOR)' })))
  assertTidy(noDeadExports(made({ 'src/a.ts': 'export interface Options {}\nfunction f(x: Options) {}' })))
  const files = { 'src/main.ts': "new Worker(new URL('./worker.ts', import.meta.url))", 'src/worker.ts': '', 'src/page.ts': '', 'scripts/build.ts': "'src/page.ts'" }
  assertTidy(noDeadFiles(made(files)))
  const words = "// Date.now()\nconst a = 'setTimeout(f)'\nconst c = /process.env/\nnew Date(ms)\n// innerHTML\nisFunction(x)"
  assertTidy(noBannedCalls(made({ 'src/base/a.ts': words, 'scripts/b.ts': 'console.log(Date.now())' }), []))
  assertTidy(noShortcuts(made({ 'src/base/a.ts': "// any of them\nconst any = 'as any'\nf(c, any)" })))
  const readme = `${ROWS}--port, DATELINE_PORT, DATELINE_KEY, --force; a -- b, x--port`
  assertTidy(documentsAreTrue(made({ 'README.md': readme, 'src/cli/x.ts': "flag: '--force'" }), DOCUMENTED))
})

describe('the reader behind the rules', () => {
  const rows: [text: string, code: string][] = [
    ['a // b', 'a     '],
    ['a /* b */ c', 'a         c'],
    ["a('b\\'c')", 'a(      )'],
    ['`a${b}c`d', '    b   d'],
    ['`${{ a: `${b}` }}`c', '   { a:    b   }  c'],
    ['x = /["\'`/]/.y', 'x =         .y'],
    ['a / b / c', 'a / b / c'],
    ['return /a\\/b/g', 'return        '],
    ['"//" + a', '     + a'],
  ]
  it('sees code beside comments, texts, templates and patterns', () => {
    for (const [text, code] of rows) {
      assert.equal(codeOf(text).length, text.length, text)
      assert.equal(codeOf(text).replace(/\s+/g, ' ').trim(), code.replace(/\s+/g, ' ').trim(), text)
    }
  })

  it('sees imports in every form', () => {
    const text =
      "import a, { b, type C } from './x.ts'\nimport type { D } from 'node:fs'\nexport * from './y.ts'\n" +
      "export { e } from './e.ts'\nconst f = await import('./f.ts')\nnew Worker(new URL('./g.ts', import.meta.url))\n"
    assert.deepEqual(
      importsOf('src/base/z.ts', text).map(({ to, names }) => [to, names]),
      [
        ['src/base/x.ts', ['b', 'C']],
        [undefined, ['D']],
        ['src/base/y.ts', undefined],
        ['src/base/e.ts', ['e']],
        ['src/base/f.ts', undefined],
        ['src/base/g.ts', undefined],
      ],
    )
  })

  it('sees exports only where they are code', () => {
    assert.deepEqual(exportsOf('// export const a = 1\nexport const b = `\nexport const c = 1`\n'), [
      { name: 'b', isType: false },
    ])
  })
})
