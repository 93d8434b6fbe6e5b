/**
 * Whether a page has room: nothing is lost or has to be scrolled to sideways (WCAG 1.4.4, 1.4.10), and what has the focus
 * is not wholly below something that stays in its place (2.4.11).
 */
import type { Page } from './page.ts'

/**
 * A line for each part that stands beside the page, beside its main part, or beside the button whose label it is, once all
 * transitions have ended. What scrolls by itself, such as code, may be wider.
 */
export function sidewaysFindings(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth
    for (const animation of document.getAnimations()) if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish()
    const isHeld = (element: Element): boolean => {
      for (let one = element.parentElement; one !== null && one !== document.body; one = one.parentElement)
        if (getComputedStyle(one).overflowX !== 'visible') return true
      return false
    }
    const outside = [...document.body.querySelectorAll<HTMLElement>('*')].filter((element) => {
      if (!element.checkVisibility({ visibilityProperty: true })) return false
      const { left, right, width: own } = element.getBoundingClientRect()
      return own > 1 && (left < -1 || right > width + 1) && !isHeld(element)
    })
    const nameOf = (element: HTMLElement): string => `<${element.localName} class="${element.className}"> "${element.textContent.trim().slice(0, 30)}"`
    const narrow = [...document.querySelectorAll<HTMLElement>('button, .button')].filter((button) => button.scrollWidth > button.clientWidth + 1)
    const found = [
      ...outside.slice(0, 5).map((element) => {
        const { left, right } = element.getBoundingClientRect()
        return `${nameOf(element)} is at ${Math.round(left)}..${Math.round(right)} of ${width}`
      }),
      ...narrow.map((button) => `${nameOf(button)} has a label of ${button.scrollWidth} in ${button.clientWidth}`),
    ]
    const { scrollWidth } = document.documentElement
    if (scrollWidth > width + 1) return [`the page is ${scrollWidth} wide in ${width}`, ...found]
    const main = document.querySelector('main')
    const isBeside = main !== null && main.scrollWidth > main.clientWidth + 1
    return isBeside ? [`what the page is about is ${main.scrollWidth} wide in ${main.clientWidth}`, ...found] : found
  })
}

/** Gives the focus to everything from the last to the first, which is the way that ends below a bar at the top. */
export function coveredFocusFindings(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
    const inside = document.querySelector('dialog:modal') ?? document.body
    const all = [...inside.querySelectorAll<HTMLElement>(controls)].filter(
      (element) => element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true }),
    )
    const isSeen = (element: HTMLElement): boolean => {
      const { left, top, width, height } = element.getBoundingClientRect()
      return [0.1, 0.5, 0.9].some((x) =>
        [0.1, 0.5, 0.9].some((y) => {
          const front = document.elementFromPoint(left + width * x, top + height * y)
          return front !== null && (element.contains(front) || front.contains(element))
        }),
      )
    }
    return all.toReversed().flatMap((element) => {
      element.focus()
      if (document.activeElement !== element || isSeen(element)) return []
      return [`the focus on <${element.localName}> "${element.textContent.trim().slice(0, 40)}" is covered`]
    })
  })
}
