/**
 * The program as a few scripts: main, and each worker thread with all that it imports, named after its source.
 *
 * Everything in them depends on the sources alone: paths are relative to the project, data is embedded, and nothing is
 * shortened, so that a stack trace names our functions. (Shortened scripts were measured to start no quicker.)
 */
import { build, type BuildOptions, type Plugin } from 'esbuild'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packAssets } from '../src/app/page-assets.ts'
import { EXAMPLES, exampleAsset, readExample } from '../src/guides/examples.ts'
import { buildDashboard } from './build-dashboard.ts'
import { sourceCommit } from './source-commit.ts'

const ROOT = join(import.meta.dirname, '..')
/** The address that scripts of the executable have. Only its last part is ever looked at, by src/base/thread.ts. */
const ADDRESS = 'file:///dateline/main.ts'

export interface Bundle {
  readonly main: string
  /** The worker threads by the names of their sources, in the order of these names. */
  readonly workers: ReadonlyMap<string, string>
  /** The guides by the names of their files, and the examples by theirs. */
  readonly texts: ReadonlyMap<string, string>
  /** The files of the dashboard, as src/app/page-assets.ts reads them. */
  readonly pages: Uint8Array
}

export async function bundleProgram(): Promise<Bundle> {
  // A module starts more slowly than a CommonJS script: see scripts/build-executable.ts.
  const { main, workers } = await bundleScripts({
    format: 'cjs',
    define: { 'import.meta.url': JSON.stringify(ADDRESS) },
    commit: sourceCommit(ROOT),
  })
  const { assets } = await buildDashboard()
  return { main, workers, texts: readTexts(), pages: packAssets(assets) }
}

/** The scripts alone. */
export async function bundleScripts(
  options: Pick<BuildOptions, 'format' | 'define' | 'banner'> & { readonly commit?: string | undefined },
): Promise<Pick<Bundle, 'main' | 'workers'>> {
  // By file name, which is their key: the order of the assets does not depend on folders.
  const workers = globSync('src/**/*-worker.ts', { cwd: ROOT }).sort((a, b) => (basename(a) < basename(b) ? -1 : 1))
  const [main = '', ...rest] = await Promise.all(['src/main.ts', ...workers].map((path) => bundle(path, options)))
  return { main, workers: new Map(workers.map((path, i) => [basename(path), rest[i] ?? ''])) }
}

function readTexts(): ReadonlyMap<string, string> {
  const paths = globSync('data/guides/*.md', { cwd: ROOT }).sort()
  return new Map([
    ...paths.map((path): [string, string] => [basename(path), readFileSync(join(ROOT, path), 'utf8')]),
    ...EXAMPLES.map((example): [string, string] => [exampleAsset(example), readExample(example)]),
  ])
}

async function bundle(
  path: string,
  { commit, ...options }: BuildOptions & { readonly commit?: string | undefined },
): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [path],
    bundle: true,
    platform: 'node',
    target: 'node26',
    plugins: [onlyTheVersion(commit)],
    legalComments: 'none',
    logLevel: 'warning',
    ...options,
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

/** The rest of package.json is about development, and would change the executable with every script of ours. */
const onlyTheVersion = (commit: string | undefined): Plugin => ({
  name: 'only-the-version',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
      return { loader: 'json', contents: JSON.stringify({ version, commit }) }
    })
  },
})
