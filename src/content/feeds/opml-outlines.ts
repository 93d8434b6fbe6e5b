/** The feeds that an OPML file lists (opml.org/spec2.opml), whatever program has written it. */
import { fail } from '../../base/failure.ts'
import { createProblems } from '../../feeds/reading/feed-problems.ts'
import { scanXml, type XmlHandler } from '../../feeds/reading/xml-scanner.ts'

export const OUTLINES_MAX = 1_000
const TEXT_CHARS_MAX = 500
/** Groups within groups. */
const LEVELS_MAX = 100

export interface FeedOutline {
  /** In the file, counted from 1. */
  readonly line: number
  readonly address: string
  readonly title: string
  readonly siteUrl: string
  /** The text of the group around it; empty outside of groups. */
  readonly group: string
}

/** Each feed of a file in its order, at most OUTLINES_MAX, and how many are left out. Throws invalidInput for what is no OPML. */
export function readOpml(text: string): { readonly outlines: readonly FeedOutline[]; readonly leftOut: number } {
  const outlines: FeedOutline[] = []
  const groups: string[] = []
  let [isOpml, leftOut, line, counted] = [false, 0, 1, 0]
  const lineAt = (start: number): number => {
    for (let at = text.indexOf('\n', counted); at !== -1 && at < start; at = text.indexOf('\n', at + 1)) {
      line++
      counted = at + 1
    }
    return line
  }
  const handler: XmlHandler = {
    keptOpen: (names) => names.length,
    open({ name, attributes }, start) {
      isOpml ||= name.toLowerCase() === 'opml'
      const value = (key: string): string => (attributes.get(key) ?? '').trim().slice(0, TEXT_CHARS_MAX).toWellFormed()
      const address = attributes.get('xmlurl')?.trim()
      groups.push(name.toLowerCase() === 'outline' && groups.length < LEVELS_MAX ? value('text') || value('title') : '')
      if (address === undefined) return
      const group = groups.slice(0, -1).findLast((one) => one !== '') ?? ''
      if (outlines.length === OUTLINES_MAX) leftOut++
      else outlines.push({ line: lineAt(start), address, title: value('title') || value('text'), siteUrl: value('htmlurl'), group })
    },
    close: () => void groups.pop(),
    text: () => {},
    literal: () => {},
  }
  scanXml(text, handler, createProblems(text))
  if (isOpml) return { outlines, leftOut }
  throw fail('invalidInput', 'opml: expected a file of OPML, found none: export the feeds of your reader as OPML')
}
