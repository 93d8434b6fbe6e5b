/**
 * What a page looks like at a point, worked out inside the page from computed styles: the colours that are seen after
 * all that is translucent has been blended, and the contrast between them (WCAG 2.2, relative luminance and contrast
 * ratio).
 *
 * The background of an element is what its ancestors paint. Where a gradient lies behind, each of its colours counts;
 * pictures are not looked into. What is laid over something other than its ancestors, as a dialog is, has to have a
 * background of its own to be checked.
 */
import { valueOf } from './page-input.ts'
import type { Page } from './page.ts'

/** Red, green and blue from 0 to 255, and alpha from 0 to 1. */
type Color = readonly [red: number, green: number, blue: number, alpha: number]

export interface Painted {
  readonly front: Color
  readonly back: Color
}

/** Runs a function in the page with the tools below first. It sees nothing but them and its arguments. */
export async function withColors<Values extends readonly unknown[], Result>(
  page: Page,
  work: (tools: ReturnType<typeof colorTools>, ...values: Values) => Result | Promise<Result>,
  ...values: Values
): Promise<Result> {
  const expression = `(${String(work)})((${String(colorTools)})(), ...${JSON.stringify(values)})`
  return valueOf(
    await page.devTools('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true }),
  ) as never
}

/** Runs in the page, so it holds all it needs. */
function colorTools() {
  const GRADIENT_COLORS_MAX = 6
  const CLEAR: Color = [0, 0, 0, 0]
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const known = new Map<string, Color>()

  /** Any colour of CSS, in whatever space it was written: a canvas converts it. */
  const colorOf = (css: string): Color => {
    const found = known.get(css)
    if (found !== undefined || context === null) return found ?? CLEAR
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = '#0000'
    context.fillStyle = css
    context.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data
    const color: Color = [red, green, blue, alpha / 255]
    known.set(css, color)
    return color
  }
  const mix = (from: Color, to: Color, share: number): Color => {
    const channel = (i: 0 | 1 | 2): number => from[i] + (to[i] - from[i]) * share
    return [channel(0), channel(1), channel(2), 1]
  }
  /** The colour that is seen where one lies over an opaque other. */
  const over = (top: Color, bottom: Color): Color => mix(bottom, top, top[3])

  const luminance = (color: Color): number => {
    const linear = (i: 0 | 1 | 2): number => {
      const part = color[i] / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    }
    return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2)
  }
  const ratio = (one: Color, other: Color): number => {
    const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (light + 0.05) / (dark + 0.05)
  }
  const hex = (color: Color): string =>
    `#${color
      .slice(0, 3)
      .map((part) => Math.round(part).toString(16).padStart(2, '0'))
      .join('')}`

  /** What the browser paints behind everything. */
  const canvas = (): Color => {
    const { colorScheme } = getComputedStyle(document.documentElement)
    const meta = document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]')?.content ?? ''
    const scheme = colorScheme === 'normal' ? meta : colorScheme
    const isDark = /dark/.test(scheme) && (!/light/.test(scheme) || matchMedia('(prefers-color-scheme: dark)').matches)
    return isDark ? [18, 18, 18, 1] : [255, 255, 255, 1]
  }
  const colorsIn = (css: string): Color[] =>
    [...css.matchAll(/#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|lab|lch|oklab|oklch|color)\([^()]*\)/gi)].map(([text]) =>
      colorOf(text),
    )
  /** The colours that an element may paint, each alone. */
  const fillsOf = (element: Element): Color[] => {
    const { backgroundColor, backgroundImage } = getComputedStyle(element)
    const fill = colorOf(backgroundColor)
    if (!backgroundImage.includes('gradient(')) return [fill]
    return colorsIn(backgroundImage)
      .slice(0, GRADIENT_COLORS_MAX)
      .map((stop) => (fill[3] === 0 ? stop : over(stop, fill)))
  }

  /**
   * What is seen where an element draws in a colour on its background: one pair for each background it may have. An
   * element that is translucent as a whole lets both through to what is behind it.
   */
  const painted = (element: Element, front: Color): Painted[] => {
    const chain: Element[] = []
    for (let at: Element | null = element; at !== null; at = at.parentElement) chain.unshift(at)
    const paint = (depth: number, behind: Color): Painted[] => {
      const one = chain[depth]
      if (one === undefined) return [{ front: over(front, behind), back: behind }]
      const opacity = Number(getComputedStyle(one).opacity)
      return fillsOf(one).flatMap((fill) =>
        paint(depth + 1, over(fill, behind)).map((inner) => ({
          front: mix(behind, inner.front, opacity),
          back: mix(behind, inner.back, opacity),
        })),
      )
    }
    return paint(0, canvas())
  }
  /** The lowest contrast of a colour on an element's background. */
  const lowest = (element: Element, front: Color): Painted & { readonly ratio: number } =>
    painted(element, front)
      .map((pair) => ({ ...pair, ratio: ratio(pair.front, pair.back) }))
      .reduce((worst, pair) => (pair.ratio < worst.ratio ? pair : worst))

  const isShown = (element: Element): boolean => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1
  }
  /** `<button#save.primary> "Save"` */
  const describe = (element: Element): string => {
    const id = element.id === '' ? '' : `#${element.id}`
    const classes = [...element.classList].map((name) => `.${name}`).join('')
    const words = (element.getAttribute('aria-label') ?? element.textContent).replace(/\s+/g, ' ').trim()
    return `<${element.localName}${id}${classes}>${words === '' ? '' : ` "${words.slice(0, 40)}"`}`
  }
  /** Brings transitions to their end, so that styles are what they will be. */
  const settle = (): void => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish()
  }
  return { colorOf, colorsIn, painted, lowest, ratio, hex, isShown, describe, settle }
}
