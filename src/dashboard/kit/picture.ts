/**
 * A picture of another host: fetched without a referrer, and shown once it is whole and not too large to be drawn.
 *
 * What it is shown in has its size from the styles, so that nothing moves when it arrives. The headers of the page keep cookies
 * and passwords out of the request (Cross-Origin-Embedder-Policy).
 */
import { h } from './dom.ts'

/** A browser takes four bytes of memory for each; a photograph for print has 50 million. */
const PIXELS_MAX = 60_000_000

export type PictureProblem = 'broken' | 'large'

export interface PictureOptions {
  /** One with https. */
  readonly url: string
  /** Only fetched when it comes near the part of the page that is seen. */
  readonly isLazy: boolean
  readonly onShown?: () => void
  readonly onProblem: (problem: PictureProblem) => void
}

/** What it shows has to be said beside it. */
export function picture({ url, isLazy, onShown, onProblem }: PictureOptions): HTMLImageElement {
  const element = h('img', {
    class: 'picture',
    alt: '',
    draggable: 'false',
    decoding: 'async',
    fetchpriority: 'low',
    loading: isLazy ? 'lazy' : 'eager',
    referrerpolicy: 'no-referrer',
    on: {
      load() {
        // Nothing is decoded before it is drawn.
        const isLarge = element.naturalWidth * element.naturalHeight > PIXELS_MAX
        if (isLarge) return fail('large')
        element.classList.add('whole')
        onShown?.()
      },
      error: () => fail('broken'),
    },
    // The last: with it the request begins, as the attributes before it say.
    src: url,
  })

  function fail(problem: PictureProblem): void {
    if (!element.hasAttribute('src')) return
    element.removeAttribute('src')
    onProblem(problem)
  }

  return element
}
