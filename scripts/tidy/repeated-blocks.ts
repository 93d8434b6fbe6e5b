/** Lines that stand in several places: runs of the same code, without blank lines, comments and imports. */
import { withoutComments, type Tree } from './source-tree.ts'

const LINES_MIN = 6
/** A run of closing brackets and the like is no repetition. */
const CHARS_MIN = 120

export interface RepeatedBlock {
  readonly lines: number
  /** `src/a.ts:12`, in order. */
  readonly places: readonly string[]
}

interface Line {
  readonly path: string
  readonly number: number
  readonly text: string
}

/** Each run at its full length, the longest first. */
export function repeatedBlocks(tree: Tree): readonly RepeatedBlock[] {
  const files = [...tree].map(([path, text]) => codeLines(path, text))
  const windows = new Map<string, [file: number, at: number][]>()
  files.forEach((lines, file) => {
    for (let at = 0; at + LINES_MIN <= lines.length; at++) {
      const key = lines.slice(at, at + LINES_MIN).map(({ text }) => text).join('\n')
      if (key.length < CHARS_MIN) continue
      const places = windows.get(key)
      if (places === undefined) windows.set(key, [[file, at]])
      else places.push([file, at])
    }
  })
  const covered = new Set<string>()
  const found: RepeatedBlock[] = []
  for (const places of windows.values()) {
    const [first] = places
    if (places.length < 2 || first === undefined || covered.has(first.join(':'))) continue
    let length = LINES_MIN
    const lineAt = ([file, at]: [number, number]): string | undefined => files[file]?.[at + length]?.text
    while (lineAt(first) !== undefined && places.every((place) => lineAt(place) === lineAt(first))) length++
    for (const [file, at] of places) for (let i = 0; i + LINES_MIN <= length; i++) covered.add(`${file}:${at + i}`)
    const named = places.map(([file, at]) => `${files[file]?.[at]?.path}:${files[file]?.[at]?.number}`)
    found.push({ lines: length, places: named })
  }
  return found.sort((a, b) => b.lines * b.places.length - a.lines * a.places.length)
}

function codeLines(path: string, text: string): readonly Line[] {
  return withoutComments(text)
    .replace(/^import\b[^'"]*['"][^'"]*['"].*$/gm, (clause) => clause.replace(/[^\n]/g, ' '))
    .split('\n')
    .map((line, i) => ({ path, number: i + 1, text: line.trim() }))
    .filter(({ text: line }) => line !== '')
}
