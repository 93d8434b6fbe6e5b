/**
 * The pages of src/dashboard as the files that a browser gets.
 *
 *   node scripts/build-dashboard.ts     writes dist/dashboard/page-assets.bin, for a service that runs from the sources
 *
 * A page is its HTML, one script and one style sheet; the texts of each language are a file of their own, since a reader
 * needs one, and so are the screens that most visits do without. The names of scripts and styles hold a hash of their
 * content, so that a browser may keep them for ever; the HTML names them, relative to itself, so that it works below any path
 * of a proxy. The reference at `/docs` is made here of the description of the API. All of it is compressed once, and never
 * while a browser waits. Everything depends on the sources alone.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build, type Metafile, type Plugin } from 'esbuild'
import { CLIENT_PATH, OPENAPI_PATH, type PageAsset } from '../src/app/page-routes.ts'
import { PAGE_ASSETS_FILE, packAssets } from '../src/app/page-assets.ts'
import { clientFiles } from './client-files.ts'
import { html } from '../src/base/html.ts'
import { referencePage } from '../src/reference/reference-page.ts'

/** What the first visit of the page at `/` may weigh, compressed: all that its HTML names without fonts, and the texts of the largest language. */
const FIRST_VISIT_BYTES_MAX = 102_400
/** What all fonts may weigh besides: text is there without them, and a browser fetches those of which it shows a letter. */
const FONT_BYTES_MAX = 61_440
const LARGEST_SHOWN = 15
/** The highest quality of brotli takes twenty times as long, for a tenth less: too long for large files. */
const BEST_QUALITY_BYTES_MAX = 400_000

const ROOT = join(import.meta.dirname, '..')
/** Each page with its script, which no other file of the program imports. */
const PAGES = [
  { path: '/', html: 'src/dashboard/page.html', script: 'src/dashboard/page.ts' },
  { path: '/docs', html: 'src/dashboard/docs.html', script: 'src/dashboard/docs.ts' },
] as const
/** The screens that most visits of the page at `/` do without. */
const SECOND_SCRIPT = 'src/dashboard/second-script.ts'
/** The texts of one language each. */
const TEXTS = /^data\/texts\/[a-z]{2}\.json$/
/** Texts that most visits do without. */
const LATER_TEXTS = /^data\/texts\/[a-z]+\/[a-z]{2}\.json$/
const FONT = /\.woff2$/
const ICON = 'src/dashboard/icon.svg'
/** Runs before a page is painted, as a script that is no module. */
const FIRST_SCRIPT = 'src/dashboard/theme-at-load.ts'
/** Where the reference stands in its page. */
const REFERENCE_MARK = '{{reference}}'
/** The browsers of 2024: the page uses light-dark() in its styles, and URL.parse(). */
const BROWSERS = ['chrome126', 'edge121', 'firefox122', 'safari17.2']

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  json: 'application/json; charset=utf-8',
  // No media type is registered for TypeScript; a browser shows this one.
  ts: 'text/plain; charset=utf-8',
}

/** A description or an example of a field, in a model. */
const FIELD_DOCS = /\b(?:description|example):\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\[.*?\]|[\w.]+)(?=\s*[,}]),?/g

/** Leaves out what models say for the documentation of the API only: the page never shows it. */
const withoutFieldDocs: Plugin = {
  name: 'without-field-docs',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]models[\\/][\w-]+\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(FIELD_DOCS, ''),
      loader: 'ts',
    }))
  },
}

/**
 * Lets the second script import the first. Modules that both use would be a third script otherwise, which the first visit had to
 * wait for; so they are all in one, and the file named after the page does nothing but import it (see `importedWhole()`).
 */
const secondImportsFirst: Plugin = {
  name: 'second-imports-first',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]dashboard[\\/]second-script\.ts$/ }, ({ path }) => ({
      contents: `import './page.ts'\n${readFileSync(path, 'utf8')}`,
      loader: 'ts',
    }))
  },
}

export interface Dashboard {
  readonly assets: readonly PageAsset[]
  /** The files of the first visit of the page at `/`, with what each weighs compressed. */
  readonly firstVisit: ReadonlyMap<string, number>
  /** The fonts, with what each weighs. */
  readonly fonts: ReadonlyMap<string, number>
  /** What the second script weighs compressed. */
  readonly secondScript: number
}

export interface DashboardOptions {
  /** The directory with src/dashboard in it. */
  readonly root?: string
  /** The description of the API; that of the sources below the root unless given. */
  readonly description?: object
}

/** Builds both pages. Throws with what is wrong in the sources, or with the largest of them where the first visit is too large. */
export async function buildDashboard({ root = ROOT, description }: DashboardOptions = {}): Promise<Dashboard> {
  const pages = PAGES.map((page) => ({ ...page, text: readFileSync(join(root, page.html), 'utf8') }))
  for (const { html, script, text } of pages) {
    if (!namedIn(html, text).includes(script)) throw new Error(`Cannot build ${html}: it does not name ${script}`)
  }
  // Each page by itself: in a common build, one would load what only the other uses of a module of both.
  const builds = await Promise.all(pages.map(({ html, text }) => buildEntries(root, [...namedIn(html, text), ICON])))
  const outputFiles = builds.flatMap((one) => one.outputFiles)
  const metafile: Metafile = {
    inputs: Object.assign({}, ...builds.map((one) => one.metafile.inputs)) as Metafile['inputs'],
    outputs: Object.assign({}, ...builds.map((one) => one.metafile.outputs)) as Metafile['outputs'],
  }
  const files = new Map(
    outputFiles.map(({ path, contents }) => [relative(root, path).replaceAll('\\', '/'), Buffer.from(contents)]),
  )
  const outputs = new Map(
    Object.entries(metafile.outputs).flatMap(([path, { entryPoint, inputs }]) => {
      const source = entryPoint ?? (path.endsWith('.svg') ? Object.keys(inputs)[0] : undefined)
      return source === undefined ? [] : [[source, importedWhole(path, metafile) ?? path] as const]
    }),
  )
  const first = metafile.outputs[outputs.get(FIRST_SCRIPT) ?? '']
  if (first !== undefined && first.imports.length > 0) throw new Error(`Cannot build ${FIRST_SCRIPT}: it is no module, and can import nothing`)
  const isMarked = pages.some(({ text }) => text.includes(REFERENCE_MARK))
  const api = isMarked ? await describedApi(root, description) : undefined
  const htmls = pages.map(({ path, html, text }) => ({
    path,
    body: Buffer.from(linked(html, text, outputs).replace(REFERENCE_MARK, () => api?.reference ?? '')),
  }))
  const assets = [
    ...htmls.map(({ path, body }) => asset(path, 'html', body, false)),
    ...[...files]
      .filter(([path]) => importedWhole(path, metafile) === undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, body]) => asset(`/${path}`, path.slice(path.lastIndexOf('.') + 1), body, true)),
    asset('/favicon.ico', 'svg', readFileSync(join(root, ICON)), false),
    ...(api === undefined ? [] : [asset(OPENAPI_PATH, 'json', api.description, false), ...clientAssets(api.version)]),
  ]
  const [{ path, html, text }] = pages as [(typeof pages)[number]]
  const weights = new Map(assets.map(({ path, body, brotli }) => [path, (brotli ?? body).length]))
  const weight = (output: string): number => weights.get(`/${output}`) ?? 0
  const madeOf = (kind: RegExp): readonly string[] => [...outputs].flatMap(([source, output]) => (kind.test(source) ? [output] : []))
  const texts = madeOf(TEXTS)
  const fonts = new Map([...weights].filter(([one]) => FONT.test(one)))
  if (sum(fonts) > FONT_BYTES_MAX) throw new Error(`Cannot build ${html}: wanted at most ${FONT_BYTES_MAX} bytes of fonts, found ${sum(fonts)}`)
  const later = [...texts, ...madeOf(LATER_TEXTS), outputs.get(SECOND_SCRIPT) ?? '', ...[...fonts.keys()].map((one) => one.slice(1))]
  const named = withImports(namedIn(html, text).map((name) => outputs.get(name) ?? ''), later, metafile)
  const largest = texts.toSorted((one, other) => weight(other) - weight(one)).slice(0, 1)
  const visited = [...named, ...largest]
  const firstVisit = new Map([['page.html', weights.get(path) ?? 0], ...visited.map((one) => [posix.basename(one), weight(one)] as const)])
  assertFits(html, firstVisit, visited, metafile)
  return { assets, firstVisit, fonts, secondScript: weight(outputs.get(SECOND_SCRIPT) ?? '') }
}

/** The file that an output consists of importing; undefined where it has something of its own. */
function importedWhole(path: string, { outputs }: Metafile): string | undefined {
  const { inputs = {}, imports = [] } = outputs[path] ?? {}
  const isEmpty = Object.values(inputs).every(({ bytesInOutput }) => bytesInOutput === 0)
  return isEmpty && imports.length === 1 ? imports[0]?.path : undefined
}

/** Outputs and all that they import, now or later, without those that most visits do without. */
function withImports(paths: readonly string[], without: readonly string[], { outputs }: Metafile): readonly string[] {
  const found = new Set(paths)
  for (const path of found) {
    for (const one of outputs[path]?.imports ?? []) if (one.external !== true && !without.includes(one.path)) found.add(one.path)
  }
  return [...found]
}

function buildEntries(root: string, entries: readonly string[]) {
  return build({
    absWorkingDir: root,
    entryPoints: [...new Set(entries)].sort(),
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: BROWSERS,
    charset: 'utf8',
    outdir: 'assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'copy', '.woff2': 'file' },
    plugins: [withoutFieldDocs, secondImportsFirst],
    legalComments: 'none',
    logLevel: 'silent',
  })
}

interface DescribedApi {
  readonly reference: string
  readonly description: Buffer
  readonly version: string
}

/** The reference of the API with the guides, and the OpenAPI document, as the sources below a directory have them. */
async function describedApi(root: string, given: object | undefined): Promise<DescribedApi> {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(root, path)).href)
  const { openApiDocument } = (await load('src/api/openapi/openapi.ts')) as typeof import('../src/api/openapi/openapi.ts')
  const { GUIDES, readGuide } = (await load('src/guides/guides.ts')) as typeof import('../src/guides/guides.ts')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
  const guides = GUIDES.map(({ topic }) => ({ topic, markdown: readGuide(topic) }))
  const description = given ?? openApiDocument({ version })
  return { reference: referencePage(description, guides), description: Buffer.from(JSON.stringify(description)), version }
}

/** The files of the typed client, and a page that lists them. */
function clientAssets(version: string): readonly PageAsset[] {
  const files = [...clientFiles(version)].map(([name, text]) => ({ name, body: Buffer.from(text) }))
  const rows = files.map(({ name, body }) => html`<li><a href="${name}" download>${name}</a>, ${String(body.length)} bytes</li>`)
  const page = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Client of Dateline ${version}</title>
<h1>Client of Dateline ${version}</h1>
<p>One file without dependencies: TypeScript, or JavaScript with its types.</p>
<ul>${rows}</ul>
<p><a href="../../docs#/guides/client">How to use it</a></p>
</html>
`
  return [
    asset(CLIENT_PATH, 'html', Buffer.from(page.markup), false),
    ...files.map(({ name, body }) => asset(`${CLIENT_PATH}${name}`, name.endsWith('.js') ? 'js' : 'ts', body, false)),
  ]
}

const NAMED = /\b(src|href)="(?!#|[a-z]+:|\/)([^"]+\.(?:ts|css|svg))"/g

/** The sources that the HTML names, as paths from the root. */
function namedIn(html: string, text: string): readonly string[] {
  return [...text.matchAll(NAMED)].map(([, , name = '']) => posix.join(posix.dirname(html), name))
}

/** The HTML with the names that the sources have got, without comments and indentation. */
function linked(html: string, text: string, outputs: ReadonlyMap<string, string>): string {
  const named = text.replace(NAMED, (_whole, attribute: string, name: string) => {
    const source = posix.join(posix.dirname(html), name)
    const output = outputs.get(source)
    if (output === undefined) throw new Error(`Cannot build ${html}: nothing was made of ${source}`)
    return `${attribute}="${output}"`
  })
  return named.replace(/<!--[^]*?-->/g, '').replace(/^\s+/gm, '')
}

function asset(path: string, ending: string, body: Buffer, immutable: boolean): PageAsset {
  const type = TYPES[ending]
  if (type === undefined) throw new Error(`Cannot build ${path}: wanted one of ${Object.keys(TYPES).join(', ')}`)
  const quality = body.length > BEST_QUALITY_BYTES_MAX ? 9 : 11
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
  const smaller = (compressed: Buffer): Buffer | undefined => (compressed.length < body.length ? compressed : undefined)
  const [brotli, gzip] = [smaller(brotliCompressSync(body, { params })), smaller(gzipSync(body, { level: 9 }))]
  return { path, type, body, brotli, gzip, immutable }
}

/** Throws with the largest sources where the first visit weighs too much. */
function assertFits(html: string, firstVisit: ReadonlyMap<string, number>, visited: readonly string[], { outputs }: Metafile): void {
  const bytes = sum(firstVisit)
  if (bytes <= FIRST_VISIT_BYTES_MAX) return
  const inputs = visited.flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}))
  const largest = inputs.toSorted(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput).slice(0, LARGEST_SHOWN)
  const found = `Cannot build ${html}: wanted at most ${FIRST_VISIT_BYTES_MAX} bytes, compressed, at the first visit, found ${bytes}`
  const lines = largest.map(([input, { bytesInOutput }]) => `${String(bytesInOutput).padStart(8)} ${input}`)
  throw new Error([`${found}; the largest sources before compression are`, ...lines].join('\n'))
}

function sum(weights: ReadonlyMap<string, number>): number {
  return [...weights.values()].reduce((all, bytes) => all + bytes, 0)
}

/** Writes the assets as one file, at once, with the time at which the build began: whatever changes later is newer. */
async function writeDashboard(): Promise<void> {
  const begun = new Date()
  const { assets, firstVisit, fonts, secondScript } = await buildDashboard()
  const file = join(ROOT, 'dist/dashboard', PAGE_ASSETS_FILE)
  const unfinished = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(unfinished, packAssets(assets))
    utimesSync(unfinished, begun, begun)
    renameSync(unfinished, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
  const files = [...firstVisit].map(([name, bytes]) => `${name} ${bytes}`).join(', ')
  console.error(`dashboard: first visit ${sum(firstVisit)} of ${FIRST_VISIT_BYTES_MAX} bytes, compressed (${files}); second script ${secondScript}, fonts ${sum(fonts)}`)
}

if (import.meta.main) {
  await writeDashboard().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  })
}
