/**
 * Building the page: elements from calls, text always as text.
 *
 * There is no way from here to markup: children become text nodes or are nodes already, and a URL that could run
 * code (`javascript:`, `data:`) is left out of its attribute.
 */

export type Child = Node | string | number | false | null | undefined | readonly Child[]

type Listeners = { readonly [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void }

/** Attributes by their names; true is an empty one, false and nothing leave it out. `on` has the listeners. */
export type Attributes = { readonly on?: Listeners } & {
  readonly [name: string]: string | number | boolean | null | undefined | Listeners
}

/** Makes an element. `value`, `checked` and `indeterminate` are set as properties, which is what a reader sees. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  append(element, children)
  setAttributes(element, attributes)
  return element
}

/** A button that runs something. One that sends a form is made by h(). */
export function button(content: Child, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h('button', { type: 'button', ...attributes, on: { click } }, content)
}

const SVG = 'http://www.w3.org/2000/svg'

/** The same for a part of a drawing. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag)
  append(element, children)
  setAttributes(element, attributes)
  return element
}

/** Puts children in the place of all that an element has. */
export function fill<E extends Element>(element: E, ...children: readonly Child[]): E {
  element.replaceChildren()
  append(element, children)
  return element
}

const PROPERTIES = new Set(['value', 'checked', 'indeterminate'])
const URL_ATTRIBUTES = new Set(['href', 'src', 'action', 'formaction', 'xlink:href'])
const SAFE_SCHEMES = new Set(['http:', 'https:', 'mailto:', 'blob:'])

export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value as Listeners)) {
        element.addEventListener(event, listener as EventListener)
      }
    } else if (PROPERTIES.has(name)) {
      if (value !== undefined && value !== null) Object.assign(element, { [name]: value })
    } else if (value === undefined || value === null || value === false) {
      element.removeAttribute(name)
    } else if (!URL_ATTRIBUTES.has(name) || isSafeUrl(String(value))) {
      element.setAttribute(name, value === true ? '' : String(value))
    }
  }
}

/** Whether following a URL can do no more than open a page; `base` is what a relative one belongs to. */
export function isSafeUrl(text: string, base = document.baseURI): boolean {
  const url = URL.parse(text, base)
  return url !== null && SAFE_SCHEMES.has(url.protocol)
}

/** The URL where it is one of the web, whole and with a scheme; a stored text may be anything. */
export function webUrl(text: string): string | undefined {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined
}

function append(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    if (Array.isArray(child)) append(parent, child as readonly Child[])
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)))
  }
}
