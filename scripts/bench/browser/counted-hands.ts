/**
 * The hands of an editor on a page, which count what they do: clicks, keys, and characters that are typed.
 *
 * A chord such as Ctrl+S is one key, and so is Shift that is held during a click. Text comes into a field at once, as from an
 * editor who types without a pause, so that the time of a task is that of the page and the service.
 */
import type { Page } from '../../../test/support/browser/browser.ts'
import type { Key } from '../../../test/support/browser/key-strokes.ts'
import type { Target } from '../../../test/support/browser/page.ts'

/** As the DevTools protocol counts modifiers. */
const SHIFT = 8

interface Place {
  readonly x: number
  readonly y: number
}

export interface HandsUsed {
  clicks: number
  keys: number
  characters: number
}

export type CountedHands = ReturnType<typeof countedHands>

export function countedHands(page: Page) {
  const used: HandsUsed = { clicks: 0, keys: 0, characters: 0 }

  async function press(...chords: readonly Key[]): Promise<void> {
    await page.press(...chords)
    used.keys += chords.length
  }

  async function clickAt({ x, y }: Place, modifiers = 0): Promise<void> {
    for (const type of ['mousePressed', 'mouseReleased'])
      await page.devTools('Input.dispatchMouseEvent', { type, x, y, modifiers, button: 'left', clickCount: 1 })
    used.clicks++
  }

  /** The middle of the first element of a selector that has this text, or any text. */
  const placeOn = (selector: string, text: string | undefined): Promise<Place> =>
    page.waitFor(() => page.evaluate(middleOf, selector, text ?? null), `${selector} "${text ?? ''}"`)

  return {
    page,
    used: (): Readonly<HandsUsed> => ({ ...used }),
    press,
    async click(target: Target): Promise<void> {
      await clickAt(await page.waitFor(() => page.inspect(target, middleOf, null), 'the place of a click'))
    },
    async clickOn(selector: string, text?: string): Promise<void> {
      await clickAt(await placeOn(selector, text))
    },
    async shiftClickOn(selector: string, text?: string): Promise<void> {
      await clickAt(await placeOn(selector, text), SHIFT)
      used.keys++
    },
    /** Into what has the focus. */
    async type(text: string): Promise<void> {
      await page.devTools('Input.insertText', { text })
      used.characters += text.length
    },
    /** Into parts of a date, which take keys alone. */
    async typeDate(text: string): Promise<void> {
      await page.press(...text)
      used.characters += text.length
    },
    /** The text was copied elsewhere before. */
    async paste(text: string): Promise<void> {
      await page.evaluate((value) => navigator.clipboard.writeText(value), text)
      await press('Ctrl+V')
    },
  }
}

/** Runs in the page. What moves, or is covered, has no middle yet. */
async function middleOf(at: string | HTMLElement, text: string | null): Promise<Place | undefined> {
  const all = typeof at === 'string' ? [...document.querySelectorAll<HTMLElement>(at)] : [at]
  const found = all.find((one) => text === null || one.textContent.trim() === text)
  if (found === undefined) return undefined
  // Not to the edge, which a bar may cover.
  found.scrollIntoView({ block: 'center', inline: 'nearest' })
  const place = (): Place => {
    const { left, top, width, height } = found.getBoundingClientRect()
    return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) }
  }
  const before = place()
  await new Promise((resolve) => requestAnimationFrame(resolve))
  const { x, y } = place()
  const front = document.elementFromPoint(x, y)
  const isInFront = front !== null && (found.contains(front) || front.contains(found))
  return isInFront && x === before.x && y === before.y ? { x, y } : undefined
}
