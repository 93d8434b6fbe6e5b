/** Whether everything that is pressed with a finger is high enough to be hit: 44 CSS pixels (WCAG 2.2, 2.5.5). */
import type { Page } from './page.ts'

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
