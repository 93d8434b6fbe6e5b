/** The rules that keep this code base readable, and for each of them a made-up tree that it must find fault with. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FAILURES } from '../src/base/failure.ts'
import { codeOf, exportsOf, importsOf, readTree } from './support/tidy/source-tree.ts'
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
} from './support/tidy/tidy-rules.ts'
import type { Allowance } from './support/tidy/tidy-rules.ts'

const ALLOWED: readonly Allowance[] = [
  {
    file: 'src/base/clock.ts',
    call: 'Date.now',
    because: 'it is the one clock; everybody else gets it as an argument',
  },
  { file: 'src/app/references/reference-work.ts', call: 'setTimeout', because: 'copies follow in steps with pauses' },
  { file: 'src/app/references/reference-worker.ts', call: 'performance.now', because: 'a pause is as long as its step, by a clock that is never set' },
  { file: 'src/app/references/reference-work.ts', call: 'performance.now', because: 'a pause is as long as its step, by a clock that is never set' },
  { file: 'src/app/change-feed.ts', call: 'setInterval', because: 'open streams get a sign of life, and sessions end' },
  { file: 'src/app/settings/live-settings.ts', call: 'setInterval', because: 'commands and other nodes store settings as well' },
  { file: 'src/app/change-feed.ts', call: 'performance.now', because: 'how long a round of streams takes is measured by a clock that is never set' },
  { file: 'src/store/sqlite/housekeeping.ts', call: 'setInterval', because: 'guests may use up their room between two rounds' },
  { file: 'src/client/client.ts', call: 'setTimeout', because: 'a stream that has ended, or is silent for too long, is opened again' },
  { file: 'src/client/client.ts', call: 'Math.random', because: 'clients that have lost the same server come back one after the other' },
  { file: 'src/http/request/incoming-exchange.ts', call: 'setTimeout', because: 'a short body has to come within seconds' },
  { file: 'src/http/server/response-writer.ts', call: 'setTimeout', because: 'a body that no handler reads may never end' },
  { file: 'src/http/guard/idle-timeout.ts', call: 'setTimeout', because: 'a client that does not read its response is watched' },
  {
    file: 'src/http/request/incoming-exchange.ts',
    call: 'setInterval',
    because: 'a client that closed its sending half is asked whether it is there',
  },
  { file: 'src/http/server/server.ts', call: 'performance.now', because: 'the default for measuring how long a request took' },
  { file: 'src/http/guard/connection-guard.ts', call: 'setInterval', because: 'one timer checks all connections that wait' },
  { file: 'src/http/server/server.ts', call: 'setTimeout', because: 'close() cuts connections off after ten seconds' },
  { file: 'src/base/log-output.ts', call: 'setTimeout', because: 'a log that is not read is tried again' },
  { file: 'src/mail/delivery/mail-program.ts', call: 'setTimeout', because: 'a program that takes mail may never end' },
  { file: 'src/mail/smtp/smtp-inbox.ts', call: 'setTimeout', because: 'a mail server may stop answering at any point' },
  { file: 'src/mail/smtp/smtp-channel.ts', call: 'setTimeout', because: 'an idle connection is closed after a while' },
  { file: 'src/mail/smtp/smtp-attempt.ts', call: 'setTimeout', because: 'an attempt is bounded, whatever it waits for' },
  { file: 'src/content/schedule.ts', call: 'setTimeout', because: 'a document is published at its time' },
  { file: 'src/auth/courier.ts', call: 'setTimeout', because: 'mail that could not be sent is retried later' },
  { file: 'src/auth/mail-attempts.ts', call: 'setTimeout', because: 'an attempt has a limit, and its result is written until it is on disk' },
  { file: 'src/app/threads/serving-threads.ts', call: 'setTimeout', because: 'a thread that fails again and again is started less often' },
  { file: 'src/base/thread.ts', call: 'setTimeout', because: 'a thread may never end, and is not waited for longer' },
  { file: 'src/store/scan/fair-slots.ts', call: 'setTimeout', because: 'a query waits for its turn no longer than its client' },
  { file: 'src/store/scan/reader-pause.ts', call: 'setInterval', because: 'a moment without readers is looked for' },
  { file: 'src/store/scan/scan-thread.ts', call: 'setTimeout', because: 'a query that misses its deadline is ended' },
  { file: 'src/store/replica/entry-inbox.ts', call: 'setTimeout', because: 'an entry or an answer of the log may not come' },
  {
    file: 'src/store/replica/replicated-queue.ts',
    call: 'performance.now',
    because: 'how long a write waits for the log is measured by a clock that is never set',
  },
  { file: 'src/store/wal/wal-mover.ts', call: 'setTimeout', because: 'a thread that no move needs is ended' },
  { file: 'src/store/sqlite/reader-gate.ts', call: 'performance.now', because: 'the thread that writes waits for readers no longer than a moment' },
  { file: 'src/store/wal/checkpoints.ts', call: 'setTimeout', because: 'an erasure that a reader holds up is tried again' },
  {
    file: 'src/http/server/certificate-renewal.ts',
    call: 'setInterval',
    because: 'a renewed certificate is looked for once an hour',
  },
  { file: 'src/cluster/heartbeat.ts', call: 'setTimeout', because: 'a node is heard every second, and keeper for no longer than its lease' },
  { file: 'src/cluster/heartbeat.ts', call: 'performance.now', because: 'a lease is measured by a clock that is never set' },
  { file: 'src/cluster/cluster-node.ts', call: 'performance.now', because: 'appends are measured by a clock that is never set' },
  { file: 'src/app/cluster/cluster-work.ts', call: 'setTimeout', because: 'the duties of a node are looked at all the time' },
  { file: 'src/app/cluster/cluster-work.ts', call: 'performance.now', because: 'the window of the log is measured by a clock that is never set' },
  { file: 'src/cluster/etcd/grpc-call.ts', call: 'setTimeout', because: 'a server may take a call and never respond' },
  { file: 'src/cluster/etcd/grpc-connection.ts', call: 'setTimeout', because: 'a server may be cut off without a word' },
  { file: 'src/cluster/etcd/grpc-connection.ts', call: 'setInterval', because: 'a connection on which nothing happens is probed' },
  { file: 'src/cluster/log/write-turns.ts', call: 'setTimeout', because: 'a node has its turn for 200 ms at most' },
  { file: 'src/cli/serve/parent-watch.ts', call: 'setInterval', because: 'a process is not told that its parent is gone' },
  { file: 'src/store/backup/backup-schedule.ts', call: 'setTimeout', because: 'backups are made at their times' },
  { file: 'src/store/changes/change-listeners.ts', call: 'setInterval', because: 'SQLite does not tell of commits of other processes' },
  { file: 'src/store/sqlite/housekeeping.ts', call: 'setTimeout', because: 'what is old goes in steps with pauses' },
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
  { file: 'src/cli/serve/process-end.ts', call: 'setTimeout', because: 'what hangs is waited for no longer than a moment' },
  { file: 'src/main.ts', call: 'process.exit', because: 'a command may write for ever to a pipe without a reader' },
]

const tree = readTree(`${import.meta.dirname}/..`)

function assertTidy(findings: readonly string[]): void {
  assert.equal(findings.length, 0, `\n  ${findings.join('\n  ')}\n`)
}

/** Asserts that the rule finds exactly one fault, and says this about it. */
function assertFinds(findings: readonly string[], wanted: RegExp): void {
  assert.equal(findings.length, 1, `wanted one finding, got ${JSON.stringify(findings)}`)
  assert.match(findings[0] ?? '', wanted)
}

function made(files: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(files))
}

it('the tree was read', () => {
  assert.ok([...tree.keys()].filter((path) => path.startsWith('src/')).length > 10)
  assert.ok(tree.has('package.json') && tree.has('test/tidy.test.ts') && tree.has('scripts/toolchain.mjs'))
})

describe('imports go down the layers only', () => {
  it('in our sources', () => assertTidy(layersAreKept(tree)))

  for (const [name, from, text, wanted] of [
    [
      'an import upward',
      'src/base/a.ts',
      "import { x } from '../http/b.ts'",
      /src\/base\/a\.ts imports src\/http\/b\.ts: base lies below http/,
    ],
    ['an import sideways', 'src/query/a.ts', "import type { X } from '../http/b.ts'", /query stands beside http/],
    ['an upward re-export', 'src/base/a.ts', "export { x } from '../http/b.ts'", /lies below/],
    ['an upward dynamic import', 'src/base/a.ts', "const b = await import('../http/b.ts')", /lies below/],
    ['an upward worker', 'src/base/a.ts', "new Worker(new URL('../http/b.ts', import.meta.url))", /lies below/],
    ['an import over several lines', 'src/base/a.ts', "import {\n  x,\n  type Y,\n} from '../http/b.ts'", /lies below/],
    ['a folder without a layer', 'src/extra/a.ts', "import { x } from '../http/b.ts'", /src\/extra has no place/],
    ['an import of app by config', 'src/config/settings.ts', "import { x } from '../app.ts'", /config lies below app/],
    [
      'an import of http by the client',
      'src/client/a.ts',
      "import type { X } from '../http/b.ts'",
      /may know models only/,
    ],
    [
      'an import of http by the page',
      'src/dashboard/a.ts',
      "import { x } from '../http/b.ts'",
      /models and client only/,
    ],
    ['an import of the page by the client', 'src/client/a.ts', "import { x } from '../dashboard/d.ts'", /models only/],
    ['an import of the page', 'src/api/a.ts', "import { x } from '../dashboard/d.ts'", /only what runs in browsers/],
    ['an import of the client', 'src/app.ts', "import { x } from './client/c.ts'", /only what runs in browsers/],
  ] as const) {
    it(`finds ${name}`, () => {
      assertFinds(
        layersAreKept(made({ 'src/app.ts': '', [from]: text, 'src/http/b.ts': 'export const x = 1' })),
        wanted,
      )
    })
  }

  it('takes imports downward, within a folder, from tests, and in comments', () => {
    const text = "import { x } from '../base/a.ts'\nimport { y } from './c.ts'\n// import { z } from '../cli/z.ts'\n"
    assertTidy(layersAreKept(made({ 'src/http/b.ts': text, 'test/base/a.test.ts': "import '../../src/main.ts'" })))
  })
})

describe('the client imports types only', () => {
  it('in our sources', () => assertTidy(clientImportsTypes(tree)))

  for (const text of [
    "import { MODELS } from '../models/registry.ts'",
    "import {\n  type Model,\n  model,\n} from '../models/schema.ts'",
    "export { model } from '../models/schema.ts'",
  ]) {
    it(`finds ${JSON.stringify(text)}`, () => {
      assertFinds(clientImportsTypes(made({ 'src/client/a.ts': text })), /may import types only/)
    })
  }

  it('takes types, values that the client declares, and other folders', () => {
    const text =
      "import type { A } from '../models/a.ts'\nexport const b = f('from \"x\"')\nexport type { C } from './c.ts'"
    assertTidy(
      clientImportsTypes(made({ 'src/client/a.ts': text, 'src/dashboard/b.ts': "import { x } from './c.ts'" })),
    )
  })
})

describe('handlers of requests write in the name of their caller', () => {
  it('in our sources', () => assertTidy(handlersWriteAsCallers(tree)))

  for (const name of ['SYSTEM', 'OPERATOR']) {
    it(`finds ${name} in a handler`, () => {
      const text = `import { ${name} } from '../store/actor.ts'\nstore.as(${name}).revoke(token)`
      assertFinds(handlersWriteAsCallers(made({ 'src/endpoints/a.ts': text })), /src\/endpoints\/a\.ts writes in the name/)
    })
  }

  it('takes session.acting(), comments, and layers that are not for requests', () => {
    const text = '// not as SYSTEM\nstore.as(session.acting(authorize)).revoke(token)'
    assertTidy(handlersWriteAsCallers(made({ 'src/endpoints/a.ts': text, 'src/cli/a.ts': 'store.as(OPERATOR)' })))
  })
})

describe('there are no import cycles', () => {
  it('in our sources', () => assertTidy(noImportCycles(tree)))

  it('finds a cycle of three, also of types', () => {
    const cycle = made({
      'src/base/a.ts': "import type { B } from './b.ts'",
      'src/base/b.ts': "import { c } from './c.ts'",
      'src/base/c.ts': "import { a } from './a.ts'",
      'src/base/d.ts': "import { a } from './a.ts'",
    })
    assertFinds(noImportCycles(cycle), /a\.ts → src\/base\/b\.ts → src\/base\/c\.ts → src\/base\/a\.ts/)
  })

  it('takes two ways to one file', () => {
    const diamond = made({
      'src/base/a.ts': "import './b.ts'\nimport './c.ts'",
      'src/base/b.ts': "import './c.ts'",
      'src/base/c.ts': '',
    })
    assertTidy(noImportCycles(diamond))
  })
})

describe('every file of src is part of the program', () => {
  it('in our sources', () => assertTidy(noDeadFiles(tree)))

  it('finds a file that only tests and dead files import', () => {
    const files = {
      'src/main.ts': "import './base/a.ts'",
      'src/base/a.ts': '',
      'src/base/dead.ts': '',
      'test/dead.test.ts': "import '../src/base/dead.ts'",
    }
    assertFinds(noDeadFiles(made(files)), /src\/base\/dead\.ts/)
  })

  it('takes workers, and files that a script names', () => {
    const files = {
      'src/main.ts': "new Worker(new URL('./store/worker.ts', import.meta.url))",
      'src/store/worker.ts': '',
      'src/dashboard/page.ts': "import './table.ts'",
      'src/dashboard/table.ts': '',
      'scripts/build.ts': "bundle('src/dashboard/page.ts')",
    }
    assertTidy(noDeadFiles(made(files)))
  })
})

describe('every export of src is imported somewhere', () => {
  it('in our sources', () => assertTidy(noDeadExports(tree)))

  for (const text of [
    'export const dead = 1',
    'export function dead() {}',
    'export async function dead() {}',
    'export class dead {}',
    'export interface dead {}',
    'export type dead = 1',
    'const dead = 1\nexport { dead }',
    'const x = 1\nexport { x as dead }',
  ]) {
    it(`finds ${JSON.stringify(text)}`, () => {
      const files = {
        'src/a.ts': `${text}\nexport const used = 1`,
        'test/a.test.ts': "import { used } from '../src/a.ts'",
      }
      assertFinds(noDeadExports(made(files)), /src\/a\.ts: nothing imports "dead"/)
    })
  }

  it('takes a type that describes another export of its file', () => {
    assertTidy(noDeadExports(made({ 'src/a.ts': 'export interface Options {}\nfunction f(x: Options) {}' })))
  })

  it('takes what is imported as a whole, or under another name', () => {
    const files = {
      'src/a.ts': 'export const one = 1',
      'src/b.ts': 'export const two = 1',
      'src/c.ts': 'export const three = 1',
      'scripts/x.ts': "import * as a from '../src/a.ts'\nimport { two as zwei } from '../src/b.ts'",
      'scripts/y.ts': "const c = await import('../src/c.ts')",
    }
    assertTidy(noDeadExports(made(files)))
  })
})

describe('files are well named', () => {
  it('in our tree', () => assertTidy(namesAreGood(tree)))

  for (const [wanted, ...paths] of [
    [/no index files/, 'src/http/index.ts'],
    [/after the concept/, 'src/base/utils.ts'],
    [/after the concept/, 'test/support/helpers.ts'],
    [/kebab-case/, 'src/http/queryString.ts'],
    [/kebab-case/, 'src/Http/query.ts'],
    [/kebab-case/, 'test/http/Cors.test.ts'],
    [/src\/auth\/limits\.ts and src\/http\/limits\.ts: .* unique/, 'src/auth/limits.ts', 'src/http/limits.ts'],
  ] as const) {
    it(`finds ${paths.join(' and ')}`, () => {
      assertFinds(namesAreGood(made(Object.fromEntries(paths.map((path) => [path, ''])))), wanted)
    })
  }
})

describe('time, chance and the process are used where it was agreed', () => {
  it('in our sources', () => assertTidy(noBannedCalls(tree, ALLOWED)))

  it('and every exception says why', () => {
    for (const { file, because } of ALLOWED) assert.ok(because.length > 20, file)
  })

  for (const [call, text] of [
    ['Date.now', 'const t = Date.now()'],
    ['Date.now', 'const clock = Date.now'],
    ['Date.now', 'const t = new Date()'],
    ['Math.random', 'const r = Math.random()'],
    ['performance.now', 'const t = performance.now()'],
    ['setTimeout', 'setTimeout(f, 1)'],
    ['setTimeout', 'const t = `${setTimeout(f, 1)}`'],
    ['setInterval', 'globalThis.setInterval (f, 1)'],
    ['console', 'console.log(1)'],
    ['process.env', "const home = process.env['HOME']"],
    ['process.exit', 'process.exit(1)'],
    ['innerHTML', 'row.innerHTML = title'],
    ['innerHTML', "row['innerHTML'] = title"],
    ['outerHTML', 'row.outerHTML += title'],
    ['insertAdjacentHTML', "row.insertAdjacentHTML('beforeend', title)"],
    ['insertAdjacentHTML', 'row.setHTMLUnsafe(title)'],
    ['insertAdjacentHTML', "frame.setAttribute('srcdoc', title)"],
    ['document.write', 'document.write(title)'],
    ['document.write', 'document . writeln(title)'],
    ['eval', 'eval(title)'],
    ['eval', 'globalThis.eval (title)'],
    ['new Function', 'const f = new Function(title)'],
    ['new Function', 'const f = Function(title)'],
    ["setAttribute('style')", "row.setAttribute('style', title)"],
    ["setAttribute('style')", 'row.setAttribute( "onclick", title)'],
    ["setAttribute('style')", "row.setAttributeNS(null, 'style', title)"],
    ['localStorage', "localStorage.setItem('token', token)"],
    ['localStorage', "window.sessionStorage.getItem('token')"],
    ['localStorage', 'document.cookie = token'],
  ] as const) {
    it(`finds ${text}`, () => {
      assertFinds(
        noBannedCalls(made({ 'src/base/a.ts': `// one\n${text}` }), []),
        new RegExp(`a\\.ts:2 uses ${RegExp.escape(call)}: `),
      )
    })
  }

  it('takes the same words in comments, texts and patterns, other calls, and other folders', () => {
    const text = [
      '// Date.now() is banned',
      '/** Math.random() too */',
      "const a = 'setTimeout(f)'",
      'const b = `console.log ${1}`',
      'const c = /process.env/',
      'process.exitCode = 1',
      'new Date(ms)',
      'socket.setTimeout',
      'const d = x / y / console_x',
      'new Worker(text, { eval: true })',
      '// innerHTML and localStorage',
      "row.setAttribute('title', style)",
      "row.style.setProperty('--width', width)",
      'isFunction(x) || x instanceof Function',
    ].join('\n')
    assertTidy(noBannedCalls(made({ 'src/base/a.ts': text, 'scripts/b.ts': 'console.log(Date.now())' }), []))
  })

  it('finds an unused exception', () => {
    const unused = [{ file: 'src/base/a.ts', call: 'Date.now', because: 'once it did' }]
    assertFinds(noBannedCalls(made({ 'src/base/a.ts': '' }), unused), /drop the allowance/)
    assertTidy(noBannedCalls(made({}), unused))
  })
})

describe('there are no short cuts', () => {
  it('in our tree', () => assertTidy(noShortcuts(tree)))

  for (const [wanted, text] of [
    [/a\.ts:1 leaves work/, `// ${'TO' + 'DO'}: later`],
    [/leaves work/, `const a = 1 // ${'FIX' + 'ME'}`],
    [/silences the compiler/, `// @ts-${'ignore'}`],
    [/silences the compiler/, `// @ts-${'expect-error'} because`],
    [/uses any/, 'function f(x: any) {}'],
    [/uses any/, 'const x = y as any'],
    [/uses any/, 'const x = <any>y'],
    [/uses any/, 'const x: Map<string, any> = y'],
    [/uses any/, 'let x: any[]'],
    [/uses any/, 'type T = any'],
    [/uses any/, 'type T = string | any'],
    [/uses any/, 'const f = (): any => 1'],
  ] as const) {
    it(`finds ${text}`, () => assertFinds(noShortcuts(made({ 'src/base/a.ts': text })), wanted))
  }

  it('takes the word in comments, texts and names', () => {
    assertTidy(
      noShortcuts(made({ 'src/base/a.ts': "// any of them\nconst any = 'as any'\nconst b = { any: 1 }\nf(c, any)" })),
    )
  })
})

describe('the program consists of our files and of node', () => {
  it('in our sources', () => assertTidy(importsAreOurs(tree)))

  for (const [wanted, text] of [
    [/wanted a node: module/, "import express from 'express'"],
    [/wanted a node: module/, "import { join } from 'path'"],
    [/wanted a node: module/, "import '/etc/x.ts'"],
    [/node has no "node:paths"/, "import { join } from 'node:paths'"],
    [/wanted the ending \.ts/, "import { x } from './b'"],
    [/wanted the ending \.ts/, "import { x } from './b.js'"],
    [/wanted the ending \.ts/, "import './b.css'"],
    [/there is no src\/base\/c\.ts/, "import { x } from './c.ts'"],
    [/wanted a node: module/, "const x = await import('express')"],
  ] as const) {
    it(`finds ${text}`, () => assertFinds(importsAreOurs(made({ 'src/base/a.ts': text, 'src/base/b.ts': '' })), wanted))
  }

  it('takes builtins, our files and data', () => {
    const text =
      "import { x } from 'node:sqlite'\nimport './b.ts'\nimport d from '../../data/d.json' with { type: 'json' }"
    assertTidy(importsAreOurs(made({ 'src/base/a.ts': text, 'src/base/b.ts': '' })))
    assertTidy(importsAreOurs(made({ 'src/dashboard/a.ts': "import './b.css'" })))
  })
})

describe('packages are few and exact', () => {
  it('in our package.json', () => assertTidy(packagesAreFew(tree)))

  for (const [wanted, declared] of [
    [/has dependencies/, { dependencies: {} }],
    [/has optionalDependencies/, { optionalDependencies: { x: '1.0.0' } }],
    [/wants "prettier"/, { devDependencies: { prettier: '3.0.0' } }],
    [/wants "esbuild" as "\^0\.28\.2"/, { devDependencies: { esbuild: '^0.28.2' } }],
  ] as const) {
    it(`finds ${JSON.stringify(declared)}`, () => {
      assertFinds(packagesAreFew(made({ 'package.json': JSON.stringify(declared) })), wanted)
    })
  }
})

describe('the README and the guides are true', () => {
  const settings = [{ flag: '--port', environment: ['DATELINE_PORT', 'PORT'] }, { environment: ['DATELINE_KEY'] }]
  const codes = { notFound: 404, conflict: 409 }
  const rows = '| `notFound` | 404 | gone |\n| `conflict` | `409` | twice |\n'

  it('in our tree', { skip: !tree.has('README.md') || !tree.has('src/config/settings.ts') }, async () => {
    const { SETTINGS } = await import('../src/config/settings.ts')
    const codes = Object.fromEntries(Object.entries(FAILURES).map(([code, { status }]) => [code, status]))
    assertTidy(documentsAreTrue(tree, { settings: SETTINGS, codes }))
  })

  for (const [name, readme, wanted] of [
    ['a flag that does not exist', `${rows}Use --prot 1`, /names --prot/],
    ['a flag in code', `${rows}\`serve --porti=1\``, /names --porti:/],
    ['a variable that does not exist', `${rows}DATELINE_PROT=1`, /names DATELINE_PROT:/],
    [
      'a code that does not exist',
      `${rows}| \`gone\` | 410 | x |`,
      /has the error code gone with 410: the code is unknown/,
    ],
    ['a code with another status', rows.replace('404', '403'), /has the error code notFound with 403: the code is 404/],
    ['a code they lack', '| `notFound` | 404 | gone |', /The guides lack the error code conflict/],
  ] as const) {
    for (const path of ['README.md', 'data/guides/api.md']) {
      it(`finds ${name} in ${path}`, () =>
        assertFinds(documentsAreTrue(made({ [path]: readme }), { settings, codes }), wanted))
    }
  }

  it('takes what exists, options of commands and of scripts, dashes in prose, and no documents', () => {
    const readme = `${rows}--port, DATELINE_PORT, DATELINE_KEY, --force, --seconds, DATELINE_SECRET; a -- b, x--port`
    const files = {
      'README.md': readme,
      'src/cli/x.ts': "flag: '--force'",
      'scripts/bench.ts': '--seconds',
      'src/config/settings.ts': "'DATELINE_SECRET'",
    }
    assertTidy(documentsAreTrue(made(files), { settings, codes }))
    assertTidy(documentsAreTrue(made({}), { settings, codes }))
  })
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
  for (const [text, code] of rows) {
    it(`sees the code of ${text}`, () => {
      assert.equal(codeOf(text).length, text.length)
      assert.equal(codeOf(text).replace(/\s+/g, ' ').trim(), code.replace(/\s+/g, ' ').trim())
    })
  }

  it('sees imports in every form', () => {
    const text = "import a, { b, type C } from './x.ts'\nimport type { D } from 'node:fs'\nexport * from './y.ts'\n"
    assert.deepEqual(
      importsOf('src/base/z.ts', text).map(({ to, names }) => [to, names]),
      [
        ['src/base/x.ts', ['b', 'C']],
        [undefined, ['D']],
        ['src/base/y.ts', undefined],
      ],
    )
  })

  it('sees exports only where they are code', () => {
    assert.deepEqual(exportsOf('// export const a = 1\nexport const b = `\nexport const c = 1`\n'), [
      { name: 'b', isType: false },
    ])
  })
})
