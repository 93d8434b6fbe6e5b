/**
 * Whether a page can be made out without seeing it: names and roles in the browser's accessibility tree, and what holds
 * the document together, its language, headings, main part and references between elements.
 */
import type { AccessibleNode } from './accessible-nodes.ts'
import type { Page } from './page.ts'

/** Roles that take what a reader does, by keyboard too. */
const CONTROLS = [
  ...['button', 'link', 'checkbox', 'radio', 'switch', 'textbox', 'searchbox', 'combobox', 'listbox'],
  ...['slider', 'spinbutton', 'ToggleButton', 'PopUpButton', 'DisclosureTriangle'],
]
/** These and what they hold are reached through their container, by arrow keys. */
const PARTS = ['option', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'treeitem', 'radio']
const NAMED = [...CONTROLS, ...PARTS, 'dialog', 'alertdialog', 'image', 'heading', 'meter', 'progressbar']
/** What may get the focus from a script without a name, since its content is what is read then. */
const QUIET = ['RootWebArea', 'main']
const MEANINGLESS = ['', 'generic', 'none', 'Section', 'LayoutTable', 'paragraph', 'LabelText']

/** Parts of a page that a screen reader lists by their names. */
const LANDMARKS = ['banner', 'complementary', 'contentinfo', 'form', 'navigation', 'region', 'search']

/** A line for each fault of the page as it stands. */
export async function structureFindings(page: Page): Promise<readonly string[]> {
  const findings: string[] = []
  const landmarks = new Set<string>()
  for (const node of await page.accessibleTree()) {
    const named = `${node.role} "${node.name.slice(0, 40)}"`
    const fault = faultOf(node)
    if (fault !== undefined) findings.push(`${named} ${fault}`)
    // A form without a name is no landmark (HTML-AAM).
    if (!LANDMARKS.includes(node.role) || (node.role === 'form' && node.name === '')) continue
    const landmark = `${node.role} "${node.name}"`
    if (landmarks.has(landmark)) findings.push(`${named} is a landmark twice: a list of them tells neither apart`)
    landmarks.add(landmark)
  }
  return [...findings, ...(await page.evaluate(documentFaults))]
}

function faultOf({ role, name, states }: AccessibleNode): string | undefined {
  const isFocusable = states['focusable'] === true
  const isDisabled = states['disabled'] === true
  if (isFocusable && MEANINGLESS.includes(role)) return 'can have the focus, and its role says nothing'
  if (name === '' && NAMED.includes(role)) return `is a ${role} without a name`
  if (name === '' && isFocusable && !QUIET.includes(role)) return `can have the focus, and is a ${role} without a name`
  if (CONTROLS.includes(role) && !PARTS.includes(role) && !isFocusable && !isDisabled)
    return `is a ${role} that cannot have the focus`
  return undefined
}

/** Runs in the page. */
function documentFaults(): string[] {
  const describe = (element: Element): string => {
    const tag = `<${element.localName}${[...element.attributes].map(({ name, value }) => ` ${name}="${value}"`).join('')}>`
    const words = element.textContent.replace(/\s+/g, ' ').trim()
    return `${tag.slice(0, 120)}${words === '' ? '' : ` "${words.slice(0, 40)}"`}`
  }
  const isShown = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true })
  const all = (selector: string): Element[] => [...document.querySelectorAll(selector)]
  const found: string[] = []

  const { lang, dir } = document.documentElement
  if (lang === '') found.push('<html> has no lang')
  if (dir !== 'ltr' && dir !== 'rtl') found.push(`<html> has the dir "${dir}": wanted ltr or rtl`)
  if (document.title.trim() === '') found.push('the page has no title')

  const mains = all('main, [role="main"]').filter(isShown)
  if (mains.length !== 1) found.push(`the page has ${mains.length} main parts: wanted one`)

  const headings = all('h1, h2, h3, h4, h5, h6, [role="heading"]').filter(isShown)
  const levelOf = (heading: Element): number =>
    Number(heading.getAttribute('aria-level') ?? /^h(\d)$/.exec(heading.localName)?.[1] ?? 2)
  let above = 0
  for (const heading of headings) {
    const level = levelOf(heading)
    if (level > above + 1) found.push(`${describe(heading)} has the level ${level} after ${above}`)
    above = level
  }

  const ids = all('[id]').map(({ id }) => id)
  for (const id of new Set(ids.filter((one, i) => ids.indexOf(one) !== i))) found.push(`the id "${id}" is given twice`)
  for (const attribute of ['for', 'aria-labelledby', 'aria-describedby', 'aria-activedescendant']) {
    for (const element of all(`[${attribute}]`)) {
      for (const id of (element.getAttribute(attribute) ?? '').split(/\s+/).filter((one) => one !== ''))
        if (document.getElementById(id) === null) found.push(`${describe(element)} names #${id}, which is not there`)
    }
  }

  // A reader who speaks to the page says what can be read (WCAG 2.5.3).
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
  const readable = (element: Element): string => {
    const copy = element.cloneNode(true) as Element
    for (const hidden of copy.querySelectorAll('[aria-hidden="true"], .spoken, svg')) hidden.remove()
    return plain(copy.textContent)
  }
  for (const element of all('a[aria-label], button[aria-label], summary[aria-label]').filter(isShown))
    if (!plain(element.getAttribute('aria-label') ?? '').includes(readable(element))) found.push(`${describe(element)} shows words that its name does not have`)

  for (const element of document.querySelectorAll<HTMLElement>('[aria-hidden="true"] *'))
    if (element.tabIndex >= 0 && isShown(element) && !element.closest('[inert], :disabled'))
      found.push(`${describe(element)} can have the focus, and is hidden from screen readers`)
  return found
}
