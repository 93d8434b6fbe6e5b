/**
 * Test files, and what comments at their top say about how they run:
 *
 *   // isolated: REASON     in a process of its own, since it looks at or changes state that a process has once
 *   // gate: REASON         only in the gate and at night, or when it is named: `npm test -- gate` runs these files
 *   // night: REASON        only with TEST_LONG=1, as in `.ci/night`, or when it is named
 *   // also: SETTING…       once more with each of these settings: in the gate with cache-off, threads, executable, and in
 *                        the drill cluster-suites with cluster, against nodes that share a log
 */
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
/** Comments count above the first line of code. */
const HEAD = /^(?:(?:\/\/|\/?\*| \*).*\n|\n)*/
const ALL = ['test/**/*.test.ts']
/** The word for the files that say so. */
const GATE = 'gate'
/** Areas that have to be named. Their files start browsers and etcd servers. */
export const BROWSER_GATE = 'test/walks/**'
export const OWN_GATES = [BROWSER_GATE, 'test/etcd/**']
/** The variables of each setting that a file can name after `also:`. Callers name the executable and the cluster. */
const SETTINGS: Readonly<Record<string, NodeJS.ProcessEnv>> = {
  'cache-off': { DATELINE_CACHE_MB: '0' },
  threads: { DATELINE_THREADS: '3' },
  executable: {},
  cluster: {},
}

export interface FileNotes {
  readonly isIsolated: boolean
  readonly isForGate: boolean
  readonly isForNight: boolean
  readonly also: readonly string[]
}

/** What the comments of a test file say. Throws where it names a setting that does not exist. */
export function notesOf(file: string, root = ROOT): FileNotes {
  const [head = ''] = HEAD.exec(readFileSync(join(root, file), 'utf8')) ?? []
  const note = (name: string): string | undefined => new RegExp(`^// ${name}: (.+)$`, 'm').exec(head)?.[1]
  const also = note('also')?.split(' ') ?? []
  const unknown = also.find((setting) => SETTINGS[setting] === undefined)
  if (unknown !== undefined) throw new Error(`${file} wants the setting "${unknown}": wanted ${Object.keys(SETTINGS).join(', ')}`)
  return { isIsolated: note('isolated') !== undefined, isForGate: note('gate') !== undefined, isForNight: note('night') !== undefined, also }
}

export interface Selection {
  readonly files: readonly string[]
  readonly variables: NodeJS.ProcessEnv
}

/**
 * The test files of areas, paths, settings (`also:cache-off`) and the gate (`gate`), and the variables of the settings. Without
 * a name, all but those of OWN_GATES and of the gate.
 *
 * @throws Error for a name that has no test.
 */
export function selectTests(names: readonly string[]): Selection {
  if (names.length === 0) return { files: filesOf(ALL, OWN_GATES).filter((file) => !notesOf(file).isForGate), variables: {} }
  const variables = Object.assign({}, ...names.map((name) => SETTINGS[name.replace(/^also:/, '')] ?? {})) as NodeJS.ProcessEnv
  return { files: [...new Set(names.flatMap(testsNamed))], variables }
}

/** The files that run once more with a setting. */
export function testsAlso(setting: string): string[] {
  return filesOf(ALL).filter((file) => notesOf(file).also.includes(setting))
}

function testsNamed(name: string): string[] {
  if (name.endsWith('.ts') && statSync(join(ROOT, name), { throwIfNoEntry: false })?.isFile() === true) return [name]
  if (name === GATE) return filesOf(ALL, OWN_GATES).filter((file) => notesOf(file).isForGate)
  const area = name.replace(/^test\//, '').replace(/\/$/, '')
  const found = name.startsWith('also:')
    ? testsAlso(name.slice('also:'.length))
    : filesOf([`test/${area}/**/*.test.ts`, `test/${area}.test.ts`])
  if (found.length === 0) throw new Error(`cannot find tests for "${name}": wanted a directory below test/, a file, ${GATE} or also:SETTING`)
  return found
}

function filesOf(patterns: readonly string[], exclude: readonly string[] = []): string[] {
  const files = globSync(patterns, { cwd: ROOT, exclude }).sort()
  return process.env['TEST_LONG'] === '1' ? files : files.filter((file) => !notesOf(file).isForNight)
}
