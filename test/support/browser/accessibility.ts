/**
 * Whether everybody can use a page as it stands, measured in the browser and said in lines that name the element:
 * names, roles and structure, and a walk through it with the Tab key.
 *
 *   await expectAccessible(page)
 *   await expectAccessible(page, { keyboard: false, allow: [/#watermark/] })
 *
 * A page is checked in its present state: open the menu or the dialog first, and check again. The walk leaves the focus
 * where it ends.
 */
import { focusFindings } from './focus-walk.ts'
import { structureFindings } from './names-and-structure.ts'
import type { Page } from './page.ts'

export interface AccessibilityOptions {
  /** Whether to walk through the page with Tab; true unless told otherwise. */
  readonly keyboard?: boolean
  /** Ends the walk through a long page after so many stops, without asking what it has not reached. */
  readonly stopsMax?: number
  /** Findings that are no faults. */
  readonly allow?: readonly RegExp[]
}

/** A line for each fault; none means that none was found. */
export async function accessibilityFindings(page: Page, options: AccessibilityOptions = {}): Promise<readonly string[]> {
  const { keyboard = true, allow = [], ...walk } = options
  const findings = [...(await structureFindings(page)), ...(keyboard ? await focusFindings(page, walk) : [])]
  return findings.filter((line) => !allow.some((pattern) => pattern.test(line)))
}

/** Fails with all that is found. */
export async function expectAccessible(page: Page, options?: AccessibilityOptions): Promise<void> {
  const findings = await accessibilityFindings(page, options)
  if (findings.length > 0)
    throw new Error(`The page has ${findings.length} faults of accessibility:\n  ${findings.join('\n  ')}`)
}
