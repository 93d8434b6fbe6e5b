/**
 * `npm run tidy`: the state of the code base in figures, and what is wrong with it.
 *
 * The rules without exceptions are tests (test/tidy.test.ts). This prints what has no exact limit: sizes, the longest
 * functions, repeated blocks. It fails where an import goes up, imports form a cycle, a word of the banned list is used,
 * or a text for readers has a sentence that is hard to read. `npm run tidy -- walk` prints what a request enters.
 */
import { existsSync, readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openApiDocument } from '../src/api/openapi/openapi.ts'
import { importsOf, readTree, type Tree } from './tidy/source-tree.ts'
import { layersAreKept, noImportCycles } from './tidy/tidy-rules.ts'
import { functionsIn } from './tidy/functions.ts'
import { proseProblems, textProblems } from './tidy/prose.ts'
import { repeatedBlocks } from './tidy/repeated-blocks.ts'
import { CHANCE_FAILURES } from './test-runs.ts'

const ROOT = join(import.meta.dirname, '..')
const ROWS = 12
const LONG_FUNCTION_LINES = 60
/** Words without an actor or a thing: see the glossary of the contributor guide. */
const BANNED_WORDS = /\b(?:nobody|somebody|whoever|whom|anew|whatever of|of what is|lest)\b/gi
/** It names the words to ban them. */
const BANNED_WORDS_FILE = 'scripts/tidy.ts'

const tree = readTree(ROOT)
const sources = only('src/')

const [command, ...more] = process.argv.slice(2)
// It runs the service, which the report does not need.
if (command === 'walk') await (await import('./tidy/walk.ts')).printWalks(more)
else printReport()

function printReport(): void {
  const upward = layersAreKept(tree)
  const cycles = noImportCycles(tree)
  const words = bannedWords()
  const sentences = hardSentences()

  print('Folders', ['folder', 'files', 'lines', 'median'], folderRows())
  print('Most imported files', ['file', 'imported by'], importRows())
  print(`Functions of more than ${LONG_FUNCTION_LINES} lines`, ['place', 'lines', 'function'], functionRows())
  print('Repeated blocks', ['lines', 'places'], blockRows())
  print('Banned words', ['file', 'words'], words.slice(0, ROWS))
  print('Sentences that are hard to read', ['file', 'reason', 'sentence'], sentences)
  print('Test files that failed by chance', ['when and which'], chanceFailures())
  print('Imports upward', ['import'], upward.map((one) => [one]))
  print('Import cycles', ['cycle'], cycles.map((one) => [one]))

  const wordCount = words.reduce((sum, [, count]) => sum + count, 0)
  const interfaces = [...sources.values()].flatMap((text) => text.match(/^(?:export )?interface /gm) ?? []).length
  console.log(
    `\n${sources.size} files, ${sum([...sources.values()].map(linesOf))} lines and ${interfaces} interfaces in src; ` +
      `imports upward ${upward.length}, cycles ${cycles.length}, banned words ${wordCount}, hard sentences ${sentences.length}`,
  )
  if (upward.length + cycles.length > 0 || wordCount > 0 || sentences.length > 0) {
    console.error('tidy: wanted no import upward, no cycle, no banned words and no hard sentences')
    process.exitCode = 1
  }
}

/** They passed in a second run. Their causes are to be mended; here they fail nothing, since the gate has gone on. */
function chanceFailures(): string[][] {
  const report = join(ROOT, CHANCE_FAILURES)
  const text = existsSync(report) ? readFileSync(report, 'utf8') : ''
  return (text.match(/^\d{4}-\S+ test\/\S+$/gm) ?? []).map((line) => [line])
}

function only(prefix: string): Tree {
  return new Map([...tree].filter(([path]) => path.startsWith(prefix)))
}

function folderRows(): (string | number)[][] {
  const folders = Map.groupBy(sources, ([path]) => path.split('/').slice(0, -1).join('/'))
  const rows = [...folders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([folder, files]) => {
    const lengths = files.map(([, text]) => linesOf(text)).sort((a, b) => a - b)
    return [folder, files.length, sum(lengths), lengths[lengths.length >> 1] ?? 0]
  })
  const others = ['test/', 'scripts/'].map((prefix) => {
    const lengths = [...only(prefix).values()].map(linesOf).sort((a, b) => a - b)
    return [prefix.slice(0, -1), lengths.length, sum(lengths), lengths[lengths.length >> 1] ?? 0]
  })
  return [...rows, ...others]
}

function importRows(): (string | number)[][] {
  const targets = [...sources].flatMap(([path, text]) => importsOf(path, text).flatMap(({ to }) => to ?? []))
  return [...Map.groupBy(targets, (to) => to)]
    .map(([to, all]) => [to, all.length] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, ROWS)
    .map((row) => [...row])
}

function functionRows(): (string | number)[][] {
  return [...sources]
    .flatMap(([path, text]) => functionsIn(text).map(({ line, lines, start }) => ({ place: `${path}:${line}`, lines, start })))
    .filter(({ lines }) => lines > LONG_FUNCTION_LINES)
    .sort((a, b) => b.lines - a.lines)
    .map(({ place, lines, start }) => [place, lines, start])
}

function blockRows(): (string | number)[][] {
  return repeatedBlocks(sources)
    .slice(0, ROWS)
    .map(({ lines, places }) => [lines, places.join(' ')])
}

/** In everything that people read, with the files that have most of them first. */
function bannedWords(): (readonly [path: string, count: number])[] {
  const paths = execFileSync('git', ['ls-files', 'src', 'test', 'scripts', 'data/guides', 'data/texts', 'data/mail', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return paths
    .split('\n')
    .filter((path) => /\.(?:ts|mjs|md|json|css|html|py)$/.test(path) && path !== BANNED_WORDS_FILE)
    .map((path) => [path, (readFileSync(join(ROOT, path), 'utf8').match(BANNED_WORDS) ?? []).length] as const)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
}

/** In the README, the CHANGELOG, the guides, the texts of the dashboard and the OpenAPI document. */
function hardSentences(): string[][] {
  const paths = execFileSync('git', ['ls-files', '*.md', 'data/texts/en*.json'], { cwd: ROOT, encoding: 'utf8' })
  const inFiles = paths.split('\n').flatMap((path) => {
    if (path === '') return []
    const text = readFileSync(join(ROOT, path), 'utf8')
    const problems = path.endsWith('.md') ? proseProblems(text) : textProblems(text)
    return problems.map(({ reason, sentence }) => [path, reason, sentence])
  })
  const described = new Set(descriptionsIn(openApiDocument({ version: '' })))
  const inApi = [...described].flatMap(proseProblems).map(({ reason, sentence }) => ['OpenAPI', reason, sentence])
  return [...inFiles, ...inApi]
}

/** The texts of a JSON schema or an OpenAPI document that people read. */
function* descriptionsIn(value: unknown): Iterable<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'string') yield* descriptionsIn(member)
    else if (name === 'description' || name === 'summary') yield member
  }
}

function linesOf(text: string): number {
  return text.split('\n').length - 1
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

function print(title: string, head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  console.log(`\n${title}`)
  if (rows.length === 0) return console.log('  none')
  const all = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)))
  for (const row of all) console.log(`  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd())
}
