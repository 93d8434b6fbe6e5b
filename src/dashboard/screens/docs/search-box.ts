/** The search over the whole reference: results as one types, reached with the arrows or Tab. */
import { hrefTo } from '../../places.ts'
import { fill, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { searchFor, type SearchEntry } from './docs-search.ts'

/** `/` goes to it from anywhere where it is not typed. */
export function searchBox(entries: readonly SearchEntry[]): HTMLElement {
  const input = h('input', {
    type: 'search',
    placeholder: 'Search',
    'aria-label': 'Search',
    'aria-keyshortcuts': '/',
    autocomplete: 'off',
    spellcheck: 'false',
    on: { input: () => show(), focus: () => show() },
  })
  const list = h('ul', { 'aria-label': 'Results' })
  const panel = h('div', { class: 'results', hidden: true }, list)
  const said = h('p', { class: 'spoken', role: 'status' })
  const show = (): void => {
    const found = searchFor(input.value, entries)
    const isAsked = input.value.trim() !== ''
    panel.hidden = !isAsked
    fill(list, found.length === 0 ? h('li', { class: 'none soft' }, 'Nothing was found') : found.map(resultRow))
    fill(said, isAsked ? `${found.length} results` : '')
  }
  const close = (): void => {
    panel.hidden = true
  }
  const move = (step: 1 | -1): void => {
    const links = [...list.querySelectorAll('a')]
    const place = links.indexOf(document.activeElement as HTMLAnchorElement)
    const next = place + step
    if (place === -1 && step === -1) return
    if (next < 0) input.focus()
    else links[Math.min(next, links.length - 1)]?.focus()
  }
  const box = h(
    'div',
    {
      class: 'search',
      role: 'search',
      on: {
        keydown(event) {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault()
            move(event.key === 'ArrowDown' ? 1 : -1)
          } else if (event.key === 'Enter' && event.target === input) {
            list.querySelector('a')?.click()
          } else if (event.key === 'Escape' && !panel.hidden) {
            event.preventDefault()
            input.focus()
            close()
          }
        },
        focusout(event) {
          if (!box.contains(event.relatedTarget as Node | null)) close()
        },
        click(event) {
          if ((event.target as Element).closest('a') !== null) close()
        },
      },
    },
    icon('search'),
    input,
    h('kbd', { 'aria-hidden': 'true' }, '/'),
    panel,
    said,
  )
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).closest('input, textarea, select, dialog') !== null
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
    event.preventDefault()
    input.focus()
    input.select()
  })
  return box
}

function resultRow({ kind, title, about, segments }: SearchEntry): HTMLElement {
  return h(
    'li',
    {},
    h(
      'a',
      { href: hrefTo(segments) },
      h('span', { class: 'result-title' }, title),
      h('span', { class: 'soft' }, kind),
      about === '' ? null : h('span', { class: 'result-about soft' }, about.replaceAll('`', '')),
    ),
  )
}
