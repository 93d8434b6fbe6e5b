/** A small picture that stands for something, and the first letter of its name until it is there, or where there is none. */
import { h } from './dom.ts'
import { picture } from './picture.ts'

export interface LetteredPictureOptions {
  /** Of the size that the styles say, whatever comes of the picture. */
  readonly kind: string
  readonly name: string
  /** Undefined for the letter alone. */
  readonly url: string | undefined
  readonly isLazy?: boolean
}

export function letteredPicture({ kind, name, url, isLazy = true }: LetteredPictureOptions): HTMLElement {
  const [letter = ''] = name.trim()
  const element = h('span', { class: `lettered ${kind}`, 'aria-hidden': 'true' }, letter.toUpperCase())
  if (url !== undefined) {
    const shown = picture({ url, isLazy, onProblem: () => shown.remove() })
    element.append(shown)
  }
  return element
}
