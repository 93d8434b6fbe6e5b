/**
 * The characters of texts, sorted into classes that no set of a pattern tells apart.
 *
 * A pattern may see a million different characters and has a handful of sets. What follows needs a column for each
 * class only, and asks about membership once for each class. Classes are found as characters are met: the first time
 * that a character is seen, it is asked of each set, and remembered on a page.
 */
import { FOLDED_WORD_CHARS, LINE_TERMINATORS, WORD_CHARS } from './named-sets.ts'
import { charSet, isMember } from './char-set.ts'
import { ASSERTIONS, OP, type Program } from './program.ts'
import { takeSteps, type Steps } from '../steps.ts'

/** What assertions want to know of the characters beside a position; the end of the text has `edge`. */
export const CONTEXT = { edge: 1, line: 2, word: 4, foldedWord: 8 } as const

/** The class that stands for the end of a text. */
export const END_CLASS = 0

/** More classes than a pattern without properties can have. Past it all are forgotten. */
const CLASSES_MAX = 4_096
/** To ask whether a character is in a set, and whether it has a property. */
const MEMBER_STEPS = 2
const PROPERTY_STEPS = 20
export const PAGE_BITS = 7
const PAGE_SIZE = 1 << PAGE_BITS
const PAGE_BYTES = PAGE_SIZE * 2
/** Pages up to U+FFFF. */
const BASIC_PAGES = 0x10000 >> PAGE_BITS
const EMPTY_PAGE = new Uint16Array(PAGE_SIZE)

export interface Alphabet {
  /** Classes by character, in pages of 128 up to U+FFFF; 0 where one has not been met. */
  readonly pages: readonly Uint16Array[]
  /** The first two pages in one. */
  readonly latin: Uint16Array
  /** The class of any character. */
  classOf(point: number, steps: Steps): number
  /** Whether characters of a class are in a set of the program. */
  has(kind: number, set: number): boolean
  contextOf(kind: number): number
  readonly size: number
  /** There are too many classes; clear() before the next character. */
  readonly isFull: boolean
  clear(): void
}

/** Makes the alphabet of a program, whose pages take about so many bytes at most. */
export function createAlphabet(program: Program, bytesMax: number): Alphabet {
  const contexts = contextSets(program)
  const sets = [...program.sets, ...contexts.map(({ set }) => set)]
  const stepsToClassify = sets.reduce((sum, set) => sum + MEMBER_STEPS + PROPERTY_STEPS * set.properties.length, 0)
  const pagesMax = Math.max(1, Math.floor(bytesMax / PAGE_BYTES))
  const latin = new Uint16Array(2 * PAGE_SIZE)
  const pages = new Array<Uint16Array>(BASIC_PAGES).fill(EMPTY_PAGE)
  pages[0] = latin.subarray(0, PAGE_SIZE)
  pages[1] = latin.subarray(PAGE_SIZE)
  const furtherPages = new Map<number, Uint16Array>()
  let pageCount = 0
  const numbers = new Map<string, number>()
  /** For each class one bit for each set, in words of 16. */
  let members: string[] = ['']
  let contextOfClass: number[] = [CONTEXT.edge]

  const clearPages = (): void => {
    pages.fill(EMPTY_PAGE, 2)
    furtherPages.clear()
    pageCount = 0
  }

  const pageOf = (point: number): Uint16Array => {
    const number = point >> PAGE_BITS
    const known = number < BASIC_PAGES ? pages[number] : furtherPages.get(number)
    if (known !== undefined && known !== EMPTY_PAGE) return known
    if (pageCount >= pagesMax) clearPages()
    const page = new Uint16Array(PAGE_SIZE)
    pageCount++
    if (number < BASIC_PAGES) pages[number] = page
    else furtherPages.set(number, page)
    return page
  }

  const classify = (point: number): number => {
    let [signature, word] = ['', 0]
    for (let i = 0; i < sets.length; i++) {
      if (isMember(sets[i] as (typeof sets)[number], point)) word |= 1 << (i & 15)
      if ((i & 15) === 15) {
        signature += String.fromCharCode(word)
        word = 0
      }
    }
    signature += String.fromCharCode(word)
    const known = numbers.get(signature)
    if (known !== undefined) return known
    const number = members.push(signature) - 1
    numbers.set(signature, number)
    contextOfClass.push(
      contexts.reduce((bits, { bit }, i) => (hasBit(signature, program.sets.length + i) ? bits | bit : bits), 0),
    )
    return number
  }

  return {
    pages,
    latin,
    classOf(point, steps) {
      const page = pageOf(point)
      const offset = point & (PAGE_SIZE - 1)
      const known = page[offset] as number
      if (known !== 0) return known
      takeSteps(steps, stepsToClassify)
      const found = classify(point)
      page[offset] = found
      return found
    },
    has: (kind, set) => hasBit(members[kind] as string, set),
    contextOf: (kind) => contextOfClass[kind] as number,
    get size() {
      return members.length
    },
    get isFull() {
      return members.length >= CLASSES_MAX
    },
    clear() {
      latin.fill(0)
      clearPages()
      numbers.clear()
      members = ['']
      contextOfClass = [CONTEXT.edge]
    },
  }
}

function hasBit(signature: string, bit: number): boolean {
  return ((signature.charCodeAt(bit >> 4) >> (bit & 15)) & 1) === 1
}

/** The sets that the assertions of a program ask about. */
function contextSets({ ops, others }: Program) {
  const used = new Set<string>()
  ops.forEach((op, i) => {
    if (op === OP.assertion) used.add(ASSERTIONS[others[i] as number] as string)
  })
  const isUsed = (part: string): boolean => [...used].some((name) => name === part || name === `no-${part}`)
  return [
    { bit: CONTEXT.line, set: charSet(LINE_TERMINATORS), isRelevant: isUsed('line-start') || isUsed('line-end') },
    { bit: CONTEXT.word, set: charSet(WORD_CHARS), isRelevant: isUsed('boundary') },
    { bit: CONTEXT.foldedWord, set: charSet(FOLDED_WORD_CHARS), isRelevant: isUsed('folded-boundary') },
  ].filter(({ isRelevant }) => isRelevant)
}
