/**
 * A Node and our program as one executable.
 *
 * Node's own builder (`node --build-sea`) puts the program in. It is the same code as postject's, but of one version
 * with the Node that reads the result, tested there on every system, and without a prerelease package of 2023 that
 * prints a warning per section of a stripped file; it also takes the executable of another system.
 *
 * Measured (20 starts of `version`, median): as CommonJS 52 ms, as a module 63 ms, CommonJS with V8's code cache 44 ms;
 * `node -e 0` takes 25 ms. The cache is left out all the same: its bytes depend on the seed of V8's hash tables, so
 * that two builds differ, and a cache made under a fixed seed is only used by a process with the same seed, which would
 * give up the protection against made-up keys that collide. A snapshot of the heap is only for programs that load no
 * worker, no server and no database before it is taken.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PAGE_ASSETS_FILE } from '../src/app/page-assets.ts'
import type { Bundle } from './build-bundle.ts'
import { withoutLibatomic } from './build-elf-atomic.ts'
import { isElf, stripElf } from './build-elf.ts'
import { isPe, unsignPe } from './build-pe.ts'

export interface Parts {
  readonly bundle: Bundle
  /** A Node of the same version as this one, for any system. */
  readonly node: string
  /** Where the executable goes; replaced at once when it is whole. */
  readonly output: string
}

/** Writes the executable. Throws with the words of the builder. */
export function buildExecutable({ bundle, node, output }: Parts): void {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'dateline-build-'))
  const directory = temporary.path
  writeFileSync(join(directory, 'node'), prepared(readFileSync(node)), { mode: 0o755 })
  writeFileSync(join(directory, 'dateline.cjs'), bundle.main)
  for (const [name, text] of [...bundle.workers, ...bundle.texts]) writeFileSync(join(directory, name), text)
  writeFileSync(join(directory, PAGE_ASSETS_FILE), bundle.pages)
  writeFileSync(join(directory, 'sea.json'), JSON.stringify(seaConfig(bundle)))
  // The names go into the executable; relative ones are the same wherever it is built.
  const built = spawnSync(process.execPath, ['--build-sea', 'sea.json'], {
    cwd: directory,
    env: {},
    encoding: 'utf8',
  })
  if (built.status !== 0) throw new Error(`Cannot build ${output}: ${built.stderr || String(built.error)}`)
  mkdirSync(dirname(output), { recursive: true })
  copyFileSync(join(directory, 'out'), `${output}.new`)
  chmodSync(`${output}.new`, 0o755)
  renameSync(`${output}.new`, output)
}

/**
 * Symbols and the need for libatomic go from the files of Linux. Windows keeps its symbols elsewhere; those of a Mac are
 * woven into tables that the loader uses, and stay. Signatures go, since they would be broken: the builder takes that of
 * a Mac out by itself.
 */
function prepared(node: Buffer): Buffer {
  if (isElf(node)) return withoutLibatomic(stripElf(node))
  return isPe(node) ? unsignPe(node) : node
}

function seaConfig({ workers, texts }: Bundle): object {
  return {
    main: 'dateline.cjs',
    mainFormat: 'commonjs',
    executable: 'node',
    output: 'out',
    assets: Object.fromEntries([...workers.keys(), ...texts.keys(), PAGE_ASSETS_FILE].map((name) => [name, name])),
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    useSnapshot: false,
    // No signal opens a debugger, and every word of the command line, --inspect and --eval too, is ours.
    execArgv: ['--disable-sigusr1'],
    execArgvExtension: 'none',
  }
}
