/** A guide as plain text for a terminal: wrapped to its width, without escape codes. */
import type { Block, Span, Spans } from './markdown.ts'

/** Between two columns of a table. */
const GAP = 2
const UNDERLINES = ['=', '-']

export function plainText(blocks: readonly Block[], width: number): string {
  return `${blocks.map((block) => linesOf(block, width).join('\n')).join('\n\n')}\n`
}

function linesOf(block: Block, width: number): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return headingLines(textOf(block.spans), block.level, width)
    case 'paragraph':
      return wrapped(textOf(block.spans), width)
    case 'list':
      return block.items.flatMap((item, i) => hanging(markOf(block.firstNumber, i), textOf(item), width))
    case 'table':
      return tableLines([block.header, ...block.rows].map((row) => row.map(cellText)), width)
    case 'code':
      // Never wrapped: it is to be copied.
      return block.text.split('\n').map((line) => (line === '' ? '' : `    ${line}`))
  }
}

function markOf(firstNumber: number | undefined, i: number): string {
  return firstNumber === undefined ? '- ' : `${firstNumber + i}. `
}

function headingLines(title: string, level: number, width: number): readonly string[] {
  const underline = UNDERLINES[level - 1]
  return underline === undefined ? [title] : [title, underline.repeat(Math.min(title.length, width))]
}

function textOf(spans: Spans): string {
  return spans.map(spanText).join('')
}

/** Backticks stay: without them, a word such as `id` would be taken for prose. */
function spanText(span: Span): string {
  switch (span.kind) {
    case 'text':
      return span.text
    case 'code':
      return `\`${span.text}\``
    case 'strong':
    case 'emphasis':
      return textOf(span.spans)
    case 'link':
      return linkText(textOf(span.spans), span.target)
  }
}

/** A link to another guide names the command that prints it. A file of the project has its path as its label. */
function linkText(label: string, target: string): string {
  const [, topic] = /^([a-z-]+)\.md(?:#.*)?$/.exec(target) ?? []
  if (topic !== undefined) return `${label} (dateline help ${topic})`
  return /^https?:/.test(target) && label !== target ? `${label} (${target})` : label
}

/** A cell that is code altogether needs no backticks to be seen as such. */
function cellText(spans: Spans): string {
  const [only, ...rest] = spans
  return only?.kind === 'code' && rest.length === 0 ? only.text : textOf(spans)
}

/** Columns side by side where there is room; else one row below the other, with its first cell as the title. */
function tableLines(table: readonly (readonly string[])[], width: number): readonly string[] {
  const [header = [], ...rows] = table
  const widths = columnWidths(table, width)
  if (widths === undefined) return rows.flatMap((row, i) => [...(i === 0 ? [] : ['']), ...rowAsList(header, row, width)])
  const ruler = widths.map((column) => '-'.repeat(column))
  return [...rowLines(header, widths), ...rowLines(ruler, widths), ...rows.flatMap((row) => rowLines(row, widths))]
}

function rowAsList(header: readonly string[], [title = '', ...cells]: readonly string[], width: number): readonly string[] {
  const named = cells.map((cell, i) => (header[i + 1] === '' ? cell : `${header[i + 1] ?? ''}: ${cell}`))
  return [
    ...wrapped(title === '' ? '-' : title, width),
    ...named.flatMap((cell, i) => (cells[i] === '' ? [] : wrapped(cell, width - 4).map((line) => `    ${line}`))),
  ]
}

function rowLines(cells: readonly string[], widths: readonly number[]): readonly string[] {
  const columns = widths.map((column, i) => wrapped(cells[i] ?? '', column))
  const height = Math.max(...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((column, i) => (columns[i]?.[line] ?? '').padEnd(column + GAP))
      .join('')
      .trimEnd(),
  )
}

/**
 * How many characters each column gets: all that it wants, or its longest word and a share of the rest. Undefined where
 * the longest words do not fit, or where a column that wraps would get less than a quarter of the width.
 */
function columnWidths(table: readonly (readonly string[])[], width: number): readonly number[] | undefined {
  const columns = (table[0] ?? []).map((_, i) => table.map((row) => row[i] ?? ''))
  const wanted = columns.map((cells) => Math.max(...cells.map((cell) => cell.length)))
  const least = columns.map((cells) => Math.max(...cells.flatMap((cell) => cell.split(' ')).map((word) => word.length)))
  const room = width - GAP * (columns.length - 1)
  const spare = room - sum(least)
  const lacking = sum(wanted) - sum(least)
  if (spare < 0) return undefined
  if (spare >= lacking) return wanted
  const given = least.map((column, i) => column + Math.floor((spare * ((wanted[i] ?? 0) - column)) / lacking))
  return given.every((column, i) => column >= Math.min(wanted[i] ?? 0, width / 4)) ? given : undefined
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** The first line begins with the mark, the others below its text. */
function hanging(mark: string, text: string, width: number): readonly string[] {
  return wrapped(text, width - mark.length).map((line, i) => `${i === 0 ? mark : ' '.repeat(mark.length)}${line}`)
}

/** Lines of at most `width` characters; a longer word has a line of its own. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
