/** Tables on a terminal: columns as wide as their widest cell, without control characters. */

const CELL_CHARS_MAX = 200

/** Rows under their titles. Cells may hold anything; see singleLine. */
export function printTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows.map((row) => row.map((cell) => singleLine(cell)))]
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) => `${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd() + '\n')
    .join('')
}

/** Text from elsewhere without control characters, which could move the cursor or rename the window, and cut. */
export function singleLine(text: string, charsMax: number = CELL_CHARS_MAX): string {
  const clean = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
  return clean.length > charsMax ? `${clean.slice(0, charsMax)}…` : clean
}
