/**
 * Ignoring case: simple case folding (Unicode, CaseFolding.txt, statuses C and S), one code point to one.
 *
 * A search text is compared without RegExp, and still has to agree with a RegExp of the flags `iu`, because both serve
 * the same operator. The folding is derived from the upper- and lower-case mappings the runtime has: the lower case of
 * the upper case names a class of letters, but for the few listed below. A test compares the classes with RegExp over
 * all code points.
 *
 * Folding keeps the length in UTF-16 units, so a folded text can be searched unit by unit.
 */

/** The text with every code point folded; two texts are equal ignoring case when their folded forms are equal. */
export function fold(text: string): string {
  let folded = ''
  for (let i = 0; i < text.length; i++) folded += String.fromCharCode(foldedUnitAt(text, i))
  return folded
}

/** The UTF-16 unit at `i` of the folded text. */
export function foldedUnitAt(text: string, i: number): number {
  const unit = text.charCodeAt(i)
  if (unit < 0xd800 || unit > 0xdfff) return basicFolds[unit] || rememberBasic(unit)
  const pairStart = unit < 0xdc00 ? i : i - 1
  const point = text.codePointAt(pairStart) ?? 0
  if (point <= 0xffff) return unit
  const folded = foldPoint(point)
  return unit < 0xdc00 ? 0xd7c0 + (folded >> 10) : 0xdc00 + (folded & 0x3ff)
}

/** The folded form of one code point. */
export function foldPoint(point: number): number {
  const exception = EXCEPTIONS.get(point)
  if (exception !== undefined) return exception
  return lowerCase(upperCase(point))
}

/** The upper case of a code point; the point itself where that is no single one. */
export function upperCase(point: number): number {
  return onePoint(String.fromCodePoint(point).toUpperCase()) ?? point
}

/** The same for the lower case. */
export function lowerCase(point: number): number {
  return onePoint(String.fromCodePoint(point).toLowerCase()) ?? point
}

/** What the case mappings do not say: dotless i stays apart, and three pairs have no single upper case to meet in. */
const EXCEPTIONS: ReadonlyMap<number, number> = new Map([
  [0x0131, 0x0131],
  [0x1fd3, 0x0390],
  [0x1fe3, 0x03b0],
  [0xfb05, 0xfb06],
])

/** Folds of the basic plane as they are asked for; 0 is "not asked yet", and U+0000 is asked each time. */
const basicFolds = new Uint16Array(0x10000)

function rememberBasic(unit: number): number {
  const folded = foldPoint(unit)
  basicFolds[unit] = folded
  return folded
}

/** The code point of a text that consists of exactly one. */
function onePoint(text: string): number | undefined {
  const point = text.codePointAt(0)
  return point !== undefined && text.length === (point > 0xffff ? 2 : 1) ? point : undefined
}
