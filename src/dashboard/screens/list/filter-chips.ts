/** What the list is filtered by, each with a way to take it away. */
import { rangeTitle } from './date-range.ts'
import type { User } from '../../../models/user.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import { askNames, nameOfPerson } from '../../people.ts'
import { locale, t } from '../../texts.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { hasFocus, keepFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { fetchNames, nameOf } from './document-names.ts'
import { fieldKey, type FilterField } from './filter-fields.ts'
import { words } from './list-cells.ts'
import type { ListView } from './list-view.ts'

/** `next` gets the focus after the last filter was removed. */
export function filterChips(view: ListView, next: () => HTMLElement) {
  const { client, signal, fields, valuesOf, toggle, clearFilters } = view
  const element = h('ul', { class: 'chips', 'aria-label': t('list.filters'), hidden: true })
  show()

  function show(): void {
    draw()
    void fetchMissing()
  }

  function draw(): void {
    const held = [...element.querySelectorAll('button')].findIndex(hasFocus)
    const chosen = fields.map((field) => ({ field, values: valuesOf(field) }))
    // One status is a tab, which says it.
    const chips = chosen.flatMap(({ field, values }) => (field.key === 'status' && values.length === 1 ? [] : values.map((value) => chip(field, value))))
    const isMany = chosen.flatMap(({ values }) => values).length > 1
    element.hidden = chips.length === 0
    const all = button(t('list.clear'), clearFilters, { class: 'link' })
    // After a filter is removed by keyboard, the focus goes to the next one.
    keepFocus(
      element,
      () => fill(element, chips, isMany && h('li', {}, all)),
      () => (chips[Math.min(held, chips.length - 1)]?.querySelector('button') ?? next()).focus(),
    )
  }

  function chip(field: FilterField, value: string): HTMLElement {
    const title = filterTitle(field)
    const name = valueName(field, value, view.user)
    const text = field.asked === undefined ? t('pair', { name: title, value: name }) : title
    return h(
      'li',
      { class: 'chip' },
      h('span', {}, field.asked === undefined ? [t('pair', { name: title, value: '' }), words(name)] : title),
      button(icon('close'), () => toggle(field, value), {
        class: 'plain small',
        'aria-label': t('list.removeFilter', { name: text }),
      }),
    )
  }

  async function fetchMissing(): Promise<void> {
    const asked = fields.map(async (field) => {
      const [{ model }, ids] = [field, valuesOf(field)]
      // A chip without a name shows the id, which does as well.
      if (field.isPerson === true) return askNames(ids, view, signal)
      return model !== undefined && (await fetchNames(client, { model, ids, signal }).catch(() => false))
    })
    if ((await Promise.all(asked)).includes(true) && !signal.aborted) draw()
  }

  return { element, show }
}

export function filterTitle({ key, isPerson, isNot, asked }: FilterField): string {
  if (isPerson === true) return t('list.changedBy')
  const name = fieldTitle(fieldKey(key))
  if (isNot === true) return t('list.isNot', { name })
  return asked === undefined || fieldKey(key) === key ? name : t('list.without', { model: name, lower: name.toLocaleLowerCase(locale()) })
}

/** What a value is called. A document that is not known yet is called by its id. */
export function valueName({ model, isDate, isPerson }: FilterField, value: string, reader: User): string {
  if (isDate === true) return rangeTitle(value)
  if (isPerson === true) return nameOfPerson(value, { user: reader })
  return model === undefined ? valueTitle(value) : (nameOf(model, value) ?? value)
}
