/**
 * A section with an address of its own. The address is its id as well, so that a browser goes there by itself and the
 * history, new tabs and copied links work as everywhere.
 */
import { hrefTo } from '../../places.ts'
import { h, type Child } from '../../kit/dom.ts'

export interface SectionOptions {
  readonly segments: readonly string[]
  readonly title: Child
  /** For the link beside the title. */
  readonly name: string
  readonly level?: 'h2' | 'h3'
  readonly kind?: string
}

export function docsSection(
  { segments, title, name, level = 'h2', kind }: SectionOptions,
  ...children: readonly Child[]
): HTMLElement {
  const id = sectionId(segments)
  const anchor = h('a', { class: 'anchor', href: hrefTo(segments), 'aria-label': `Link to ${name}` }, '#')
  return h(
    'section',
    { id, class: kind, 'aria-labelledby': `${id}-title` },
    h('div', { class: 'section-title' }, h(level, { id: `${id}-title`, tabindex: '-1' }, title), anchor),
    children,
  )
}

export function sectionId(segments: readonly string[]): string {
  return `/${segments.join('/')}`
}
