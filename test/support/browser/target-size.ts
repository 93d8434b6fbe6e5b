/**
 * Whether everything that is pressed is large enough, or has enough room around it, to be hit (WCAG 2.2, 2.5.8): 24 CSS
 * pixels each way, with its label; or a circle of that size around its centre that meets nothing else. With a finger, buttons,
 * fields and links of their own are 44 pixels high (2.5.5).
 */
import type { Page } from './page.ts'

/** A line for each target that is too small. Links in the midst of a text are as high as its lines and are let pass. */
export function targetSizeFindings(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const SIZE_MIN = 24
    const controls = 'a[href], button, input, select, textarea, summary, [role="option"], [role="tab"]'
    const modal = document.querySelector('dialog:modal') ?? document.body
    const isInText = (element: Element): boolean =>
      getComputedStyle(element).display === 'inline' &&
      [...(element.parentElement?.childNodes ?? [])].some(
        (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
      )
    const targets = [...modal.querySelectorAll<HTMLElement>(controls)]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .map((element) => ({ element, box: (element.closest('label') ?? element).getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1)
    const isSmall = (box: DOMRect): boolean => box.width < SIZE_MIN - 0.5 || box.height < SIZE_MIN - 0.5
    const centre = (box: DOMRect): [number, number] => [box.x + box.width / 2, box.y + box.height / 2]
    const isNear = (one: DOMRect, other: DOMRect): boolean => {
      const [x, y] = centre(one)
      const [dx, dy] = [Math.max(other.left - x, x - other.right, 0), Math.max(other.top - y, y - other.bottom, 0)]
      const [ox, oy] = centre(other)
      const isMet = Math.hypot(dx, dy) < SIZE_MIN / 2
      return isMet || (isSmall(other) && Math.hypot(ox - x, oy - y) < SIZE_MIN)
    }
    return targets
      .filter(({ element, box }) => isSmall(box) && !isInText(element))
      .filter(({ element, box }) => targets.some((other) => other.element !== element && isNear(box, other.box)))
      .map(({ element, box }) => {
        const size = `${Math.round(box.width)} × ${Math.round(box.height)}`
        const name = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40)
        return `<${element.localName}> "${name}" is ${size} pixels with another within 12 of its centre: wanted ${SIZE_MIN}`
      })
  })
}

/**
 * A line for each button, field or link of its own that is lower than a finger wants. Boxes of rows are let pass, as their cell
 * takes the finger, and so are links in a sentence or a cell.
 */
export function fingerFindings(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const HEIGHT_MIN = 44
    const modal = document.querySelector('dialog:modal') ?? document.body
    const controls = `button, .button, select, summary, nav a, .part-links a, .parts a, .latest a, .attention a, .icon-link,
      input:not([type="checkbox"], [type="radio"])`
    return [...modal.querySelectorAll<HTMLElement>(controls)]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height < HEIGHT_MIN - 0.5)
      .map(({ element, box }) => {
        const name = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40)
        return `<${element.localName}> "${name}" is ${Math.round(box.height)} pixels high: wanted ${HEIGHT_MIN}`
      })
  })
}
