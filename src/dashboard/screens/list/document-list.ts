/**
 * The list of a model's documents: search, filters, order and columns, all of it in the URL, and what can be done
 * with many documents at once.
 */
import type { Model } from '../../../models/schema.ts'
import { documentsOf, labelOf, type StoredDocument } from '../../any-documents.ts'
import { bulkBar } from './bulk-bar.ts'
import { columnMenu } from './column-menu.ts'
import { filterChips } from './filter-chips.ts'
import { filterMenu } from './filter-menu.ts'
import { columnsOf } from './list-columns.ts'
import { createListView } from './list-view.ts'
import { modelsTitle, pathOf } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { hrefTo } from '../../screen-url.ts'
import { isBeingRemoved, onDocumentsChanged } from '../../removal.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { dataTable, type TableMemory } from '../../kit/table/data-table.ts'
import { listSearch } from '../../kit/table/list-search.ts'
import { PAGE_ROWS } from '../../kit/table/page-list.ts'
import { createRowSelection } from '../../kit/table/row-selection.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { emptyState, nothingFound } from '../../kit/states.ts'

const memory: TableMemory = {}

export function documentList(model: Model, context: ScreenContext): Screen {
  const { client, user, signal } = context
  const title = modelsTitle(model)
  const documents = documentsOf(client, model)
  const columns = columnsOf(model)
  const isSearched = model.search.length > 0
  const mayRemove = may('remove', model, user)
  const view = createListView(model, context, () => {
    selection.set([])
    chips.show()
    table.show({ sort: view.state().sort })
    void table.reload()
  })
  const shownColumns = () => columns.filter(({ key }) => view.state().columns.includes(key))

  const selection = createRowSelection(() => {
    table.showChosen()
    bulk.show()
  })
  const table = dataTable<StoredDocument>({
    label: title,
    columns: shownColumns(),
    load: (cursor, ended) => documents.list({ ...view.query(), limit: PAGE_ROWS, cursor }, { signal: ended }),
    labelOf,
    hrefOf: ({ id }) => hrefTo([pathOf(model), id]),
    empty: () => (view.isNarrowed() ? nothingFound(clearAll) : emptyState('headline', t('list.empty'), newLink())),
    sort: view.state().sort,
    onSort: (sort) => view.change({ sort }),
    selection: may('replace', model, user) || mayRemove ? selection : undefined,
    isHidden: isBeingRemoved,
    memory,
    key: () => `${user.id} ${model.name}?${view.key()}`,
    signal,
  })
  onDocumentsChanged(() => table.sift(), signal)

  const bulk = bulkBar({ model, documents, selection, mayRemove, focusRows: () => table.focus() })
  const search = listSearch({
    label: t('list.searchIn', { name: title }),
    hint: t('list.search'),
    value: view.state().search,
    onSearch: (text) => view.change({ search: text }),
    signal,
  })
  const chips = filterChips(view, () => search)

  function newLink(): HTMLElement | false {
    if (!may('create', model, user)) return false
    return h('a', { class: 'button primary', href: hrefTo([pathOf(model), 'new']) }, icon('plus'), t('list.new'))
  }

  function clearAll(): void {
    search.value = ''
    view.change({ search: '', filters: new Map() })
    search.focus()
  }

  const element = h(
    'section',
    { class: 'list' },
    h('div', { class: 'screen-head' }, h('h1', {}, title), newLink()),
    h(
      'div',
      { class: 'list-tools' },
      isSearched && search,
      filterMenu(view),
      columnMenu(columns, view, () => table.show({ columns: shownColumns() })),
    ),
    chips.element,
    bulk.element,
    table.element,
  )
  return { title, element, ...(isSearched && { search }) }
}
