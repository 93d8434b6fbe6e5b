/**
 * The deterministic automaton of a program, built while texts are read (as RE2 does it: Cox, "Regular Expression
 * Matching in the Wild", swtch.com/~rsc/regexp/regexp3.html).
 *
 * Each set of states that is met becomes one state with a row of the table, which has a column for each class of
 * characters; a cell is filled the first time that it is needed. From then on a character costs one look-up. The table
 * has a limit in bytes. A full one is thrown away and begun again; where that happens too soon after the last time to
 * be worth it, the rest of the text goes from set to set without a table.
 */
import { takeSteps, type Steps } from '../steps.ts'
import { END_CLASS, PAGE_BITS, type Alphabet } from './alphabet.ts'
import type { Outcome, StateSet, Stepper } from './state-set.ts'

/** A table that does not serve so many characters for each of its rows is not worth building. */
const CHARS_PER_ROW_MIN = 10
const ROWS_FIRST = 16
const COLUMNS_FIRST = 8
/** What a row takes beside its cells: the set, the key that it is found by, and the objects around them. */
const ROW_BYTES = 200
/** Of a state in that set and in its key. */
const STATE_BYTES = 4

/** Up to here characters have a shorter way. */
const LATIN_END = 0x100
/** From here on a unit may be half of a pair; what is said of it depends on its neighbours. */
const SURROGATES = 0xd800
const IN_PAGE = (1 << PAGE_BITS) - 1

/** Cells: a row is named by its offset in the table, and no row is at these. */
const UNKNOWN = 0
const MATCH = -1
const NO_MATCH = -2

/** Says whether a text has a match. */
export type TextMatcher = (text: string, steps: Steps) => boolean

interface AutomatonParts {
  readonly alphabet: Alphabet
  readonly stepper: Stepper
  /** Texts are code points, not UTF-16 units. */
  readonly unicode: boolean
}

/** Makes the matcher, whose table takes about so many bytes at most. */
export function createLazyDfa({ alphabet, stepper, unicode }: AutomatonParts, bytesMax: number): TextMatcher {
  let columns = COLUMNS_FIRST
  let table = new Int32Array(0)
  /** By the number of the row. */
  let sets: StateSet[] = []
  const rows = new Map<string, number>()
  let firstCell = UNKNOWN
  let bytes = 0
  /** Characters that this table has served. */
  let served = 0

  const clear = (): void => {
    while (columns < alphabet.size) columns *= 2
    table = new Int32Array(ROWS_FIRST * columns)
    // Row 0 stays empty: its number marks a cell that is not filled yet.
    sets = [{ states: new Uint16Array(0), before: 0 }]
    rows.clear()
    firstCell = UNKNOWN
    bytes = table.byteLength
    served = 0
  }

  const cellOf = (outcome: Outcome): number => {
    if (outcome === 'match') return MATCH
    return outcome === 'no match' ? NO_MATCH : rowOf(outcome)
  }

  const rowOf = (set: StateSet): number => {
    set.states.sort()
    const key = String.fromCharCode(set.before, ...set.states)
    const known = rows.get(key)
    if (known !== undefined) return known
    const row = sets.push(set) * columns - columns
    if (row + columns > table.length) {
      const larger = new Int32Array(2 * table.length)
      larger.set(table)
      bytes += table.byteLength
      table = larger
    }
    rows.set(key, row)
    bytes += ROW_BYTES + STATE_BYTES * set.states.length
    return row
  }

  /** The rest of a text from a set, without the table. */
  const simulate = (text: string, start: number, from: StateSet, steps: Steps): boolean => {
    let set = from
    for (let i = start; i < text.length; i++) {
      const point = unicode ? (text.codePointAt(i) as number) : text.charCodeAt(i)
      if (point > 0xffff) i++
      const outcome = stepper.next(set, alphabet.classOf(point, steps), steps)
      if (typeof outcome === 'string') return outcome === 'match'
      if (alphabet.isFull) alphabet.clear()
      set = outcome
    }
    return stepper.next(set, END_CLASS, steps) === 'match'
  }

  clear()

  return (text, steps) => {
    const { latin, pages } = alphabet
    const { length } = text
    // Characters that were met without the table have classes for which it may have no columns.
    if (alphabet.size > columns) clear()
    if (firstCell === UNKNOWN) firstCell = cellOf(stepper.first(steps))
    let cells = table
    let row = firstCell
    let i = 0
    let counted = 0
    while (row > 0) {
      // Characters that have been met, in states that have met them. Column 0, of all others, has no row.
      while (i < length) {
        const unit = text.charCodeAt(i)
        if (unit >= LATIN_END) break
        const next = cells[row + (latin[unit] as number)] as number
        if (next <= 0) break
        row = next
        i++
      }
      if (i < length && text.charCodeAt(i) >= LATIN_END) {
        i = followPages({ text, i, row, cells, pages })
        row = reached[0] as number
      }
      let kind = END_CLASS
      if (i < length) {
        const point = unicode ? (text.codePointAt(i) as number) : text.charCodeAt(i)
        i += point > 0xffff ? 2 : 1
        kind = alphabet.classOf(point, steps)
        if (kind >= columns) {
          const set = sets[row / columns] as StateSet
          clear()
          row = rowOf(set)
          cells = table
        }
      }
      let cell = cells[row + kind] as number
      if (cell === UNKNOWN) {
        const outcome = stepper.next(sets[row / columns] as StateSet, kind, steps)
        served += i - counted
        counted = i
        if (typeof outcome === 'object' && (bytes > bytesMax || alphabet.isFull)) {
          const isWorthIt = served >= CHARS_PER_ROW_MIN * sets.length
          if (alphabet.isFull) alphabet.clear()
          clear()
          if (!isWorthIt) return simulate(text, i, outcome, steps)
          row = rowOf(outcome)
          cells = table
          continue
        }
        cell = cellOf(outcome)
        cells = table
        cells[row + kind] = cell
      }
      row = cell
    }
    served += i - counted
    takeSteps(steps, i)
    return row === MATCH
  }
}

/** Where followPages() has arrived. A result of two numbers would be an object for each call. */
const reached = new Int32Array(1)

interface Stretch {
  readonly text: string
  readonly i: number
  readonly row: number
  readonly cells: Int32Array
  readonly pages: readonly Uint16Array[]
}

/** Goes on as far as characters have been met, in states that have met them; for texts in other alphabets than Latin. */
function followPages({ text, i, row, cells, pages }: Stretch): number {
  let [at, now] = [i, row]
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= SURROGATES) break
    const page = pages[unit >> PAGE_BITS] as Uint16Array
    const next = cells[now + (page[unit & IN_PAGE] as number)] as number
    if (next <= 0) break
    now = next
  }
  reached[0] = now
  return at
}
