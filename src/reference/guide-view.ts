/** A guide of the manual as a section of the page, with one below it for each heading of the second level. */
import { parseMarkdown, type Block, type Span, type Spans } from '../guides/markdown.ts'
import { html, type Html, type Part } from '../base/html.ts'
import { codeBlock, hrefTo, section } from './section.ts'

export interface GuideText {
  readonly topic: string
  readonly markdown: string
}

export function guideView({ topic, markdown }: GuideText): Html {
  const chapters = chaptersOf(parseMarkdown(markdown))
  return html`${chapters.map(({ title, blocks }, index) => {
    const name = plainText(title)
    const path = index === 0 ? `guides/${topic}` : `guides/${topic}/${slugOf(name)}`
    const content = blocks.map((block) => blockView(block, topic))
    return section({ path, title: spansView(title, topic), name, kind: 'Guide', level: index === 0 ? 2 : 3 }, content)
  })}`
}

/** The title of a guide: its first heading. */
export function guideTitle({ topic, markdown }: GuideText): string {
  return plainText(chaptersOf(parseMarkdown(markdown))[0]?.title ?? []) || topic
}

interface Chapter {
  readonly title: Spans
  readonly blocks: Block[]
}

function chaptersOf(blocks: readonly Block[]): readonly Chapter[] {
  const chapters: Chapter[] = []
  for (const block of blocks) {
    if (block.kind === 'heading' && block.level <= 2) chapters.push({ title: block.spans, blocks: [] })
    else chapters.at(-1)?.blocks.push(block)
  }
  return chapters
}

function blockView(block: Block, topic: string): Part {
  const view = (spans: Spans): Part => spansView(spans, topic)
  switch (block.kind) {
    case 'heading':
      return html`<h4 id="/guides/${topic}/${slugOf(plainText(block.spans))}">${view(block.spans)}</h4>`
    case 'paragraph':
      return html`<p>${view(block.spans)}</p>`
    case 'list': {
      const items = block.items.map((item) => html`<li>${view(item)}</li>`)
      if (block.firstNumber === undefined) return html`<ul>${items}</ul>`
      return block.firstNumber === 1 ? html`<ol>${items}</ol>` : html`<ol start="${block.firstNumber}">${items}</ol>`
    }
    case 'table':
      return html`<table>
        <thead><tr>${block.header.map((cell) => html`<th scope="col">${view(cell)}</th>`)}</tr></thead>
        <tbody>${block.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${view(cell)}</td>`)}</tr>`)}</tbody>
      </table>`
    case 'code':
      return codeBlock(block.text, 'Example')
  }
}

function spansView(spans: Spans, topic: string): Part {
  return spans.map((span) => spanView(span, topic))
}

function spanView(span: Span, topic: string): Part {
  switch (span.kind) {
    case 'text':
      return span.text
    case 'code':
      return html`<code>${span.text}</code>`
    case 'strong':
      return html`<strong>${spansView(span.spans, topic)}</strong>`
    case 'emphasis':
      return html`<em>${spansView(span.spans, topic)}</em>`
    case 'link': {
      const href = hrefOf(span.target, topic)
      const label = spansView(span.spans, topic)
      return href === undefined ? label : html`<a href="${href}">${label}</a>`
    }
  }
}

/** Undefined where the target is neither a guide nor a web page, such as a file of the repository. */
function hrefOf(target: string, topic: string): string | undefined {
  if (/^https?:\/\//.test(target)) return target
  const [, other, slug] = /^(?:([a-z-]+)\.md)?(?:#([\w-]+))?$/.exec(target) ?? []
  if (other === undefined && slug === undefined) return undefined
  return hrefTo(`guides/${other ?? topic}${slug === undefined ? '' : `/${slug}`}`)
}

/** As GitHub names the anchor of a heading. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

function plainText(spans: Spans): string {
  return spans.map((span) => ('text' in span ? span.text : plainText(span.spans))).join('')
}
