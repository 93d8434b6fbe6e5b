/** Choosing what to filter by: first the field, then its values, which the server is asked for where they are documents. */
import { documentsOf, labelOf } from '../../any-documents.ts'
import type { Client } from '../../../client/client.ts'
import { fieldTitle, valueTitle } from '../../model-words.ts'
import { t } from '../../texts.ts'
import { debounce } from '../../timing.ts'
import { dropDown } from '../../kit/drop-down.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { keepFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { isAbort, wordsOf } from '../../kit/states.ts'
import { rememberName } from './document-names.ts'
import { words } from './list-columns.ts'
import { defaultSort, type FilterField } from './list-fields.ts'
import { sortText } from './list-state.ts'

const SEARCH_PAUSE_MS = 150
const OPTIONS_MAX = 20

export interface FilterMenuOptions {
  readonly client: Client
  readonly fields: readonly FilterField[]
  readonly isChosen: (field: FilterField, value: string) => boolean
  readonly turn: (field: FilterField, value: string) => void
  readonly signal: AbortSignal
}

export function filterMenu(options: FilterMenuOptions): HTMLElement {
  const { fields, signal } = options
  const panel = h('div', { class: 'filter-panel' })

  function showFields(): void {
    const buttons = fields.map((field) => button(fieldTitle(field.key), () => showValues(field), { class: 'plain' }))
    fill(panel, buttons)
    buttons[0]?.focus()
  }

  function showValues(field: FilterField): void {
    const title = fieldTitle(field.key)
    const back = button([icon('back'), h('span', {}, title)], showFields, { class: 'plain filter-back' })
    fill(panel, fields.length > 1 && back, field.model === undefined ? choices(field) : found(field, title, options))
    panel.querySelector<HTMLElement>('input')?.focus()
  }

  function choices(field: FilterField): HTMLElement {
    return h(
      'ul',
      {},
      field.values.map((value) => h('li', {}, option(field, { value, label: valueTitle(value) }, options))),
    )
  }

  return dropDown({
    label: [icon('filter'), h('span', {}, t('list.filter'))],
    name: t('list.filter'),
    content() {
      const [only] = fields
      if (fields.length === 1 && only !== undefined) showValues(only)
      else showFields()
      return panel
    },
    signal,
  }).element
}

/** A search among the documents of a model, and what it finds. */
function found(field: FilterField, title: string, options: FilterMenuOptions): readonly HTMLElement[] {
  const { model } = field
  const list = h('ul', { 'aria-live': 'polite' })
  if (model === undefined) return []
  let asking = new AbortController()
  async function search(text: string): Promise<void> {
    asking.abort()
    const own = (asking = new AbortController())
    if (model === undefined) return
    try {
      const { items } = await documentsOf(options.client, model).list(
        { ...(text !== '' && { filter: { q: text } }), sort: sortText(defaultSort(model)), limit: OPTIONS_MAX },
        { signal: AbortSignal.any([own.signal, options.signal]) },
      )
      if (own.signal.aborted) return
      for (const item of items) rememberName(model, item)
      const rows = items.map((item) => h('li', {}, option(field, { value: item.id, label: labelOf(item) }, options)))
      // A ticked row keeps its place when more typing brings others.
      const shown = rows.length === 0 ? h('li', { class: 'soft' }, t('list.nothing')) : rows
      keepFocus(
        list,
        () => fill(list, shown),
        () => input.focus(),
      )
    } catch (error) {
      if (!own.signal.aborted && !isAbort(error)) fill(list, h('li', { class: 'field-problem' }, wordsOf(error)))
    }
  }
  const later = debounce(SEARCH_PAUSE_MS, (text: string) => void search(text))
  const input = h('input', {
    type: 'search',
    'aria-label': t('list.searchIn', { name: title }),
    placeholder: t('list.search'),
    on: { input: () => later(input.value.trim()) },
  })
  void search('')
  return [input, list]
}

function option(
  field: FilterField,
  { value, label }: { readonly value: string; readonly label: string },
  { isChosen, turn }: FilterMenuOptions,
): HTMLElement {
  const change = (): void => turn(field, value)
  return h(
    'label',
    { class: 'tick' },
    h('input', { type: 'checkbox', 'data-key': value, checked: isChosen(field, value), on: { change } }),
    words(label),
  )
}
