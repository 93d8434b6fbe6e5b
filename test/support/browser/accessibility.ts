/**
 * Whether everybody can use a page as it stands, measured in the browser and said in lines that name the element:
 * names, roles and structure; contrast in both themes; and a walk through it with the Tab key.
 *
 *   await expectAccessible(page)
 *   await expectAccessible(page, { themes: ['dark'], keyboard: false, allow: [/^contrast .*#watermark/] })
 *
 * A page is checked in its present state: open the menu or the dialog first, and check again. The themes are those of
 * the system (`prefers-color-scheme`); the page is left in the last of them, in which the walk takes place. The walk
 * leaves the focus where it ends.
 */
import { contrastFindings } from './contrast.ts'
import { walkByKeyboard } from './focus-walk.ts'
import { structureFindings } from './names-and-structure.ts'
import type { Page } from './page.ts'

export interface AccessibilityOptions {
  /** Both, light last, unless told otherwise. */
  readonly themes?: readonly ('light' | 'dark')[]
  /** Whether to walk through the page with Tab; true unless told otherwise. */
  readonly keyboard?: boolean
  /** Ends the walk through a long page after so many stops, without asking what it has not reached. */
  readonly stopsMax?: number
  /** Findings that are no faults. */
  readonly allow?: readonly RegExp[]
}

/** A line for each fault; none means that none was found. */
export async function accessibilityFindings(
  page: Page,
  options: AccessibilityOptions = {},
): Promise<readonly string[]> {
  const { themes = ['dark', 'light'], keyboard = true, stopsMax, allow = [] } = options
  const findings = [...(await structureFindings(page))]
  for (const [i, colorScheme] of themes.entries()) {
    await page.emulate({ colorScheme })
    // What the page itself does about it has been done a frame later.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    findings.push(...(await contrastFindings(page)).map((line) => `${colorScheme}: ${line}`))
    if (!keyboard || i < themes.length - 1) continue
    const walk = await walkByKeyboard(page, stopsMax === undefined ? {} : { stopsMax })
    findings.push(...walk.findings.map((line) => `${colorScheme}: ${line}`))
  }
  return findings.filter((line) => !allow.some((pattern) => pattern.test(line)))
}

/** Fails with all that is found. */
export async function expectAccessible(page: Page, options?: AccessibilityOptions): Promise<void> {
  const findings = await accessibilityFindings(page, options)
  if (findings.length > 0)
    throw new Error(`The page has ${findings.length} faults of accessibility:\n  ${findings.join('\n  ')}`)
}
