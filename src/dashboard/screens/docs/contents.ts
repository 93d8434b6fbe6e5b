/** The list of what is in the reference, with the place where the reader is. */
import { hrefTo } from '../../places.ts'
import { h, type Child } from '../../kit/dom.ts'
import type { ApiDocument } from './api-document.ts'
import { methodTag } from './operation-section.ts'

export function contentsList({ tags, operations, models }: ApiDocument): HTMLElement {
  const link = (segments: readonly string[], ...words: readonly Child[]): HTMLElement =>
    h('li', {}, h('a', { href: hrefTo(segments) }, words))
  return h(
    'nav',
    { class: 'contents', 'aria-label': 'Contents' },
    h(
      'ul',
      {},
      link(['start'], 'Getting started'),
      link(['playground'], 'Filter playground'),
      link(['filters'], 'Filters'),
      link(['errors'], 'Errors'),
      link(['schemas'], 'Schemas'),
    ),
    tags.map(({ name }) => {
      const own = operations.filter(({ tag }) => tag === name)
      if (own.length === 0) return null
      return [
        h('p', { class: 'contents-title' }, name),
        h(
          'ul',
          {},
          own.map(({ id, method, summary }) =>
            link(['operations', id], methodTag(method), h('span', {}, shortened(summary))),
          ),
        ),
      ]
    }),
    models.length === 0
      ? null
      : [
          h('p', { class: 'contents-title' }, 'Models'),
          h(
            'ul',
            {},
            models.map(({ name }) => link(['models', name], name)),
          ),
        ],
  )
}

/** Marks the section that is being read, and keeps its line of the list in sight. */
export function followReading(contents: HTMLElement, sections: readonly Element[]): void {
  const links = new Map([...contents.querySelectorAll('a')].map((one) => [decodeURIComponent(one.hash.slice(1)), one]))
  const inSight = new Set<Element>()
  const mark = (): void => {
    const first = sections.find((section) => inSight.has(section))
    const current = first === undefined ? undefined : links.get(first.id)
    if (current === undefined || current.hasAttribute('aria-current')) return
    for (const one of links.values()) one.removeAttribute('aria-current')
    current.setAttribute('aria-current', 'true')
    const { top, bottom } = current.getBoundingClientRect()
    const frame = contents.getBoundingClientRect()
    if (top < frame.top || bottom > frame.bottom) contents.scrollTop += top - frame.top - frame.height / 3
  }
  const observer = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        if (isIntersecting) inSight.add(target)
        else inSight.delete(target)
      }
      mark()
    },
    // A line below the top of the window is where people read.
    { rootMargin: '-15% 0px -75% 0px' },
  )
  for (const section of sections) if (links.has(section.id)) observer.observe(section)
}

/** The first part of a long summary: `Read numbers; from this machine` is `Read numbers`. */
function shortened(summary: string): string {
  return summary.replace(/[:;].*$/s, '')
}
