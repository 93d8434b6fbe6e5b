/**
 * Contrast as it is rendered: text (WCAG 2.2, 1.4.3) and what shows where a field is (1.4.11).
 *
 * Every text that is seen counts, placeholders and values of fields too; what is disabled does not. Of fields, one of
 * border, ring or fill has to stand out from what is around them; boxes to tick that the browser draws do.
 */
import type { Page } from './page.ts'
import { withColors } from './rendered-colors.ts'

/** A line for each text and field whose contrast is too low now. */
export function contrastFindings(page: Page): Promise<readonly string[]> {
  return withColors(page, (tools) => {
    const { colorOf, colorsIn, lowest, hex, isShown, describe, settle } = tools
    const TEXT_MIN = 4.5
    const LARGE_TEXT_MIN = 3
    const FIELD_MIN = 3
    settle()
    const found = new Set<string>()

    const isExempt = (element: Element): boolean =>
      element.closest(':disabled, [aria-disabled="true"], [inert]') !== null ||
      [...(element.closest('label')?.querySelectorAll(':disabled') ?? [])].length > 0
    /** Texts for screen readers alone are clipped to nothing by one of their ancestors. */
    const isClipped = (element: Element): boolean => {
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const { overflow, clipPath } = getComputedStyle(at)
        const { width, height } = at.getBoundingClientRect()
        if (clipPath === 'inset(50%)' || (overflow !== 'visible' && (width <= 1 || height <= 1))) return true
      }
      return false
    }
    const check = (what: string, element: Element, style: CSSStyleDeclaration): void => {
      const size = Number.parseFloat(style.fontSize)
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
      const wanted = isLarge ? LARGE_TEXT_MIN : TEXT_MIN
      const color = element instanceof SVGElement ? style.fill : style.color
      const { front, back, ratio } = lowest(element, colorOf(color))
      if (ratio >= wanted) return
      const colors = `${hex(front)} on ${hex(back)}`
      found.add(`contrast ${ratio.toFixed(2)}, wanted ${wanted}: ${what} of ${describe(element)}, ${colors}`)
    }

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const checked = new Set<Element>()
    while (walker.nextNode() !== null) {
      const element = walker.currentNode.parentElement
      if (element === null || checked.has(element) || walker.currentNode.textContent?.trim() === '') continue
      checked.add(element)
      if (/^(?:script|style|noscript|option|title|desc)$/.test(element.localName)) continue
      if (isShown(element) && !isExempt(element) && !isClipped(element))
        check('text', element, getComputedStyle(element))
    }
    for (const element of document.body.querySelectorAll('*')) {
      for (const pseudo of ['::before', '::after'] as const) {
        const style = getComputedStyle(element, pseudo)
        if (!/^"(?!\s*")/.test(style.content) || style.display === 'none') continue
        if (isShown(element) && !isExempt(element) && !isClipped(element)) check(`text ${pseudo}`, element, style)
      }
    }

    const fields = 'input:not([type="hidden"], [type="range"], [type="color"]), textarea, select, [role="textbox"]'
    for (const field of document.body.querySelectorAll(fields)) {
      if (!isShown(field) || isExempt(field) || isClipped(field)) continue
      const style = getComputedStyle(field)
      const { type, value, placeholder = '' } = field as HTMLInputElement
      const around = field.parentElement ?? document.body
      const isTicked = type === 'checkbox' || type === 'radio'
      if (isTicked && style.appearance === 'auto') continue
      if (!isTicked && value !== '') check('value', field, style)
      if (value === '' && placeholder !== '') check('placeholder', field, getComputedStyle(field, '::placeholder'))
      // A frame may be drawn by the box around a field that has nothing of its own.
      const frames: readonly [Element, Element][] = [
        [field, around],
        [around, around.parentElement ?? document.body],
      ]
      const marks = frames.flatMap(([box, outside]) => {
        const { boxShadow, ...borders } = frameOf(box)
        const colors = [...borders.colors, ...colorsIn(boxShadow)]
        const fill = lowest(box, [0, 0, 0, 0]).back
        return [...colors, fill].map((color) => lowest(outside, color))
      })
      const best = marks.reduce((one, other) => (other.ratio > one.ratio ? other : one))
      if (best.ratio < FIELD_MIN)
        found.add(
          `contrast ${best.ratio.toFixed(2)}, wanted ${FIELD_MIN}: frame of ${describe(field)}, ` +
            `${hex(best.front)} on ${hex(best.back)}`,
        )
    }
    return [...found]

    function frameOf(box: Element): { boxShadow: string; colors: ReturnType<typeof colorOf>[] } {
      const style = getComputedStyle(box)
      const sides = (['Top', 'Right', 'Bottom', 'Left'] as const).filter(
        (side) => style[`border${side}Style`] !== 'none' && Number.parseFloat(style[`border${side}Width`]) > 0,
      )
      const colors = sides.map((side) => colorOf(style[`border${side}Color`]))
      return { boxShadow: style.boxShadow, colors }
    }
  })
}
