/** Search over the whole reference: the text of every part of the page that names itself by `data-kind`. */
import { fill, h } from '../../kit/dom.ts'
import { hasFocus } from '../../kit/focus.ts'
import { textOr } from '../../texts.ts'
import { docsText } from './docs-texts.ts'

const RESULTS_MAX = 30

export interface SearchEntry {
  readonly kind: string
  readonly title: string
  /** A line below the title. */
  readonly about: string
  /** All that it says, in small letters. */
  readonly text: string
  readonly href: string
}

/** `/` goes to the search from anywhere but inputs; arrows and Tab go through the results. */
export function setUpSearch(box: HTMLElement): void {
  const parts = [...document.querySelectorAll<HTMLElement>('main [data-kind]')]
  const [input, panel, list, status] = ['input', '.results', 'ul', '[role="status"]'].map((selector) =>
    box.querySelector<HTMLElement>(selector),
  ) as [HTMLInputElement, HTMLElement, HTMLElement, HTMLElement]
  let entries: readonly SearchEntry[] | undefined

  const show = (): void => {
    entries ??= parts.map(entryOf)
    const found = searchFor(input.value, entries)
    const isEmpty = input.value.trim() === ''
    panel.hidden = isEmpty
    fill(list, found.length === 0 ? h('li', { class: 'soft' }, docsText('docs.nothingFound')) : found.map(resultRow))
    fill(status, isEmpty ? '' : docsText('docs.found', { count: found.length }))
  }
  const move = (step: 1 | -1): void => {
    const stops = [input, ...list.querySelectorAll('a')]
    const next = stops.findIndex(hasFocus) + step
    stops[Math.min(Math.max(next, 0), stops.length - 1)]?.focus()
  }
  input.addEventListener('input', show)
  input.addEventListener('focus', show)
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click()
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event.key === 'ArrowDown' ? 1 : -1)
    else if (event.key === 'Escape' && !panel.hidden) {
      input.focus()
      panel.hidden = true
    } else return
    event.preventDefault()
  })
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (!box.contains(relatedTarget as Node | null)) panel.hidden = true
  })
  list.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('a') !== null) panel.hidden = true
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).closest('input, textarea, select, dialog') !== null
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
    event.preventDefault()
    input.focus()
    input.select()
  })
}

function entryOf(part: HTMLElement): SearchEntry {
  const { kind = '', title = '' } = part.dataset
  const about = part.querySelector('p')?.textContent ?? ''
  const told = part.querySelector('.told') ?? part
  return {
    kind,
    title,
    about: about.replace(/\s+/g, ' ').trim(),
    text: `${kind} ${about} ${told.textContent} ${part.id}`.toLowerCase(),
    href: `#${part.id || (part.closest('[id]')?.id ?? '')}`,
  }
}

function resultRow({ kind, title, about, href }: SearchEntry): HTMLElement {
  const parts = [
    h('strong', { lang: 'en', dir: 'ltr' }, title),
    h('span', { class: 'soft' }, textOr(`docsKind.${kind}`, kind)),
    h('span', { class: 'soft', lang: 'en', dir: 'ltr' }, about),
  ]
  return h('li', {}, h('a', { href }, parts))
}

/** Those in which every word of the query stands, the best first: in the title, at its beginning, whole. */
export function searchFor(query: string, entries: readonly SearchEntry[]): readonly SearchEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry)
}

function scoreOf({ title, text, kind }: SearchEntry, words: readonly string[]): number {
  const name = title.toLowerCase()
  let score = 0
  for (const word of words) {
    if (name === word) score += 8
    else if (name.startsWith(word)) score += 5
    else if (name.includes(word)) score += 3
    else if (text.includes(word)) score += 1
    else return 0
  }
  // There are many fields, and most of their names are in several schemas.
  return kind === 'Field' ? score - 0.5 : score
}
