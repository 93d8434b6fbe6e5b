/**
 * The list of a model's documents: search, filters, order and columns, all of it in the address, and what can be done
 * with many documents at once.
 */
import type { Model } from '../../../models/schema.ts'
import { documentsOf, labelOf, type StoredDocument } from '../../any-documents.ts'
import { storeChoice, storedChoice } from '../../browser-storage.ts'
import { bulkBar } from './bulk-bar.ts'
import { columnMenu } from './column-menu.ts'
import { filterChips } from './filter-chips.ts'
import { filterMenu } from './filter-menu.ts'
import { columnsOf } from './list-columns.ts'
import { columnFields, defaultColumns, defaultSort, filterFields, sortableFields } from './list-fields.ts'
import { isNarrowed, listQuery, readState, withFilter, writeState, type ListState } from './list-state.ts'
import { modelsTitle, pathOf } from '../../model-words.ts'
import { may } from '../../permissions.ts'
import { hrefTo, noteQuery } from '../../places.ts'
import { documentsChanged, isBeingRemoved, onDocumentsChanged } from '../../removal.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { dataTable, type TableMemory } from '../../kit/table/data-table.ts'
import { listSearch } from '../../kit/table/list-search.ts'
import { PAGE_ROWS } from '../../kit/table/page-list.ts'
import { createRowSelection } from '../../kit/table/row-selection.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { emptyState } from '../../kit/states.ts'

/** Where the reader was in the list that was left last, for the way back to it. */
let left: { readonly place: string; readonly memory: TableMemory } | undefined

export function documentList(model: Model, { client, user, place, signal }: ScreenContext): Screen {
  const title = modelsTitle(model)
  const columns = columnsOf(model)
  const rules = {
    filters: filterFields(model),
    sortable: sortableFields(model),
    sort: defaultSort(model),
    columns: columnFields(model).map(({ name }) => name),
    defaultColumns: defaultColumns(model),
  }
  const choice = `columns.${model.name}`
  const documents = documentsOf(client, model)
  let state = readState(place.query, rules, storedChoice(choice))
  noteState()

  const selection = createRowSelection(() => {
    table.showChosen()
    bulk.show()
  })
  const mayReplace = may('replace', model, user)
  const mayRemove = may('remove', model, user)
  const table = dataTable<StoredDocument>({
    label: title,
    columns: shownColumns(),
    load: (cursor, ended) =>
      documents.list({ ...listQuery(state, rules), limit: PAGE_ROWS, cursor }, { signal: ended }),
    labelOf,
    hrefOf: ({ id }) => hrefTo([pathOf(model), id]),
    empty,
    sort: state.sort,
    onSort: (sort) => change({ ...state, sort }),
    selection: mayReplace || mayRemove ? selection : undefined,
    isHidden: isBeingRemoved,
    memory: left?.place === placeKey() ? left.memory : undefined,
    signal,
  })
  if (left?.place !== placeKey()) void table.reload()
  signal.addEventListener('abort', () => {
    const memory = table.memory()
    if (memory !== undefined) left = { place: placeKey(), memory }
  })
  onDocumentsChanged(() => table.sift(), signal)

  const bulk = bulkBar({
    model,
    documents,
    selection,
    mayRemove,
    onChanged: documentsChanged,
    focusRows: () => table.focus(),
  })
  const search = listSearch({
    label: t('list.searchIn', { name: title }),
    hint: t('list.search'),
    value: state.search,
    onSearch: (text) => change({ ...state, search: text }),
    signal,
  })
  const chips = filterChips({
    client,
    fields: rules.filters,
    remove: ({ key }, value) => change(withFilter(state, key, value)),
    clear: () => change({ ...state, filters: new Map() }),
    next: () => search,
    signal,
  })
  chips.show(state)

  function change(next: ListState): void {
    if (JSON.stringify(listQuery(next, rules)) === JSON.stringify(listQuery(state, rules))) {
      state = next
      return noteState()
    }
    state = next
    noteState()
    selection.set([])
    chips.show(state)
    table.show({ sort: state.sort })
    void table.reload()
  }

  function chooseColumns(keys: readonly string[]): void {
    state = { ...state, columns: keys }
    const text = keys.join()
    storeChoice(choice, text === rules.defaultColumns.join() ? undefined : text)
    noteState()
    table.show({ columns: shownColumns() })
  }

  function noteState(): void {
    noteQuery(writeState(state, rules))
  }

  function placeKey(): string {
    return `${user.id} ${model.name}?${writeState({ ...state, columns: rules.defaultColumns }, rules).toString()}`
  }

  function shownColumns() {
    return columns.filter(({ key }) => state.columns.includes(key))
  }

  function newLink(): HTMLElement | false {
    if (!may('create', model, user)) return false
    return h('a', { class: 'button primary', href: hrefTo([pathOf(model), 'new']) }, icon('plus'), t('list.new'))
  }

  function empty(): HTMLElement {
    if (!isNarrowed(state)) return emptyState('headline', t('list.empty'), newLink())
    const all = (): void => {
      search.value = ''
      change({ ...state, search: '', filters: new Map() })
      search.focus()
    }
    return emptyState('search', t('list.nothing'), h('button', { type: 'button', on: { click: all } }, t('list.clear')))
  }

  const element = h(
    'section',
    { class: 'list' },
    h('div', { class: 'screen-head' }, h('h1', {}, title), newLink()),
    h(
      'div',
      { class: 'list-tools' },
      model.search.length > 0 && search,
      filterMenu({
        client,
        fields: rules.filters,
        isChosen: ({ key }, value) => state.filters.get(key)?.includes(value) === true,
        turn: ({ key }, value) => change(withFilter(state, key, value)),
        signal,
      }),
      columnMenu({ columns, shown: () => state.columns, choose: chooseColumns, signal }),
    ),
    chips.element,
    bulk.element,
    table.element,
  )
  return model.search.length > 0 ? { title, element, search } : { title, element }
}
