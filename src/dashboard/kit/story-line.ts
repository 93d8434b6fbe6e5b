/** A story as readers get it: its picture, its title, what it says, and a line with what is known of it. */
import { shownPicture } from '../pictures.ts'
import { h, webUrl, type Child } from './dom.ts'
import { outsideLink } from './elements.ts'
import { letteredPicture } from './lettered-picture.ts'

export interface Story {
  readonly title: string
  readonly url: string
  readonly excerpt: string | null
  readonly imageUrl: string | null
  /** Whether a letter stands in the place of a picture that is missing. */
  readonly isLettered: boolean
  readonly foot: Child
}

export function storyLine({ title, url, excerpt, imageUrl, isLettered, foot }: Story): HTMLElement {
  const href = webUrl(url)
  return h(
    'li',
    {},
    (isLettered || imageUrl !== null) && letteredPicture({ kind: 'story-picture', name: title, url: shownPicture({ imageUrl }, 'imageUrl') }),
    h(
      'div',
      {},
      h('p', { class: 'preview-title', dir: 'auto' }, href === undefined ? title : outsideLink(href, title)),
      excerpt !== null && excerpt !== '' && h('p', { class: 'soft preview-excerpt', dir: 'auto' }, excerpt),
      h('p', { class: 'flow preview-foot' }, foot),
    ),
  )
}
