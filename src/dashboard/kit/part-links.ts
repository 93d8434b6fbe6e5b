/**
 * A row of links of which one is chosen. Where there is no room for all of them, it scrolls: the chosen one comes into sight, and
 * its ends show on which side there are more.
 */
import { h, type Child } from './dom.ts'

export function partLinks(label: string, ...items: readonly Child[]) {
  /** Whether the reader has scrolled to other links, which stay in sight then. */
  let isHeld = false
  const hold = (): void => void (isHeld = true)
  const list = h('ul', { on: { scroll: mark, pointerdown: hold, wheel: hold } }, items)
  // Fingers and keys scroll by themselves; this is for a mouse.
  const more = (side: -1 | 1): HTMLElement => h('span', { class: 'more', 'aria-hidden': 'true', on: { click: () => move(side) } }, '›')
  const element = h('div', { class: 'part-links', role: 'navigation', 'aria-label': label }, more(-1), list, more(1))
  const sizes = new ResizeObserver(() => {
    center()
    mark()
  })
  for (const one of [list, ...list.children]) sizes.observe(one)

  function mark(): void {
    const { scrollLeft, scrollWidth, clientWidth } = list
    // From right to left, it is negative.
    const before = Math.abs(scrollLeft)
    element.classList.toggle('more-before', before > 1)
    element.classList.toggle('more-after', before + clientWidth < scrollWidth - 1)
  }

  function center(): void {
    const chosen = list.querySelector('[aria-current]')
    if (chosen !== null && !isHeld) list.scrollBy({ left: middle(chosen) - middle(list) })
  }

  function move(side: -1 | 1): void {
    hold()
    const isTurned = getComputedStyle(list).direction === 'rtl'
    list.scrollBy({ left: (isTurned ? -side : side) * list.clientWidth * 0.7 })
  }

  return {
    element,
    /** Brings the chosen link into sight. */
    show(): void {
      isHeld = false
      center()
    },
  }
}

function middle(element: Element): number {
  const { left, width } = element.getBoundingClientRect()
  return left + width / 2
}
