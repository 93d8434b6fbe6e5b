/** Elements that many screens make. */
import { h, type Attributes, type Child } from './dom.ts'
import { icon } from './icons.ts'

/** A form that the page itself sends. */
export function submitForm(attributes: Attributes, send: () => void, ...children: readonly Child[]): HTMLFormElement {
  const submit = (event: Event): void => {
    event.preventDefault()
    send()
  }
  return h('form', { ...attributes, on: { submit } }, children)
}

/** An input with its name above it. */
export function labelled(name: string, input: HTMLElement): HTMLElement {
  return h('label', { class: 'field' }, h('span', {}, name), input)
}

/** A problem at an input, or with a form: read out as soon as something stands there. */
export function problemLine(id?: string): HTMLElement {
  return h('p', { id, class: 'field-problem', role: 'alert' })
}

/** Characters of a search: the service takes no more. */
const SEARCH_CHARS_MAX = 200

/** An input to search by words or ids, which no browser completes or corrects. */
export function searchInput(attributes: Attributes): HTMLInputElement {
  return h('input', { type: 'search', maxlength: SEARCH_CHARS_MAX, autocomplete: 'off', spellcheck: 'false', ...attributes })
}

/** A name, path or value as programs write it, from the left in every language. */
export function code(text: string): HTMLElement {
  return h('code', { dir: 'ltr' }, text)
}

/** A status, role or outcome in a word; the tone is `good`, `warn`, `bad`, `plan` or none. */
export function tag(tone: string | undefined, ...words: readonly Child[]): HTMLElement {
  return h('span', { class: tone === undefined || tone === '' ? 'tag' : `tag ${tone}` }, words)
}

/** A link to another site, which opens beside the page and learns nothing of it. */
export function outsideLink(href: string, content: Child, attributes: Attributes = {}): HTMLElement {
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer', ...attributes }, content)
}

/** The way back to the list that something is from. */
export function crumb(href: string, list: string): HTMLElement {
  return h('a', { class: 'crumb', href }, icon('back'), h('span', {}, list))
}

/** The title of a screen, and what can be done with all of it. */
export function screenHead(title: Child, ...more: readonly Child[]): HTMLElement {
  return h('div', { class: 'screen-head' }, title instanceof Node ? title : h('h1', {}, title), more)
}

/** A choice among values, each by its title; `value` among the attributes is chosen at first. */
export function choiceAmong<V extends string | number>(values: readonly V[], titleOf: (value: V) => string, attributes: Attributes = {}): HTMLSelectElement {
  return h('select', attributes, values.map((value) => h('option', { value }, titleOf(value))))
}

/** Names and their values, each pair a line. */
export function facts(...rows: readonly (readonly [name: string, value: Child] | false)[]): HTMLElement {
  return h('dl', { class: 'given' }, rows.map((row) => row !== false && [h('dt', {}, row[0]), h('dd', {}, row[1])]))
}

/** A box of its own, with its heading. */
export function card(heading: HTMLElement, ...children: readonly Child[]): HTMLElement {
  return h('section', { class: 'card' }, heading, children)
}
