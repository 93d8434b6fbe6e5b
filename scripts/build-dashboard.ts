/**
 * The pages of src/dashboard as the files that a browser gets.
 *
 *   node scripts/build-dashboard.ts     writes dist/dashboard/page-assets.bin, for a service that runs from the sources
 *
 * The names of scripts and styles hold a hash of their content, so that a browser may keep them for ever; the HTML
 * names them, relative to itself, so that it works below any path of a proxy. What a page needs at once it preloads;
 * what it imports later, such as the texts of another language, is a file of its own. The reference at `/docs` is made
 * here of the description of the API. All of it is compressed once, and never while a browser waits. Everything depends
 * on the sources alone.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build, transform, type Metafile, type Plugin } from 'esbuild'
import { CLIENT_PATH, OPENAPI_PATH, type PageAsset } from '../src/app/page-routes.ts'
import { PAGE_ASSETS_FILE, packAssets } from '../src/app/page-assets.ts'
import { clientFiles } from './client-files.ts'
import { html } from '../src/reference/html.ts'
import { referencePage } from '../src/reference/reference-page.ts'

/**
 * What the page at `/` may weigh when it is opened: HTML, styles, scripts, and the texts of the largest language, since
 * a reader gets one of them; uncompressed. What it imports later is apart: lists, the editor, and screens of administrators.
 */
const PAGE_BYTES_MAX = 120_000
/** The same for what is fetched when a screen, a part of one, or a table of texts is opened, besides what the page has. */
const LATER_BYTES_MAX = 45_000
const LARGEST_SHOWN = 15
/** The highest quality of brotli takes twenty times as long, for a tenth less: too long for large files. */
const BEST_QUALITY_BYTES_MAX = 200_000

const ROOT = join(import.meta.dirname, '..')
/** Each page with its script, which no other file of the program imports. */
const PAGES = [
  { path: '/', html: 'src/dashboard/page.html', script: 'src/dashboard/page.ts' },
  { path: '/docs', html: 'src/dashboard/docs.html', script: 'src/dashboard/docs.ts' },
] as const
/** The texts of one language each, without those of screens that are opened later. */
const TEXTS = /^data\/texts\/[a-z]{2}\.json$/
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
 * A style sheet that a script imports becomes a module that adds it to the page: a screen and its styles arrive together
 * or not at all, and the content security policy allows no less than before.
 */
const stylesOfScreens: Plugin = {
  name: 'styles-of-screens',
  setup({ initialOptions: { absWorkingDir = ROOT, target }, onResolve, onLoad }) {
    onResolve({ filter: /\.css$/ }, ({ path, kind, resolveDir }) =>
      // By its path from the root, so that names do not depend on the machine.
      kind === 'import-statement'
        ? { path: relative(absWorkingDir, join(resolveDir, path)).replaceAll('\\', '/'), namespace: 'styles' }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'styles' }, async ({ path }) => {
      const file = join(absWorkingDir, path)
      const options = { loader: 'css', minify: true, sourcefile: path, ...(target && { target }) } as const
      const { code } = await transform(readFileSync(file, 'utf8'), options)
      const text = JSON.stringify(code.trim())
      return {
        contents: `const sheet = new CSSStyleSheet()\nsheet.replaceSync(${text})\ndocument.adoptedStyleSheets.push(sheet)`,
        watchFiles: [file],
      }
    })
  },
}

export interface Dashboard {
  readonly assets: readonly PageAsset[]
  /** What the page at `/` weighs for a reader, in bytes before compression, and its files with their sizes. */
  readonly pageBytes: number
  readonly pageFiles: ReadonlyMap<string, number>
  /** What it imports later, and the other languages. */
  readonly laterFiles: ReadonlyMap<string, number>
}

export interface DashboardOptions {
  /** The directory with src/dashboard in it. */
  readonly root?: string
  /** The description of the API; that of the sources below the root unless given. */
  readonly description?: object
}

/** Builds both pages. Throws with what is wrong in the sources, or with the largest of them where they are too large. */
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
      return source === undefined ? [] : [[source, path] as const]
    }),
  )
  const first = metafile.outputs[outputs.get(FIRST_SCRIPT) ?? '']
  if (first !== undefined && first.imports.length > 0) throw new Error(`Cannot build ${FIRST_SCRIPT}: it is no module, and can import nothing`)
  const isMarked = pages.some(({ text }) => text.includes(REFERENCE_MARK))
  const api = isMarked ? await describedApi(root, description) : undefined
  const htmls = pages.map(({ path, html, text }) => ({
    path,
    body: Buffer.from(linked(html, text, outputs, metafile).replace(REFERENCE_MARK, () => api?.reference ?? '')),
  }))
  const assets = [
    ...htmls.map(({ path, body }) => asset(path, 'html', body, false)),
    ...[...files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, body]) => asset(`/${path}`, path.slice(path.lastIndexOf('.') + 1), body, true)),
    asset('/favicon.ico', 'svg', readFileSync(join(root, ICON)), false),
    ...(api === undefined ? [] : [asset(OPENAPI_PATH, 'json', api.description, false), ...clientAssets(api.version)]),
  ]
  const pageFiles = new Map([['page.html', htmls[0]?.body.length ?? 0]])
  const [{ html, text }] = pages as [(typeof pages)[number]]
  const size = (path: string): number => files.get(path)?.length ?? 0
  const entry = namedIn(html, text).map((name) => outputs.get(name) ?? '')
  const atOnce = new Set(reachable(entry, metafile, 'import-statement'))
  const later = reachable(entry, metafile).filter((path) => !atOnce.has(path))
  const texts = later.filter((path) => TEXTS.test(metafile.outputs[path]?.entryPoint ?? ''))
  const largest = texts.toSorted((one, other) => size(other) - size(one)).slice(0, 1)
  for (const path of [...atOnce, ...largest]) {
    if (/\.(?:js|css)$/.test(path)) pageFiles.set(posix.basename(path), size(path))
  }
  const laterFiles = new Map(
    later.filter((path) => !largest.includes(path)).map((path) => [posix.basename(path), size(path)]),
  )
  const pageBytes = [...pageFiles.values()].reduce((sum, bytes) => sum + bytes, 0)
  assertFits(html, { bytes: pageBytes, most: PAGE_BYTES_MAX, names: new Set(pageFiles.keys()), metafile })
  for (const path of later) {
    const source = metafile.outputs[path]?.entryPoint
    if (source === undefined) continue
    const fetched = reachable([path], metafile, 'import-statement').filter((one) => !atOnce.has(one))
    const bytes = fetched.reduce((sum, one) => sum + size(one), 0)
    const names = new Set(fetched.map((one) => posix.basename(one)))
    assertFits(source, { bytes, most: LATER_BYTES_MAX, names, metafile })
  }
  return { assets, pageBytes, pageFiles, laterFiles }
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
    loader: { '.svg': 'copy' },
    plugins: [withoutFieldDocs, stylesOfScreens],
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

/** The HTML with the names that the sources have got, links that preload what a script imports, and no indentation. */
function linked(html: string, text: string, outputs: ReadonlyMap<string, string>, metafile: Metafile): string {
  const preloaded: string[] = []
  const named = text.replace(NAMED, (_whole, attribute: string, name: string) => {
    const source = posix.join(posix.dirname(html), name)
    const output = outputs.get(source)
    if (output === undefined) throw new Error(`Cannot build ${html}: nothing was made of ${source}`)
    if (name.endsWith('.ts')) preloaded.push(...reachable([output], metafile, 'import-statement').slice(1))
    return `${attribute}="${output}"`
  })
  const links = preloaded.map((path) => `<link rel="modulepreload" href="${path}">\n`).join('')
  return named
    .replace(/<!--[^]*?-->/g, '')
    .replace(/^\s+/gm, '')
    .replace('<script type="module"', `${links}<script type="module"`)
}

/** Outputs and all that they import, each once; with a kind only what they import in that way. */
function reachable(paths: readonly string[], { outputs }: Metafile, kind?: string): readonly string[] {
  const found = new Set(paths)
  for (const path of found) {
    for (const one of outputs[path]?.imports ?? []) {
      if (one.external !== true && (kind === undefined || one.kind === kind)) found.add(one.path)
    }
  }
  return [...found]
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

interface Weight {
  readonly bytes: number
  readonly most: number
  /** Of the files that count. */
  readonly names: ReadonlySet<string>
  readonly metafile: Metafile
}

/** Throws with the largest sources where there is too much of them. */
function assertFits(what: string, { bytes, most, names, metafile: { outputs } }: Weight): void {
  if (bytes <= most) return
  const inputs = new Map<string, number>()
  for (const [path, output] of Object.entries(outputs)) {
    if (!names.has(posix.basename(path))) continue
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      inputs.set(input, (inputs.get(input) ?? 0) + bytesInOutput)
    }
  }
  const largest = [...inputs].sort(([, a], [, b]) => b - a).slice(0, LARGEST_SHOWN)
  const found = `Cannot build ${what}: wanted at most ${most} bytes of HTML, CSS and scripts, found ${bytes}; the largest are`
  throw new Error([found, ...largest.map(([input, size]) => `${String(size).padStart(8)} ${input}`)].join('\n'))
}

/** Writes the assets as one file, at once, with the time at which the build began: whatever changes later is newer. */
async function writeDashboard(): Promise<void> {
  const begun = new Date()
  const { assets, pageBytes, pageFiles, laterFiles } = await buildDashboard()
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
  const shown = (sizes: ReadonlyMap<string, number>): string =>
    [...sizes].map(([name, bytes]) => `${name} ${bytes}`).join(', ')
  console.error(`dashboard: ${pageBytes} of ${PAGE_BYTES_MAX} bytes (${shown(pageFiles)}); later: ${shown(laterFiles)}`)
}

if (import.meta.main) {
  await writeDashboard().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  })
}
