/**
 * Comma-separated values as RFC 4180 writes them, and with the separators of spreadsheets in countries that write a decimal
 * comma. The RFC does not define a missing value: here a cell tells whether it
 * is quoted, which distinguishes an empty text (`""`) from no value (nothing between two commas).
 */

export interface Cell {
  readonly text: string
  readonly isQuoted: boolean
}

/** A row with malformed quotes, whose end is unknown. The message is a clause. */
export class CsvError extends Error {
  override readonly name = 'CsvError'
}

/** A clause about a row for hasBareReturn(). */
export const BARE_RETURN = 'its lines end with a carriage return alone: expected line feeds, or both: save the file with the line ends of Unix or Windows'

/** Whether a row, given without its line end, has a carriage return outside quotes: to a program that ends lines so, it is several. */
export function hasBareReturn(row: Uint8Array): boolean {
  let isInside = false
  for (let at = 0; at < row.length; at++) {
    if (row[at] === QUOTE) isInside = !isInside
    else if (row[at] === 0x0d && !isInside) return true
  }
  return false
}

const QUOTE = 0x22
const NAMES: Readonly<Record<Separator, string>> = { ',': 'a comma', ';': 'a semicolon', '\t': 'a tab' }
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/

/** One row with its line end. Undefined is no value; an empty text gets quotes. */
export function writeCsvRow(cells: readonly (string | undefined)[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`
}

function writeCell(text: string | undefined): string {
  if (text === undefined) return ''
  return text === '' || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** What stands between two cells. */
export const SEPARATORS = [',', ';', '\t'] as const
export type Separator = (typeof SEPARATORS)[number]

/** The separator of a file by its first row: the one that is there most often outside quotes, a comma where none is. */
export function separatorOf(firstRow: string): Separator {
  const counts = new Map<string, number>()
  let isInside = false
  for (const sign of firstRow) {
    if (sign === '"') isInside = !isInside
    else if (!isInside) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  }
  const countOf = (separator: Separator): number => counts.get(separator) ?? 0
  return SEPARATORS.reduce((best, one) => (countOf(one) > countOf(best) ? one : best))
}

/** Reads one row, given without its line end. Stops after one cell more than `cellsMax`. Throws CsvError. */
export function readCsvRow(text: string, cellsMax: number, separator: Separator = ','): readonly Cell[] {
  const cells: Cell[] = []
  let at = 0
  while (cells.length <= cellsMax) {
    const end = text.startsWith('"', at) ? closingQuote(text, at) + 1 : endOfBare(text, at, separator)
    const isQuoted = text.startsWith('"', at)
    cells.push({ text: isQuoted ? text.slice(at + 1, end - 1).split('""').join('"') : text.slice(at, end), isQuoted })
    if (end === text.length) return cells
    if (text[end] === '\r') throw new CsvError(BARE_RETURN)
    if (text[end] !== separator) throw new CsvError(`expected ${NAMES[separator]} or the end of the row behind a closing quote`)
    at = end + 1
  }
  return cells
}

/** Looks at each character: to search for each of a million quotes takes half a second. */
function closingQuote(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at++) {
    if (text.charCodeAt(at) !== QUOTE) continue
    if (text.charCodeAt(at + 1) !== QUOTE) return at
    at++
  }
  throw new CsvError('a quote is opened and never closed')
}

function endOfBare(text: string, start: number, separator: Separator): number {
  const next = text.indexOf(separator, start)
  const end = next === -1 ? text.length : next
  if (text.slice(start, end).includes('"')) {
    throw new CsvError('a cell with a quote in it must stand in quotes, with that quote doubled')
  }
  return end
}
