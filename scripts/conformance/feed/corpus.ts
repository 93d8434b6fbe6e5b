/** The test feeds of feedparser, from its source package at PyPI: each has in a comment what a reader must see in it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { decodeFeed } from '../../../src/feeds/reading/feed-encoding.ts'
import { sourcePackage } from '../fetched-tools.ts'

const FEEDPARSER = { name: 'feedparser', version: '6.0.14', sha256: '088679b0c4b543ee211a820dd544698c76a402122eae7473c04a43425f283d06', folder: 'tests' }

/** The directory `tests` of the package. */
export const feedparserTests = () => sourcePackage(FEEDPARSER)

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
