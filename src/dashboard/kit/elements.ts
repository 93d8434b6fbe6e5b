/** Elements that many screens make. */
import { h, type Attributes, type Child } from './dom.ts'

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

/** A box of its own, with its heading. */
export function card(heading: HTMLElement, ...children: readonly Child[]): HTMLElement {
  return h('section', { class: 'card' }, heading, children)
}
