/** Choosing what to filter by: first the field, then its values, which the server is asked for where they are documents. */
import type { Model } from '../../../models/schema.ts'
import type { Filter } from '../../../client/client.ts'
import { documentsOf } from '../../any-documents.ts'
import { askNames } from '../../people.ts'
import { t } from '../../texts.ts'
import { debouncedRequest } from '../../timing.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { keepFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { isAbort, errorText } from '../../kit/states.ts'
import { filterTitle, valueName } from './filter-chips.ts'
import { datePanel } from './date-panel.ts'
import { rememberName } from './document-names.ts'
import { words } from './list-cells.ts'
import { defaultSort } from './list-columns.ts'
import { notKey, ON, type FilterField } from './filter-fields.ts'
import type { ListView } from './list-view.ts'

const SEARCH_PAUSE_MS = 150
const OPTIONS_MAX = 20
/** Those who may change content. */
const EDITORS: Filter = { dashboardRole: { $ne: 'none' } }

export function filterPanel(view: ListView): HTMLElement {
  const { fields, user } = view
  const choices = fields.filter(({ isNot, asked }) => isNot !== true && asked === undefined)
  const person = fields.find(({ isPerson }) => isPerson === true)
  /** What is on or off; the reader's own changes are asked for most. */
  const flags = [
    ...(person === undefined ? [] : [option(person, { value: user.id, label: t('filter.mine') }, view)]),
    ...fields.filter(({ asked }) => asked !== undefined).map((field) => option(field, { value: ON, label: filterTitle(field) }, view)),
  ]
  const panel = h('div', { class: 'filter-panel' })

  function showFields(): void {
    const buttons = choices.map((field) => button(filterTitle(field), () => showValues(field), { class: 'plain' }))
    fill(panel, flags.length > 0 && h('ul', { class: 'flags' }, flags), buttons)
    panel.querySelector<HTMLElement>('input, button')?.focus()
  }

  /** With the values, or without them. */
  function showValues(field: FilterField, isNot = false): void {
    const opposite = fields.find(({ key }) => key === notKey(field.key))
    const back = button([icon('back'), h('span', {}, filterTitle(field))], showFields, { class: 'plain filter-back' })
    const side = (text: string, of: boolean): HTMLElement => button(text, () => showValues(field, of), { 'aria-pressed': String(of === isNot) })
    const sides = opposite !== undefined && h('div', { class: 'views', role: 'group' }, side(t('filter.is'), false), side(t('filter.isNot'), true))
    fill(panel, choices.length > 1 && back, sides, valuesOf(isNot ? (opposite ?? field) : field, view))
    panel.querySelector<HTMLElement>('.date-quick button, input')?.focus()
  }

  const [only, ...others] = choices
  if (only !== undefined && others.length === 0) showValues(only)
  else showFields()
  return panel
}

function valuesOf(field: FilterField, view: ListView): Child {
  if (field.isDate === true) return datePanel(field, view)
  if (field.model !== undefined) return foundValues(field, field.model, view)
  return h(
    'ul',
    {},
    field.values.map((value) => option(field, { value, label: valueName(field, value, view.user) }, view)),
  )
}

/** A search among the documents of a model, and what it finds. */
function foundValues(field: FilterField, model: Model, view: ListView): Child {
  const list = h('ul', { 'aria-live': 'polite' })
  const search = debouncedRequest(SEARCH_PAUSE_MS, view.signal, async (signal, text: string) => {
    try {
      const { items } = await documentsOf(view.client, model).list(
        { filter: { ...(text !== '' && { q: text }), ...(field.isPerson === true && EDITORS) }, sort: defaultSort(model), limit: OPTIONS_MAX },
        { signal },
      )
      for (const item of items) rememberName(model, item)
      if (field.isPerson === true) await askNames(items.map(({ id }) => id), view, signal)
      if (signal.aborted) return
      const rows = items.map((item) => option(field, { value: item.id, label: valueName(field, item.id, view.user) }, view))
      // A ticked row keeps its position when more typing brings others.
      const shown = rows.length === 0 ? h('li', { class: 'soft' }, t('list.nothing')) : rows
      keepFocus(
        list,
        () => fill(list, shown),
        () => input.focus(),
      )
    } catch (error) {
      if (!isAbort(error)) fill(list, h('li', { class: 'field-problem' }, errorText(error)))
    }
  })
  const input = h('input', {
    type: 'search',
    'aria-label': t('list.searchIn', { name: filterTitle(field) }),
    placeholder: t('list.search'),
    on: { input: () => search(input.value.trim()) },
  })
  search.now('')
  return [input, list]
}

function option(
  field: FilterField,
  { value, label }: { readonly value: string; readonly label: string },
  { valuesOf: chosen, toggle }: ListView,
): HTMLElement {
  const change = (): void => toggle(field, value)
  const box = h('input', { type: 'checkbox', 'data-key': value, checked: chosen(field).includes(value), on: { change } })
  return h('li', {}, h('label', { class: 'tick' }, box, words(label)))
}
