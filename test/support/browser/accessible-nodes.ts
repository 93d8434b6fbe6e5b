/**
 * The page as assistive technology sees it: the browser's accessibility tree, over the DevTools protocol.
 *
 * Roles are Chromium's, which are ARIA's in lower case but for a few: an `img` is an `image` there, text is
 * `StaticText`, the page `RootWebArea`. Names are computed by the browser from labels, texts and `aria-` attributes.
 */
import type { Session } from './web-driver.ts'

/** Which elements are meant. A text is the whole name, white space apart; a pattern may match a part of it. */
export interface Query {
  readonly role: string
  readonly name?: string | RegExp
  /** Looks only inside this element. */
  readonly within?: PageElement
}

/** An element at the moment it was found; the page may have changed since. */
export interface PageElement {
  readonly role: string
  readonly name: string
  readonly description: string
  /** Of a text box, a slider. */
  readonly value: string | undefined
  /** `focusable`, `focused`, `disabled`, `expanded`, `checked`, `selected`, `pressed`, `invalid`, `level`, `modal`, … */
  readonly states: Readonly<Record<string, unknown>>
  /** The node of the document. */
  readonly node: number
}

export interface AccessibleNode extends PageElement {
  readonly depth: number
}

interface Value {
  readonly value?: unknown
}

interface WireNode {
  readonly nodeId: string
  readonly parentId?: string
  readonly ignored: boolean
  readonly role?: Value
  readonly name?: Value
  readonly description?: Value
  readonly value?: Value
  readonly properties?: readonly { readonly name: string; readonly value: Value }[]
  readonly backendDOMNodeId?: number
}

const TOLD_STATES = ['focused', 'disabled', 'expanded', 'checked', 'selected', 'pressed', 'invalid', 'busy']
const CHROMIUM_ROLES: Readonly<Record<string, string>> = { img: 'image' }

/** The elements that match now, in the order of the document. */
export async function elementsMatching(session: Session, { role, name, within }: Query): Promise<PageElement[]> {
  const backendNodeId = within?.node ?? (await documentNode(session))
  const wanted = CHROMIUM_ROLES[role] ?? role
  const { nodes } = await session.devTools('Accessibility.queryAXTree', { backendNodeId, role: wanted })
  return (nodes as WireNode[])
    .filter(({ ignored }) => !ignored)
    .map(elementOf)
    .filter((element) => element.node !== within?.node)
    .filter((element) => name === undefined || isNamed(element.name, name))
}

/** The whole tree in the order of the document, without what is of no interest to anybody. */
export async function accessibleTree({ devTools }: Session): Promise<AccessibleNode[]> {
  const { nodes } = (await devTools('Accessibility.getFullAXTree')) as { readonly nodes?: unknown }
  const all = nodes as readonly WireNode[]
  const children = Map.groupBy(all, ({ parentId }) => parentId)
  const walk = (node: WireNode, depth: number): AccessibleNode[] => {
    const isShown = !node.ignored && node.role?.value !== 'InlineTextBox'
    const below = (children.get(node.nodeId) ?? []).flatMap((child) => walk(child, isShown ? depth + 1 : depth))
    return isShown ? [{ ...elementOf(node), depth }, ...below] : below
  }
  return (children.get(undefined) ?? []).flatMap((root) => walk(root, 0))
}

/** A line for each node, indented, for people: without boxes that mean nothing and text that is its parent's name. */
export function outlineOf(tree: readonly AccessibleNode[]): string {
  const isSaid = ({ role, name }: AccessibleNode, i: number): boolean =>
    role !== 'generic' && (role !== 'StaticText' || (name !== '' && name !== tree[i - 1]?.name))
  return tree
    .filter(isSaid)
    .map(({ depth, role, name, value, states }) => {
      const told = TOLD_STATES.filter((state) => states[state] === true || states[state] === 'true')
      const content = value === undefined || value === '' ? '' : ` = ${JSON.stringify(value)}`
      const named = name === '' ? '' : ` ${JSON.stringify(name)}`
      return `${'  '.repeat(depth)}${role}${named}${content}${told.map((one) => ` [${one}]`).join('')}`
    })
    .join('\n')
}

/** `button "Save"`, for messages. */
export function describeQuery({ role, name, within }: Query): string {
  const inside = within === undefined ? '' : ` in ${within.role} "${within.name}"`
  return `${role}${name === undefined ? '' : ` ${name instanceof RegExp ? String(name) : `"${name}"`}`}${inside}`
}

async function documentNode({ devTools }: Session): Promise<number> {
  const { root } = await devTools('DOM.getDocument', { depth: 0 })
  return (root as { readonly backendNodeId: number }).backendNodeId
}

function elementOf({ role, name, description, value, properties = [], backendDOMNodeId }: WireNode): PageElement {
  return {
    role: textOf(role),
    name: textOf(name),
    description: textOf(description),
    value: value === undefined ? undefined : textOf(value),
    states: Object.fromEntries(properties.map((property) => [property.name, property.value.value])),
    node: backendDOMNodeId ?? 0,
  }
}

function textOf(value: Value | undefined): string {
  const text = value?.value
  return typeof text === 'string' || typeof text === 'number' ? String(text).replace(/\s+/g, ' ').trim() : ''
}

function isNamed(name: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? name === wanted : wanted.test(name)
}
