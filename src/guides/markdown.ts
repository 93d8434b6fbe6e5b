/**
 * The subset of Markdown that the guides are written in: headings, paragraphs, flat lists, tables, fenced code, inline
 * code, links and emphasis. An ordered list begins with the number of its first item, so that one can go on behind
 * code. Comments (`<!-- … -->`) on a line of their own are left out.
 */

export type Span =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly spans: Spans }
  | { readonly kind: 'link'; readonly target: string; readonly spans: Spans }

export type Spans = readonly Span[]

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly spans: Spans }
  | { readonly kind: 'paragraph'; readonly spans: Spans }
  | { readonly kind: 'list'; readonly firstNumber: number | undefined; readonly items: readonly Spans[] }
  | { readonly kind: 'table'; readonly header: readonly Spans[]; readonly rows: readonly (readonly Spans[])[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }

const FENCE = /^```(\S*)$/
const HEADING = /^(#{1,4}) (.+)$/
const ITEM = /^(?:-|(\d+)\.) (.+)$/
/** A paragraph may go on with a number at the beginning of a line: only 1 begins a list there (CommonMark 0.31, 5.3). */
const FIRST_ITEM = /^(?:-|1\.) .+$/
const ROW = /^\|(.*)\|$/
const COMMENT = /^<!--.*-->$/
const SPAN = /`([^`]+)`|\*\*(.+?)\*\*|\*([^*\s](?:[^*]*[^*\s])?)\*|\[([^\]]+)\]\(([^)\s]+)\)/

export function parseMarkdown(markdown: string): readonly Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  let at = 0
  /** Takes lines while they match. */
  const takeWhile = (matches: (line: string) => boolean): readonly string[] => {
    const start = at
    while (at < lines.length && matches(lines[at] ?? '')) at++
    return lines.slice(start, at)
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const [, language] = FENCE.exec(line) ?? []
    const [, marks = '', title] = HEADING.exec(line) ?? []
    if (line.trim() === '' || COMMENT.test(line)) at++
    else if (language !== undefined) {
      at++
      const text = takeWhile((one) => one !== '```').join('\n')
      at++
      blocks.push({ kind: 'code', language, text })
    } else if (title !== undefined) {
      at++
      blocks.push({ kind: 'heading', level: marks.length, spans: parseSpans(title) })
    } else if (ROW.test(line)) blocks.push(tableOf(takeWhile((one) => ROW.test(one))))
    else if (ITEM.test(line)) blocks.push(listOf(takeWhile((one) => ITEM.test(one) || /^ +\S/.test(one))))
    else blocks.push({ kind: 'paragraph', spans: parseSpans(takeWhile(isParagraph).join(' ')) })
  }
  return blocks
}

function isParagraph(line: string): boolean {
  return line.trim() !== '' && ![FENCE, HEADING, FIRST_ITEM, ROW, COMMENT].some((pattern) => pattern.test(line))
}

function listOf(lines: readonly string[]): Block {
  const items: string[] = []
  for (const line of lines) {
    const [, , text] = ITEM.exec(line) ?? []
    if (text === undefined) items.push(`${items.pop() ?? ''} ${line.trim()}`)
    else items.push(text)
  }
  const [, number] = ITEM.exec(lines[0] ?? '') ?? []
  return { kind: 'list', firstNumber: number === undefined ? undefined : Number(number), items: items.map(parseSpans) }
}

/** The second line of a table separates its header, and is left out. */
function tableOf([header = '', , ...rows]: readonly string[]): Block {
  return { kind: 'table', header: cellsOf(header), rows: rows.map(cellsOf) }
}

/** A `|` inside a cell is written `\|`, also in code. */
function cellsOf(row: string): readonly Spans[] {
  const [, inner = ''] = ROW.exec(row) ?? []
  return inner.split(/(?<!\\)\|/).map((cell) => parseSpans(cell.trim().replaceAll('\\|', '|')))
}

function parseSpans(text: string): Spans {
  const found = SPAN.exec(text)
  if (found === null) return text === '' ? [] : [{ kind: 'text', text }]
  const [whole, code, strong, emphasis, label, target] = found
  const before: Spans = found.index === 0 ? [] : [{ kind: 'text', text: text.slice(0, found.index) }]
  return [...before, spanOf({ code, strong, emphasis, label, target }), ...parseSpans(text.slice(found.index + whole.length))]
}

interface Marked {
  readonly code: string | undefined
  readonly strong: string | undefined
  readonly emphasis: string | undefined
  readonly label: string | undefined
  readonly target: string | undefined
}

function spanOf({ code, strong, emphasis, label = '', target = '' }: Marked): Span {
  if (code !== undefined) return { kind: 'code', text: code }
  if (strong !== undefined) return { kind: 'strong', spans: parseSpans(strong) }
  if (emphasis !== undefined) return { kind: 'emphasis', spans: parseSpans(emphasis) }
  return { kind: 'link', target, spans: parseSpans(label) }
}
