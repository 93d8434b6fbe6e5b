/**
 * Chooses a document of another model: a text to search with and a list of what the server finds (the combobox
 * pattern with a listbox, https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 *
 * The value is the whole document, as it is embedded; one that is there already stays as it was stored until another
 * is chosen.
 */
import type { Client, Json } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { documentsOf, isMembers, labelOf, type Members, type StoredDocument } from '../../any-documents.ts'
import { valueTitle } from '../../model-words.ts'
import { t } from '../../texts.ts'
import { debounce } from '../../timing.ts'
import { fill, h } from '../dom.ts'
import { hasFocus } from '../focus.ts'
import { icon } from '../icons.ts'
import { isAbort, wordsOf } from '../states.ts'
import { atInput, newId, type Control, type ControlOptions } from './control.ts'

const SHOWN_MAX = 12
const TYPING_MS = 150

export interface PickerParts {
  readonly client: Client
  /** Ends its requests, and those that wait for a pause in typing. */
  readonly signal: AbortSignal
}

export function pickerControl(
  model: Model,
  { path, label, about, onChange }: ControlOptions,
  { client, signal }: PickerParts,
): Control {
  const id = newId()
  const documents = documentsOf(client, model)
  let chosen: Json | undefined
  let found: readonly StoredDocument[] = []
  let foundFor = ''
  let active = -1
  let touched = false
  let asking = new AbortController()
  signal.addEventListener('abort', hide)

  const problem = h('p', { id: `${id}-problem`, class: 'field-problem', 'aria-live': 'polite' })
  const list = h('ul', { id: `${id}-list`, class: 'picker-list', role: 'listbox', 'aria-label': label, hidden: true })
  const input = h('input', {
    id,
    name: path,
    class: 'picker-input',
    role: 'combobox',
    dir: 'auto',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': `${id}-list`,
    'aria-describedby': about === undefined ? `${id}-problem` : `${id}-about ${id}-problem`,
    placeholder: t('picker.search'),
    on: { input: () => search(), focus: () => input.select(), click: () => open(), keydown: onKey, blur: onBlur },
  })
  const search = debounce(TYPING_MS, () => void ask(input.value))
  const element = h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h('div', { class: 'picker' }, input, icon('down'), list),
    about === undefined ? null : h('p', { id: `${id}-about`, class: 'field-about' }, about),
    problem,
  )

  function open(): void {
    if (list.hidden) void ask('')
  }

  async function ask(text: string): Promise<void> {
    asking.abort()
    asking = new AbortController()
    const { signal: current } = asking
    const typed = input.value
    show()
    try {
      const filter = text.trim() === '' ? {} : { q: text.trim() }
      const sort = model.search.includes('name') ? 'name:asc' : 'updatedAt:desc'
      const page = await documents.list({ filter, sort, limit: SHOWN_MAX }, { signal: current })
      if (current.aborted) return
      found = page.items
      foundFor = typed
      active = found.length > 0 ? 0 : -1
      draw()
    } catch (error) {
      if (isAbort(error)) return
      // What was found before is not in sight any more, and must not be chosen.
      found = []
      active = -1
      draw()
      fill(list, h('li', { class: 'soft', role: 'presentation' }, wordsOf(error)))
    }
  }

  function draw(): void {
    fill(
      list,
      found.length === 0 ? h('li', { class: 'soft', role: 'presentation' }, t('list.nothing')) : null,
      found.map((document, i) => option(document, i)),
    )
    if (active === -1) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', `${id}-${active}`)
    list.children[active]?.scrollIntoView({ block: 'nearest' })
  }

  function option(document: StoredDocument, i: number): HTMLElement {
    const { status } = document
    return h(
      'li',
      {
        id: `${id}-${i}`,
        role: 'option',
        'aria-selected': String(i === active),
        on: {
          // Before the input loses the focus, which closes the list.
          mousedown(event) {
            event.preventDefault()
            choose(document)
          },
        },
      },
      h('span', { dir: 'auto' }, labelOf(document)),
      secondLine(document),
      status === undefined || status === 'active' ? null : h('span', { class: 'tag' }, valueTitle(String(status))),
    )
  }

  function show(): void {
    list.hidden = false
    input.setAttribute('aria-expanded', 'true')
  }

  function hide(): void {
    search.cancel()
    asking.abort()
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    input.removeAttribute('aria-activedescendant')
  }

  function choose(document: StoredDocument): void {
    chosen = document
    touched = true
    showChosen()
    hide()
    onChange(path)
  }

  function onKey(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (list.hidden) return open()
      active = Math.max(0, Math.min(found.length - 1, active + step))
      draw()
    } else if (event.key === 'Enter' && !list.hidden) {
      event.preventDefault()
      // What is found for another text is not what the reader wants.
      if (foundFor !== input.value) return search.flush()
      const document = found[active]
      if (document !== undefined) choose(document)
    } else if (event.key === 'Escape' && (!list.hidden || input.value !== labelOfChosen())) {
      event.preventDefault()
      event.stopPropagation()
      hide()
      showChosen()
    }
  }

  /** What was typed and not chosen is no value: the text goes back to what is chosen. */
  function onBlur(): void {
    hide()
    touched = true
    showChosen()
  }

  /** Selected, so that who goes on typing looks for another one. */
  function showChosen(): void {
    input.value = labelOfChosen()
    if (hasFocus(input)) input.select()
  }

  function labelOfChosen(): string {
    return isMembers(chosen) ? labelOf(chosen) : ''
  }

  return {
    path,
    element,
    value: () => chosen,
    set(value) {
      chosen = value
      showChosen()
    },
    isTouched: () => touched,
    ...atInput(path, input, problem),
  }
}

/** What tells two of the same name apart: a code, or where it is. */
function secondLine(document: Members): HTMLElement | null {
  const { code, isoCode, headquarters } = document
  const text = code ?? isoCode ?? (isMembers(headquarters) ? labelOf(headquarters) : undefined)
  return typeof text === 'string' ? h('span', { class: 'soft', dir: 'auto' }, text) : null
}
