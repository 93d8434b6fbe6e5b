/**
 * A walk through a page with the Tab key alone, from its beginning until the focus comes round: every control that can
 * be used is reached, nothing holds the focus, and wherever it is shows (WCAG 2.1.1, 2.1.2, 2.4.7).
 *
 * What shows is seen as the focus arrives, against what the same element looked like without it: an outline, or a ring,
 * border, fill or underline that changed, of the element, of the elements right around it or beside it.
 */
import type { Page } from './page.ts'

const TABS_AT_ONCE = 20

/** Kept in the page from one step to the next. */
interface Walk {
  /** What had the focus, in order, and whether it could be seen. */
  readonly stops: { readonly element: Element; readonly fault: string | undefined }[]
  readonly wanted: readonly Element[]
  describe(element: Element): string
  end(): void
}

declare global {
  var focusWalk: Walk | undefined
}

/** Walks through the page, or through its open modal dialog. `stopsMax` ends a walk through a long list early. */
export async function focusFindings(page: Page, { stopsMax = 400 } = {}): Promise<readonly string[]> {
  const wanted = await page.evaluate(begin)
  let [stops, before, isRound] = [0, -1, false]
  // Once it stands still or comes round, there is nothing new to see.
  while (stops > before && !isRound && stops < stopsMax) {
    before = stops
    await page.press(...Array.from({ length: TABS_AT_ONCE }, () => 'Tab'))
    ;[stops, isRound] = await page.evaluate(progress)
  }
  return page.evaluate(finish, wanted > stopsMax)
}

/** Runs in the page: puts the focus before its beginning and watches it from there. Gives how many stops are wanted. */
function begin(): number {
  globalThis.focusWalk?.end()
  const describe = (element: Element): string => {
    const words = (element.getAttribute('aria-label') ?? element.textContent).replace(/\s+/g, ' ').trim()
    return `<${element.localName}${element.id === '' ? '' : `#${element.id}`}> "${words.slice(0, 40)}"`
  }
  const modal = document.querySelector<HTMLElement>('dialog:modal')
  const focusable = 'a[href], button, input, select, textarea, summary, [tabindex]'
  const controls = [...(modal ?? document.body).querySelectorAll<HTMLElement>(focusable)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0)
    .filter((element) => !element.matches(':disabled') && !element.closest('[inert]'))
  /** Of radio buttons of one name, the chosen one is reached, or any where none is. */
  const isPassedOver = (element: HTMLElement): boolean => {
    if (!(element instanceof HTMLInputElement) || element.type !== 'radio' || element.checked) return false
    const group = controls.filter((one) => one instanceof HTMLInputElement && one.name === element.name)
    return group.some((one) => (one as HTMLInputElement).checked) || group[0] !== element
  }
  const lookOf = (element: Element): string => {
    const style = getComputedStyle(element)
    const outline = style.outlineStyle === 'none' ? '' : `${style.outlineWidth} ${style.outlineColor}`
    return [outline, style.boxShadow, style.borderColor, style.backgroundColor, style.textDecorationLine].join()
  }
  const aroundOf = (element: Element): Element[] =>
    [element, element.nextElementSibling, element.parentElement, element.parentElement?.parentElement].filter(
      (one) => one instanceof Element,
    )
  const isShown = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  }
  /** Brings transitions, and animations that end, to their end, so that styles are what they will be: a dialog opens by one. */
  const settle = (): void => {
    for (const animation of document.getAnimations()) if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish()
  }

  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  settle()
  const looks = new Map(controls.flatMap(aroundOf).map((element) => [element, lookOf(element)]))
  const stops: Walk['stops'] = []
  const onFocus = ({ target }: FocusEvent): void => {
    // An element that is redrawn and keeps the focus is no second stop. Counted as one, it would end the walk too early.
    if (!(target instanceof Element) || stops.at(-1)?.element === target) return
    // Styles are computed first, which begins transitions, and then these are brought to their end.
    lookOf(target)
    settle()
    // A list that was read again meanwhile has other rows: how they look without the focus is not known.
    const isMarked = !looks.has(target) || aroundOf(target).some((element) => lookOf(element) !== looks.get(element))
    const isSeen = isMarked && aroundOf(target).some(isShown)
    stops.push({ element: target, fault: isSeen ? undefined : `the focus on ${describe(target)} cannot be seen` })
  }
  // Where the focus was last is where Tab goes on from, also when nothing has it any more.
  const start = modal ?? document.body
  const given = start.getAttribute('tabindex')
  start.setAttribute('tabindex', '-1')
  start.focus({ preventScroll: true })
  if (given === null) start.removeAttribute('tabindex')
  else start.setAttribute('tabindex', given)

  document.addEventListener('focusin', onFocus, true)
  const end = (): void => document.removeEventListener('focusin', onFocus, true)
  const wanted = controls.filter((element) => !isPassedOver(element))
  globalThis.focusWalk = { stops, wanted, describe, end }
  return wanted.length
}

/** Runs in the page: how many stops there were, and whether one came twice. */
function progress(): [stops: number, isRound: boolean] {
  const elements = globalThis.focusWalk?.stops.map(({ element }) => element) ?? []
  return [elements.length, new Set(elements).size < elements.length]
}

/** Runs in the page: ends the walk and says what came of it. */
function finish(isCutShort: boolean): string[] {
  const walk = globalThis.focusWalk
  if (walk === undefined) return ['the page was reloaded by the Tab key']
  walk.end()
  globalThis.focusWalk = undefined
  const { stops, wanted, describe } = walk
  const elements = stops.map(({ element }) => element)
  const faults = new Set(stops.flatMap(({ fault }) => fault ?? []))
  const missed = isCutShort ? [] : wanted.filter((element) => element.isConnected && !elements.includes(element))
  return [...faults, ...missed.map((element) => `Tab never reaches ${describe(element)}`)]
}
