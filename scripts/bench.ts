/** `npm run bench -- NAME [N]`: benchmarks, one run each, printed as ratios. Never part of the tests. */
import { benchCluster } from './bench/cluster-bench.ts'
import { benchFeeds } from './bench/feeds-bench.ts'
import { benchHttp } from './bench/http-bench.ts'
import { benchImport } from './bench/import-bench.ts'
import { benchImportBeside } from './bench/import-beside.ts'
import { benchOffsite } from './bench/offsite-bench.ts'
import { benchPeers } from './bench/peers-bench.ts'
import { benchPictures } from './bench/pictures-bench.ts'
import { benchScale } from './bench/scale-bench.ts'
import { NotAvailable } from './conformance/conformance.ts'

const BENCHES: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = {
  cluster: benchCluster,
  feeds: benchFeeds,
  http: benchHttp,
  morning: inBrowser('bench/browser/morning-bench.ts'),
  import: benchImport,
  'import-beside': benchImportBeside,
  offsite: benchOffsite,
  paint: inBrowser('bench/browser/paint-bench.ts'),
  peers: benchPeers,
  pictures: benchPictures,
  publications: (words) => benchHttp([...words, 'publication']),
  rows: inBrowser('bench/browser/rows-bench.ts'),
  scale: benchScale,
}

/** Types of these are those of browsers, which no other script may see: the compiler does not follow such an import. */
function inBrowser(path: string) {
  return async (words: readonly string[]): Promise<void> => {
    const { run } = (await import(`${import.meta.dirname}/${path}`)) as { run: (words: readonly string[]) => Promise<void> }
    await run(words)
  }
}

const [name = '', ...words] = process.argv.slice(2)
const bench = BENCHES[name]
if (bench === undefined) {
  console.error(`Usage: npm run bench -- ${Object.keys(BENCHES).join('|')}`)
  process.exitCode = 2
} else {
  try {
    await bench(words)
  } catch (error) {
    if (!(error instanceof NotAvailable)) throw error
    console.log(`${name}: not run: ${error.message}`)
  }
}
