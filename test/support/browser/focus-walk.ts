/**
 * A walk through a page with the Tab key alone, from its beginning until the focus comes round: every control that can
 * be used is reached, nothing holds the focus, and wherever it is can be seen (WCAG 2.1.1, 2.1.2, 2.4.7, 1.4.11).
 *
 * Where it can be seen is checked as the focus arrives, against what the same element looked like without it: an outline,
 * or a ring, border, fill or underline that changed, of the element, of the elements right around it or beside it.
 */
import type { Page } from './page.ts'
import { withColors } from './rendered-colors.ts'

const TABS_AT_ONCE = 20

type Tools = Parameters<Parameters<typeof withColors<[], unknown>>[1]>[0]

/** Kept in the page from one step to the next. */
interface Walk {
  /** What had the focus, in order, and whether it could be seen. */
  readonly stops: { readonly element: Element; readonly fault: string | undefined }[]
  readonly wanted: readonly Element[]
  readonly findings: string[]
  end(): void
}

declare global {
  var focusWalk: Walk | undefined
}

export interface FocusWalk {
  /** What had the focus, one after the other. */
  readonly stops: readonly string[]
  readonly findings: readonly string[]
}

/** Walks through the page, or through its open modal dialog. `stopsMax` ends a walk through a long list early. */
export async function walkByKeyboard(page: Page, { stopsMax = 400 } = {}): Promise<FocusWalk> {
  const wanted = await withColors(page, begin)
  let [stops, before, isRound] = [0, -1, false]
  // Once it stands still or comes round, there is nothing new to see.
  while (stops > before && !isRound && stops < stopsMax) {
    before = stops
    await page.press(...Array.from({ length: TABS_AT_ONCE }, () => 'Tab'))
    ;[stops, isRound] = await page.evaluate(progress)
  }
  return withColors(page, finish, wanted > stopsMax)
}

/** Runs in the page: puts the focus before its beginning and watches it from there. Gives how many stops are wanted. */
function begin(tools: Tools): number {
  const { colorOf, colorsIn, lowest, ratio, isShown, describe, settle } = tools
  const INDICATOR_MIN = 3
  globalThis.focusWalk?.end()

  const modal = document.querySelector('dialog:modal') ?? document.querySelector('[aria-modal="true"]')
  const inside = modal ?? document.body
  const focusable = 'a[href], area[href], button, input, select, textarea, summary, [contenteditable], [tabindex]'
  const controls = [...inside.querySelectorAll<HTMLElement>(focusable)].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.matches(':disabled') &&
      !element.closest('[inert]'),
  )
  /** Of radio buttons of one name, the chosen one is reached, or any where none is. */
  const isPassedOver = (element: HTMLElement): boolean => {
    if (!(element instanceof HTMLInputElement) || element.type !== 'radio' || element.checked) return false
    const group = controls.filter((one) => one instanceof HTMLInputElement && one.name === element.name)
    return group.some((one) => (one as HTMLInputElement).checked) || group[0] !== element
  }
  const wanted = controls.filter((element) => element.tabIndex >= 0 && !isPassedOver(element))
  const findings: string[] = []
  const native = 'a[href], button, input, select, textarea, summary'
  // Arrow keys move inside of these.
  const composite = '[role="tablist"], [role="menu"], [role="menubar"], [role="listbox"], [role="grid"], [role="tree"]'
  for (const element of controls)
    if (
      element.tabIndex < 0 &&
      element.matches(native) &&
      !element.closest(`${composite}, [role="toolbar"], [aria-hidden="true"]`)
    )
      findings.push(`Tab passes over ${describe(element)}, which has a tabindex below 0`)

  const lookOf = (element: Element) => {
    const style = getComputedStyle(element)
    const sides = ['Top', 'Right', 'Bottom', 'Left'] as const
    return {
      outline: `${style.outlineStyle} ${style.outlineWidth} ${style.outlineColor}`,
      shadow: style.boxShadow,
      border: sides.map((side) => style[`border${side}Width`] + style[`border${side}Color`]).join(' '),
      borderColors: sides.map((side) => style[`border${side}Color`]),
      fill: style.backgroundColor,
      underline: style.textDecorationLine,
    }
  }
  const aroundOf = (element: Element): Element[] =>
    [element, element.nextElementSibling, element.parentElement, element.parentElement?.parentElement].filter(
      (one) => one instanceof Element,
    )
  /** How much the best sign of focus of an element stands out; 21 where there is no telling but it is there. */
  const standsOut = (element: Element, before: ReturnType<typeof lookOf>): number => {
    const now = lookOf(element)
    const style = getComputedStyle(element)
    const outside = element.parentElement ?? element
    const against = (color: ReturnType<typeof colorOf>): number =>
      Math.max(lowest(outside, color).ratio, lowest(element, color).ratio)
    const signs: number[] = []
    if (now.outline !== before.outline && Number.parseFloat(style.outlineWidth) >= 1) {
      // The browser's own ring is of two colours.
      if (style.outlineStyle === 'auto') signs.push(21)
      else if (style.outlineStyle !== 'none') signs.push(against(colorOf(style.outlineColor)))
    }
    if (now.shadow !== before.shadow) signs.push(...colorsIn(now.shadow).map(against))
    if (now.border !== before.border) signs.push(...now.borderColors.map((color) => against(colorOf(color))))
    if (now.fill !== before.fill)
      signs.push(ratio(lowest(outside, colorOf(now.fill)).front, lowest(outside, colorOf(before.fill)).front))
    if (now.underline !== before.underline) signs.push(21)
    return Math.max(0, ...signs)
  }

  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  settle()
  const looks = new Map<Element, ReturnType<typeof lookOf>>()
  for (const element of controls.flatMap(aroundOf)) looks.set(element, lookOf(element))

  const stops: Walk['stops'] = []
  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof Element)) return
    // A list that was read again meanwhile has other rows: how they look without the focus is not known.
    if (!looks.has(target)) return void stops.push({ element: target, fault: undefined })
    // Styles are computed first, which begins transitions, and then these are brought to their end.
    getComputedStyle(target).outlineColor
    settle()
    const best = Math.max(
      ...aroundOf(target).map((element) => standsOut(element, looks.get(element) ?? lookOf(element))),
    )
    const sight = best === 0 ? 'cannot be seen' : `has the contrast ${best.toFixed(2)}, wanted ${INDICATOR_MIN}`
    const isHidden = !isShown(target) && !aroundOf(target).some(isShown)
    const fault = isHidden
      ? `the focus is on ${describe(target)}, which cannot be seen`
      : best >= INDICATOR_MIN
        ? undefined
        : `the focus on ${describe(target)} ${sight}`
    stops.push({ element: target, fault })
  }
  // Where the focus was last is where Tab goes on from, also when nothing has it any more.
  const start = modal instanceof HTMLElement ? modal : document.body
  const given = start.getAttribute('tabindex')
  start.setAttribute('tabindex', '-1')
  start.focus({ preventScroll: true })
  if (given === null) start.removeAttribute('tabindex')
  else start.setAttribute('tabindex', given)

  document.addEventListener('focusin', onFocus, true)
  const end = (): void => document.removeEventListener('focusin', onFocus, true)
  globalThis.focusWalk = { stops, wanted, findings, end }
  return wanted.length
}

/** Runs in the page: how many stops there were, and whether one came twice. */
function progress(): [stops: number, isRound: boolean] {
  const elements = globalThis.focusWalk?.stops.map(({ element }) => element) ?? []
  return [elements.length, new Set(elements).size < elements.length]
}

/** Runs in the page: ends the walk and says what came of it. */
function finish({ describe }: Tools, isCutShort: boolean): FocusWalk {
  const walk = globalThis.focusWalk
  if (walk === undefined) return { stops: [], findings: ['the page was reloaded by the Tab key'] }
  walk.end()
  globalThis.focusWalk = undefined
  const { wanted, findings } = walk
  const elements = walk.stops.map(({ element }) => element)
  const again = elements.findIndex((element, i) => elements.indexOf(element) < i)
  const way = again === -1 ? walk.stops : walk.stops.slice(0, again)
  findings.push(...new Set(way.flatMap(({ fault }) => (fault === undefined ? [] : [fault]))))

  const missed = wanted.filter((element) => element.isConnected && !elements.includes(element))
  const [first, back, last] = [elements[0], elements[again], elements[again - 1] ?? elements.at(-1)]
  if (!isCutShort && missed.length > 0) {
    if (last === undefined) findings.push('Tab moves the focus nowhere')
    else if (back !== undefined && back !== first)
      findings.push(`the focus is caught: from ${describe(last)} Tab goes back to ${describe(back)}`)
    else if (back === undefined && document.activeElement === last)
      findings.push(`the focus is caught: Tab does not leave ${describe(last)}`)
    findings.push(...missed.map((element) => `Tab never reaches ${describe(element)}`))
  }
  return { stops: way.map(({ element }) => describe(element)), findings }
}
