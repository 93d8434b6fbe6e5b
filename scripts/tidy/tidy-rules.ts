/** The rules of the house. Each takes a tree and gives sentences about what breaks it; none means all is well. */
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { codeOf, exportsOf, importsOf, withoutComments } from './source-tree.ts'
import type { Import, Tree } from './source-tree.ts'

/** Imports go down only. Units of one rank do not know each other. A file directly in src is a unit by itself. */
const RANKS: Readonly<Record<string, number>> = {
  base: 0,
  query: 1,
  http: 1,
  mail: 1,
  guides: 1,
  outbound: 1,
  media: 1,
  age: 1,
  feeds: 2,
  publications: 2,
  models: 2,
  store: 3,
  client: 3,
  auth: 4,
  content: 4,
  cluster: 4,
  offsite: 4,
  dashboard: 4,
  endpoints: 5,
  api: 6,
  config: 6,
  reference: 7,
  app: 7,
  cli: 8,
  main: 9,
}

/** The rooms of a unit, the lowest first; what stands beside them is above all of them, but for a file that is listed. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  store: [
    ...['actor.ts', 'db', 'schema', 'search', 'query', 'documents', 'history', 'references', 'outbox', 'settings', 'accounts', 'feeds', 'media', 'publications', 'audit'],
    ...['cluster', 'pending', 'writes', 'backup'],
  ],
}

/** Browser code imports only these units, and no other unit imports it. */
const BROWSER_UNITS: Readonly<Record<string, readonly string[]>> = {
  client: ['models'],
  dashboard: ['models', 'client'],
}

/** Makes pages and files when the dashboard is built: no other unit imports it, and it knows what runs on its page. */
const BUILD_UNIT = 'reference'

export interface Allowance {
  readonly file: string
  readonly call: string
  readonly because: string
}

interface Ban {
  readonly pattern: RegExp
  readonly instead: string
  /** Whether the pattern looks into texts, too, where a name in brackets or quotes would hide. */
  readonly inTexts?: true
}

/** Calls that need an allowance with a reason. The allowed file need not exist; what is allowed must be used. */
const BANNED: Readonly<Record<string, Ban>> = {
  'Date.now': {
    pattern: /\bDate\.now\b|\bnew Date\(\)|\bnew Date\b(?!\s*\()|\bTemporal\.Now\b/,
    instead: 'take a Clock as an argument',
  },
  'performance.now': { pattern: /\bperformance\.now\b|\bprocess\.hrtime\b/, instead: 'take a clock as an argument' },
  'Math.random': { pattern: /\bMath\.random\b/, instead: 'take a generator as an argument' },
  setTimeout: {
    pattern: /\bsetTimeout\s*\(/,
    instead: 'let the caller decide about time, or use the time-outs of node',
  },
  setInterval: { pattern: /\bsetInterval\s*\(/, instead: 'let the caller decide about time' },
  console: { pattern: /\bconsole\s*\./, instead: 'use the Log, or the Terminal in a command' },
  'process.env': { pattern: /\bprocess\s*\.\s*env\b/, instead: 'read it in main.ts and pass the value' },
  'process.exit': {
    pattern: /\bprocess\s*\.\s*exit\s*\(/,
    instead: 'set process.exitCode, so that everything written gets out',
  },
  // The pages take stored texts of many people. Whatever makes HTML, script or style of a text is a way in for them.
  innerHTML: { pattern: /\binnerHTML\b/, instead: 'make elements, and set their textContent', inTexts: true },
  outerHTML: { pattern: /\bouterHTML\b/, instead: 'make elements, and set their textContent', inTexts: true },
  insertAdjacentHTML: {
    pattern: /\b(?:insertAdjacentHTML|createContextualFragment|setHTMLUnsafe|parseHTMLUnsafe|srcdoc)\b/,
    instead: 'make elements, and set their textContent',
    inTexts: true,
  },
  'document.write': { pattern: /\bdocument\s*\.\s*write(?:ln)?\b/, instead: 'append elements' },
  eval: { pattern: /\beval\s*\(/, instead: 'write it out' },
  'new Function': { pattern: /(?<![\w.$])Function\s*\(/, instead: 'write it out' },
  "setAttribute('style')": {
    pattern: /\bsetAttribute(?:NS)?\s*\(\s*(?:null\s*,\s*)?['"`](?:style|on\w+)['"`]/,
    instead: 'use a class, a custom property or addEventListener',
    inTexts: true,
  },
  localStorage: {
    pattern: /\b(?:localStorage|sessionStorage|indexedDB)\b|\bdocument\s*\.\s*cookie\b/,
    instead: 'one file says what a browser stores',
  },
}

/** Flags of npm, curl, docker and etcdctl, which examples use. */
const FOREIGN_FLAGS = ['--silent', '--data-urlencode', '--data-binary', '--read-only', '--name', '--prefix', '--zstd']
const PACKAGES_ALLOWED = ['typescript', 'esbuild', '@types/node', 'node']
const RUN_TIME_MEMBERS = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'bundledDependencies',
  'bundleDependencies',
]

export function layersAreKept(tree: Tree): string[] {
  return edges(tree).flatMap(({ from, to }) => {
    const [above, below] = [unitOf(from), unitOf(to)]
    if (above === below) return roomsAreKept(above, from, to)
    const [rank, other] = [RANKS[above], RANKS[below]]
    if (rank === undefined) return [`${from}: src/${above} has no place among the layers; give it one in RANKS`]
    if (other === undefined) return [`${to}: src/${below} has no place among the layers; give it one in RANKS`]
    if (below === BUILD_UNIT) return [`${from} imports ${to}: only the build knows it`]
    if (above === BUILD_UNIT && below === 'dashboard') return []
    if (above in BROWSER_UNITS || below in BROWSER_UNITS) {
      if (BROWSER_UNITS[above]?.includes(below) === true) return []
      const [unit, known] = above in BROWSER_UNITS ? [above, BROWSER_UNITS[above]] : [below, undefined]
      const rule =
        known === undefined ? 'only what runs in browsers knows it' : `it may know ${known.join(' and ')} only`
      return [`${from} imports ${to}: ${unit} runs in browsers, and ${rule}`]
    }
    if (rank > other) return []
    return [`${from} imports ${to}: ${above} ${rank === other ? 'stands beside' : 'lies below'} ${below}`]
  })
}

function roomsAreKept(unit: string, from: string, to: string): string[] {
  const rooms = ROOMS[unit]
  if (rooms === undefined) return []
  const [above, below] = [from, to].map((path) => path.split('/')[2] ?? '') as [string, string]
  const floorOf = (room: string): number => (rooms.includes(room) ? rooms.indexOf(room) : rooms.length)
  if (above === below || floorOf(above) >= floorOf(below)) return []
  return [`${from} imports ${to}: ${unit}/${above} lies below ${unit}/${below}`]
}

/** The client is given away as one file: what it imports must be types, which are printed there. */
export function clientImportsTypes(tree: Tree): string[] {
  return inFolder(tree, 'src/client').flatMap(([path, text]) =>
    [...withoutComments(text).matchAll(/^(?:import|export)\b(?!\s+type\b)[^'"`;=()]*?\bfrom\s+['"]([^'"]+)['"]/gm)].map(
      ([, specifier]) => `${path} imports "${specifier}": the client may import types only`,
    ),
  )
}

export function noImportCycles(tree: Tree): string[] {
  const next = Map.groupBy(edges(tree), ({ from }) => from)
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start !== -1) {
      found.push(`import cycle: ${[...trail.slice(start), path].join(' → ')}`)
      return
    }
    if (done.has(path)) return
    for (const { to } of next.get(path) ?? []) visit(to, [...trail, path])
    done.add(path)
  }
  for (const path of next.keys()) visit(path, [])
  return found
}

/** A file that neither src/main.ts reaches nor a script names is not part of the program. */
export function noDeadFiles(tree: Tree): string[] {
  if (!tree.has('src/main.ts')) return []
  const next = Map.groupBy(edges(tree), ({ from }) => from)
  const named = inFolder(tree, 'scripts').flatMap(([, text]) =>
    [...text.matchAll(/\bsrc\/[\w./-]+\.ts\b/g)].map(String),
  )
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    for (const { to } of next.get(path) ?? []) visit(to)
  }
  for (const path of ['src/main.ts', ...named]) visit(path)
  const dead = inFolder(tree, 'src').filter(([path]) => !reached.has(path))
  return dead.map(([path]) => `${path}: src/main.ts does not reach it`)
}

/** A value that only its own file uses needs no export. A type may be exported with the function that takes it. */
export function noDeadExports(tree: Tree): string[] {
  const taken = Map.groupBy(allImports(tree), ({ to }) => to ?? '')
  return inFolder(tree, 'src').flatMap(([path, text]) => {
    const takers = taken.get(path) ?? []
    if (takers.some(({ names }) => names === undefined)) return []
    const used = new Set(takers.flatMap(({ names }) => names ?? []))
    const code = codeOf(text)
    const describesAnother = (name: string): boolean => [...code.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length > 1
    const dead = exportsOf(text).filter(({ name, isType }) => !used.has(name) && !(isType && describesAnother(name)))
    return dead.map(({ name }) => `${path}: nothing imports "${name}"; drop the export or the thing itself`)
  })
}

export function namesAreGood(tree: Tree): string[] {
  const paths = [...tree.keys()].filter((path) => /^(?:src|test|scripts)\//.test(path))
  const bad = paths.flatMap((path) => {
    const stem = posix.basename(path).replace(/(?:\.test)?\.(?:ts|mjs)$/, '')
    if (stem === 'index') return [`${path}: no index files; import the file that has it`]
    if (/^(?:utils?|helpers?|common|misc)$/.test(stem)) return [`${path}: name it after the concept it holds`]
    const isKebab =
      path
        .split('/')
        .slice(0, -1)
        .every((part) => KEBAB.test(part)) && KEBAB.test(stem)
    return isKebab ? [] : [`${path}: wanted a kebab-case name`]
  })
  const sources = paths.filter((path) => path.startsWith('src/'))
  const twins = Map.groupBy(sources, (path) => posix.basename(path))
    .values()
    .filter((twin) => twin.length > 1)
  return [...bad, ...twins.map((twin) => `${twin.join(' and ')}: a file name is an address and must be unique in src`)]
}

const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export function noBannedCalls(tree: Tree, allowed: readonly Allowance[]): string[] {
  const findings = inFolder(tree, 'src').flatMap(([path, text]) => {
    const [code, withTexts] = [codeOf(text).split('\n'), withoutComments(text).split('\n')]
    return Object.entries(BANNED).flatMap(([call, { pattern, instead, inTexts = false }]) => {
      const lines = inTexts ? withTexts : code
      const line = lines.findIndex((one) => pattern.test(one)) + 1
      return line === 0 ? [] : [{ path, call, line, instead }]
    })
  })
  const isAllowed = (path: string, call: string): boolean =>
    allowed.some((one) => one.file === path && one.call === call)
  const used = ({ file, call }: Allowance): boolean => findings.some((one) => one.path === file && one.call === call)
  return [
    ...findings
      .filter(({ path, call }) => !isAllowed(path, call))
      .map(({ path, call, line, instead }) => `${path}:${line} uses ${call}: ${instead}`),
    ...allowed
      .filter((one) => tree.has(one.file) && !used(one))
      .map(({ file, call }) => `${file} may use ${call} and does not: drop the allowance`),
  ]
}

/**
 * Handlers of requests write in the name of their caller, who is authorized when it happens. The service and the operator
 * need no authorization, so their names are not for handlers.
 */
export function handlersWriteAsCallers(tree: Tree): string[] {
  const files = ['src/endpoints', 'src/content'].flatMap((folder) => inFolder(tree, folder))
  return files
    .filter(([path, text]) => path !== 'src/content/seeds/seeding.ts' && /\b(?:SYSTEM|OPERATOR)\b/.test(codeOf(text)))
    .map(([path]) => `${path} writes in the name of the service: wanted session.acting(authorize)`)
}

/** The words themselves are put together here, so that this file does not break its own rule. */
const LEFT_OVER = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`)
const SILENCER = new RegExp(`@ts-${'(?:ignore|nocheck|expect-error)'}`)
const ANY = /(?::\s*|\bas\s+|<\s*|(?<![|&])[|&]\s*|=>\s*|\btype\s+\w+\s*=\s*)any\b(?!\s*[:(.])|,\s*any\s*>|\bany\[\]/

export function noShortcuts(tree: Tree): string[] {
  const files = ['src', 'test', 'scripts'].flatMap((folder) => inFolder(tree, folder))
  return files.flatMap(([path, text]) => {
    const code = codeOf(text).split('\n')
    return text.split('\n').flatMap((line, i) => {
      const at = `${path}:${i + 1}`
      if (LEFT_OVER.test(line)) return [`${at} leaves work for later: do it or drop it`]
      if (SILENCER.test(line)) return [`${at} silences the compiler: make the types true`]
      return ANY.test(code[i] ?? '') ? [`${at} uses any: take unknown and a parser`] : []
    })
  })
}

export function importsAreOurs(tree: Tree): string[] {
  const sources = allImports(tree).filter(({ from }) => from.startsWith('src/'))
  return sources.flatMap(({ from, specifier, to }) => {
    if (specifier.startsWith('node:')) return isBuiltin(specifier) ? [] : [`${from}: node has no "${specifier}"`]
    if (to === undefined) return [`${from} imports "${specifier}": wanted a node: module or a relative path`]
    // The build of the pages makes a module of a style sheet.
    if (to.endsWith('.json') || (to.endsWith('.css') && unitOf(from) === 'dashboard')) return []
    if (!to.endsWith('.ts')) return [`${from} imports "${specifier}": wanted the ending .ts`]
    return tree.has(to) ? [] : [`${from} imports "${specifier}": there is no ${to}`]
  })
}

export function packagesAreFew(tree: Tree): string[] {
  const declared = JSON.parse(tree.get('package.json') ?? '{}') as Record<string, Record<string, string> | undefined>
  const development = Object.entries(declared['devDependencies'] ?? {})
  return [
    ...RUN_TIME_MEMBERS.filter((member) => declared[member] !== undefined).map(
      (member) => `package.json has ${member}: the program runs on node alone`,
    ),
    ...development
      .filter(([name]) => !PACKAGES_ALLOWED.includes(name))
      .map(([name]) => `package.json wants "${name}": only ${PACKAGES_ALLOWED.join(', ')} are agreed on`),
    ...development
      .filter(([, version]) => !/^\d+\.\d+\.\d+[\w.-]*$/.test(version))
      .map(([name, version]) => `package.json wants "${name}" as "${version}": wanted one exact version`),
  ]
}

export interface Documented {
  readonly settings: readonly { readonly flag?: string; readonly environment: readonly string[] }[]
  readonly codes: Readonly<Record<string, number>>
}

/** A flag, a variable, or an error code in the README or a guide that does not exist sends its reader astray. */
export function documentsAreTrue(tree: Tree, { settings, codes }: Documented): string[] {
  const documents = [...tree].filter(([path]) => path === 'README.md' || path.startsWith('data/guides/'))
  if (documents.length === 0) return []
  const flags = new Set(settings.map(({ flag }) => flag))
  const variables = new Set(settings.flatMap(({ environment }) => environment))
  // Options of single commands, secrets, and what programs that we start are told, are no settings.
  const sources = ['src/cli/', 'src/config/', 'src/mail/delivery/exec-delivery.ts', 'scripts/'].flatMap((prefix) =>
    [...tree].filter(([path]) => path.startsWith(prefix)),
  )
  const isNamed = (word: string): boolean => sources.some(([, text]) => new RegExp(`${word}(?![\\w-])`).test(text))
  const told = documents.flatMap(([path, text]) =>
    [...text.matchAll(/^\|\s*`([a-z][A-Za-z]+)`\s*\|\s*`?(\d{3})`?\s*\|/gm)].map(([, code = '', status]) => ({
      path,
      code,
      status: Number(status),
    })),
  )
  return [
    ...documents.flatMap(([path, text]) => [
      ...unique(text, /(?<![\w-])--[a-z][a-z-]+/g)
        .filter((flag) => !flags.has(flag) && !isNamed(flag) && !FOREIGN_FLAGS.includes(flag))
        .map((flag) => `${path} names ${flag}: there is no such flag`),
      ...unique(text, /\bDATELINE_[A-Z_]+/g)
        .filter((variable) => !variables.has(variable) && !isNamed(variable))
        .map((variable) => `${path} names ${variable}: there is no such variable`),
    ]),
    ...told
      .filter(({ code, status }) => codes[code] !== status)
      .map(
        ({ path, code, status }) =>
          `${path} has the error code ${code} with ${status}: the code is ${codes[code] ?? 'unknown'}`,
      ),
    ...Object.keys(codes)
      .filter((code) => !told.some((one) => one.code === code))
      .map(
        (code) =>
          `The guides lack the error code ${code}: wanted a table row that begins "| \`${code}\` | ${codes[code]} |"`,
      ),
  ]
}

function unique(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(String))]
}

function inFolder(tree: Tree, folder: string): [path: string, text: string][] {
  return [...tree].filter(([path]) => path.startsWith(`${folder}/`))
}

function allImports(tree: Tree): Import[] {
  return [...tree].filter(([path]) => /\.(?:ts|mjs)$/.test(path)).flatMap(([path, text]) => importsOf(path, text))
}

/** The imports between files of src. */
function edges(tree: Tree): { readonly from: string; readonly to: string }[] {
  return allImports(tree).flatMap(({ from, to }) =>
    from.startsWith('src/') && to?.startsWith('src/') === true && to.endsWith('.ts') ? [{ from, to }] : [],
  )
}

/** `src/http/server.ts` → http, `src/app.ts` → app. */
function unitOf(path: string): string {
  const [, unit = ''] = path.split('/')
  return unit.replace(/\.ts$/, '')
}
