/**
 * Groups of test files that share a process, and the order in which their processes start.
 *
 * A process that loads the service and runs its code for the first time takes half a second of a core, for some files more
 * than their tests. So files of one directory run in one process, one after the other: each is loaded when all tests and
 * hooks of the one before it have ended, as a test that has the path of the file for its name.
 *
 * A file stays alone where it looks at or changes what a process has once: its memory, open sockets, timers, globals or
 * environment, or where it measures time. So does a long one, and it starts early, so that no core waits for it at the end.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Test files in a process. */
const GROUP_FILES_MAX = 12
/** For all tests of a file; each of them has the time-out of the run. */
const FILE_TIMEOUT_MS = 1_800_000
const OF_ITS_PROCESS =
  /\bglobalThis, |\bprocess\.env\['\w+'\] = |\bcollectGarbage\b|\bmemoryUsage\b|\bgetActiveResourcesInfo\b|\bprocess\.(?:on|once|umask)\(|\bmock\.timers\b|\b(?:performance|Date)\.now\(/
/** Those that take the most processor time, the longest first. */
const LONGEST: readonly string[] = [
  'test/query/differential.test.ts',
  'test/cli/serve.test.ts',
  'test/scripts/executable.test.ts',
  'test/cli/transfer.test.ts',
  'test/api/auth/rate-limits.test.ts',
  'test/api/serving-threads.test.ts',
  'test/scripts/drill-data.test.ts',
  'test/cli/check.test.ts',
  'test/api/data-explain.test.ts',
  'test/api/hostile-filters.test.ts',
  'test/scripts/build-dashboard.test.ts',
  'test/scripts/toolchain.test.ts',
  'test/api/remembered-reads.test.ts',
  'test/query/regex-differential.test.ts',
]

/** Groups of paths below `root`, each for one process, in the order of their start. */
export function groupFiles(files: readonly string[], root: string): readonly (readonly string[])[] {
  const long = LONGEST.filter((file) => files.includes(file))
  const [alone, together] = [[] as string[], [] as string[]]
  for (const file of files) {
    if (long.includes(file)) continue
    const isAlone = OF_ITS_PROCESS.test(readFileSync(join(root, file), 'utf8'))
    ;(isAlone ? alone : together).push(file)
  }
  const groups = [...Map.groupBy(together, dirname).values()].flatMap(evenParts)
  groups.sort((a, b) => b.length - a.length)
  return [...long.map((file) => [file]), ...groups, ...alone.map((file) => [file])]
}

/** As few parts as the maximum lets there be, of about the same size. */
function evenParts(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / GROUP_FILES_MAX)
  const start = (part: number): number => Math.round((part * files.length) / count)
  return Array.from({ length: count }, (_, part) => files.slice(start(part), start(part + 1)))
}

/**
 * Writes a test file for each group into a directory, and gives the groups by the paths of these files. Node's test runner
 * starts them in the order of their names.
 */
export function writeGroups(
  groups: readonly (readonly string[])[],
  { root, directory }: { readonly root: string; readonly directory: string },
): ReadonlyMap<string, readonly string[]> {
  const width = String(groups.length).length
  return new Map(
    groups.map((files, i) => {
      const path = join(directory, `${String(i).padStart(width, '0')}.test.mjs`)
      writeFileSync(path, groupScript(files, root))
      return [path, files]
    }),
  )
}

/** A process that ends by itself, whatever its exit code, before all of its files have ended fails. */
function groupScript(files: readonly string[], root: string): string {
  const list = files.map((file) => [file, pathToFileURL(join(root, file)).href])
  return `import { test } from 'node:test'
const files = ${JSON.stringify(list, undefined, 2)}
let left = files.length
process.on('exit', () => {
  if (left > 0) process.exitCode ||= 1
})
for (const [name, url] of files) {
  test(name, { timeout: ${FILE_TIMEOUT_MS} }, async (t) => {
    t.after(() => void (left -= 1))
    await import(url)
  })
}
`
}
