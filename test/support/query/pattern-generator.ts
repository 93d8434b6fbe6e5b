/**
 * Patterns and texts for comparisons with V8: all small ones over some tokens, and random ones that meet what engines
 * get wrong: characters past U+FFFF, halves of pairs, letters with several variants, both dialects.
 *
 * Where V8 departs from ECMA-262 there is nothing to compare, so such patterns are not made. In Node 26 that is:
 * - the flags of a group such as `(?i:…)` stay in force for classes behind it, until another group begins: here an
 *   empty group follows each; and ignoring case in such a group fails for letters with more than two variants: here
 *   those do not occur beside it;
 * - with `u`, `\B` holds between the halves of a pair: no text with a pair goes to a pattern with `\B`;
 * - with `u`, a negated class before `$` does not match a character past U+FFFF, as the text is read from its end: the
 *   oracle adds an alternative that never matches, which makes V8 read forwards;
 * - `(?:[^]*?a^|)s` does not match `s`: a lazy loop over every character with a `^` behind it makes V8 give up the other
 *   alternatives as well. A source with such parts gets no texts.
 */
import type { Random } from '../../../scripts/tools/random.ts'

/** What a pattern is asked about: a source, its flags, and texts. */
export interface PatternCase {
  readonly source: string
  readonly flags: string
  readonly texts: readonly string[]
}

const LETTERS = [
  ...['a', 'b', 'A', 'B', 'k', 'K', 's', 'S', 'i', 'I', '1', '_', '-', ' ', '\n', '\u2028', 'é', 'É'],
  ...['\u017F', '\u212A', 'ß', '\u1E9E', '\u0130', '\u0131', 'Σ', 'σ', 'ς', 'µ', 'μ', 'Å', 'å', '\u212B'],
  ...['\u01C4', '\u01C5', '\u01C6', '\u{10400}', '\u{10428}', '\u{1F600}', '\uD801', '\uDC00', '\uDC28'],
]
/** Without those that are like more than one other. */
const PLAIN_LETTERS = ['a', 'b', 'A', 'B', 'i', 'I', '1', '_', '-', ' ', '\n', 'é', 'É', '\u{10400}', '\u{10428}']

/** Parts that both dialects read, though not alike. */
const ATOMS = [
  ...['.', '\\w', '\\W', '\\d', '\\D', '\\s', '\\S', '[ab]', '[^a]', '[a-k]', '[^\\w]', '[\\W]', '[^\\W]', '[]', '[^]'],
  ...['[k-s]', '[^k]', '[^s]', '[\\s\\S]', '[^\\D]', '[\\b]', '[\\d_-]', '\\b', '\\B', '^', '$', '(?:)', '\\t', '\\0'],
  ...['^', '$', '\\n', '.', '\\x41', '\\u0041', '\\uD801', '\\uDC00', '\\uD801\\uDC00', '\\cA', '\\$', '[\u017F-\u0180]', '[\u212A]'],
  ...['[a-\u{10400}]', '[\u{10400}-\u{10410}]', '[^\u{10400}]', '[K\\W]', '\\u{61}', '\\u{10400}'],
]
const UNICODE_ATOMS = [
  ...['\\p{Lu}', '\\P{Lu}', '[^\\p{Lu}]', '[^\\P{Lu}]', '[\\p{Ll}1]', '\\p{L}', '\\P{L}', '[^\\p{L}\\d]'],
  ...['\\p{Script=Greek}', '\\p{Any}', '[\\P{Lu}\\p{Lu}]'],
]
/** Annex B: what only the older dialect takes. */
const LEGACY_ATOMS = [
  ...['\\1', '\\07', '\\08', '\\8', '\\377', '\\c', '[\\c1]', '[\\c]', '\\k', '\\k<a>', '\\-', '\\a', '{', '}', ']'],
  ...['{a}', 'a{,2}', '[\\w-a]', '[a-\\d]', '\\p{Lu}', '\\u{61', '\\x4', '\\u00', '[\\8]', '[\\1]'],
]
const QUANTIFIERS = ['*', '+', '?', '*?', '+?', '??', '{2}', '{0,1}', '{1,}', '{0}', '{1,3}?', '{2,3}', '{0,2}', '{0,}']
const MODIFIERS = ['(?i:', '(?-i:', '(?ims:', '(?i-s:', '(?s-i:', '(?s:', '(?m:', '(?-m:', '(?-s:']

const TEXTS_EACH = 5

/** A random case. The source may be no pattern of its flags. */
export function randomPatternCase(random: Random): PatternCase {
  const flags = [...'ims'].filter(() => random.oneIn(3)).join('') + (random.oneIn(3) ? '' : 'u')
  const changesCase = random.oneIn(8)
  const making: Making = {
    random,
    letters: changesCase ? PLAIN_LETTERS : LETTERS,
    atoms: [...ATOMS, ...(flags.includes('u') ? (changesCase ? [] : UNICODE_ATOMS) : LEGACY_ATOMS)],
    modifiers: changesCase ? MODIFIERS : MODIFIERS.filter((modifier) => !modifier.includes('i')),
    names: 0,
  }
  if (changesCase) making.atoms = making.atoms.filter((atom) => !/[kKsS\u017F\u212A\uD801]/.test(atom.replace('\\s', '')))
  const source = randomSource(making, 3)
  if (losesAlternatives(source)) return { source, flags, texts: [] }
  const isSplit = flags.includes('u') && source.includes('\\B')
  const texts = Array.from({ length: TEXTS_EACH }, () => randomText(random, making.letters, source)).filter(
    (text) => !(isSplit && PAIR.test(text)),
  )
  return { source, flags, texts }
}

/** Sets of every character; the dot is one with the flag `s`. */
const EVERY_CHARACTER = /\[\^\]|\[\\s\\S\]|\[\\P\{Lu\}\\p\{Lu\}\]|\\p\{Any\}|\./

function losesAlternatives(source: string): boolean {
  return EVERY_CHARACTER.test(source) && /[*+]\?/.test(source) && /(?<!\[)\^/.test(source)
}

const PAIR = /[\uD800-\uDBFF][\uDC00-\uDFFF]/

interface Making {
  readonly random: Random
  readonly letters: readonly string[]
  atoms: readonly string[]
  readonly modifiers: readonly string[]
  names: number
}

function randomSource(making: Making, depth: number): string {
  const { random } = making
  let source = ''
  for (let parts = 1 + random.below(3); parts > 0; parts--) {
    source += randomPart(making, depth)
    if (random.oneIn(3)) source += random.pick(QUANTIFIERS)
  }
  return depth === 3 && random.oneIn(5) ? `${source}|${randomSource(making, 2)}` : source
}

function randomPart(making: Making, depth: number): string {
  const { random, letters, atoms, modifiers } = making
  const kind = random.below(depth > 0 ? 11 : 6)
  if (kind < 3) return random.pick(letters)
  if (kind < 6) return random.pick(atoms)
  const inner = randomSource(making, depth - 1)
  if (kind === 6) return `(${inner})`
  if (kind === 7) return `(?:${inner}|${randomSource(making, depth - 1)})`
  if (kind === 8) return `(?:${random.pick(modifiers)}${inner})(?:))`
  if (kind === 9) return `(?:${inner}|)`
  const name = random.oneIn(6) ? 'same' : `n${making.names++}`
  return `(?<${name}>${inner})`
}

/** Of a few letters, so that parts of it repeat. */
function randomText(random: Random, letters: readonly string[], source: string): string {
  const few = [random.pick(letters), random.pick(letters), random.pick(letters)]
  if (random.oneIn(2)) few.push(random.pick([...source]))
  if (random.oneIn(4)) few.push('\n')
  return random.list(9, () => random.pick(few)).join('')
}

const SMALL_TOKENS = [
  ...['a', 'b', 'K', '\u017F', 'ß', '\u{10400}', '\uD801', '\uDC00', '.', '\\w', '\\W', '\\S', '[^a]', '[]', '[^]', '[a-s]'],
  ...['\\b', '\\B', '^', '$', '(', ')', '(?:', '|', '*', '+', '?', '{2}', '{0,1}', '\\1', '\\k', '{', ']', '-'],
]
const SMALL_TEXTS = [
  ...['', 'a', 'b', 'aa', 'ab', 'ba', 'a b', 'k\u017F', '\u212A', 'SS', '\u{10428}', '\uD801', 'x\uDC00', 'b\na'],
]
const SMALL_FLAGS = ['u', 'iu', '', 'im']

/** Every pattern of up to so many tokens, each with all small texts. */
export function* smallPatternCases(tokensMax: number): Generator<PatternCase> {
  for (const source of sequences(SMALL_TOKENS, tokensMax)) {
    for (const flags of SMALL_FLAGS) {
      const isSplit = flags.includes('u') && source.includes('\\B')
      yield { source, flags, texts: isSplit ? SMALL_TEXTS.filter((text) => !PAIR.test(text)) : SMALL_TEXTS }
    }
  }
}

/** All lists of up to so many of these, each made one text. */
export function* sequences(tokens: readonly string[], lengthMax: number): Generator<string> {
  if (lengthMax === 0) return yield ''
  yield* sequences(tokens, lengthMax - 1)
  yield* ofLength(tokens, lengthMax)
}

function* ofLength(tokens: readonly string[], length: number): Generator<string> {
  if (length === 0) return yield ''
  for (const token of tokens) for (const rest of ofLength(tokens, length - 1)) yield token + rest
}

/** What decides whether a text is a pattern. */
export const SYNTAX_TOKENS = [
  ...['(', ')', '[', ']', '{', '}', '*', '+', '?', '|', '^', '$', '.', '\\', '-', ',', '<', '>', ':', '=', '!', '/'],
  ...['a', '1', '2', '8', '0', 'k', 'c', 'u', 'x', 'p', 'b', 'B', '(?', '(?:', '(?<a>', '(?<b>', '(?=', '(?<!', '\\k<a>'],
  ...['{1}', '{2,}', '{2,1}', '(?i:', '(?-i:', '(?s-m:', '(?i-', '[^', '[a-z]', '[z-a]', '\\w', '\\u{61}', '\\uD83D'],
  ...['\\u0061', '\\p{L}', '\\p{No}', '\\p{Nowhere}', '\\P{sc=Grek}', '\\1', '\\2', '\\cA', '\\x41', '\u{1F600}', '\uD83D'],
  ...['\uDE00', '\n', '(?<\\u{61}>', '(?<\u{1D49C}>', '99999999999'],
]

/** A text of tokens that decide whether it is a pattern of either dialect. */
export function randomSyntaxCase(random: Random): PatternCase {
  const source = random.list(10, () => random.pick(SYNTAX_TOKENS)).join('')
  return { source, flags: random.oneIn(2) ? 'u' : '', texts: [] }
}
