/**
 * The list of a model's documents: search, filters, order and columns, all of it in the URL, and what can be done
 * with many documents at once.
 */
import type { Page } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { draftsOf, labelOf, type StoredDocument } from '../../any-documents.ts'
import { bulkBar } from './bulk-bar.ts'
import type { Standing } from './bulk-offers.ts'
import { filterChips } from './filter-chips.ts'
import { tableColumn } from './list-cells.ts'
import { cardColumns, placedColumns } from './list-columns.ts'
import { listMenus, pictureSwitch } from './list-menus.ts'
import { liveRows } from './live-rows.ts'
import { createListView } from './list-view.ts'
import { statusTabs } from './status-tabs.ts'
import { leaveTrail } from '../../list-trail.ts'
import { modelsTitle, pathOf } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { hrefTo } from '../../screen-url.ts'
import { isBeingRemoved, onDocumentsChanged } from '../../changed-documents.ts'
import type { Screen, ScreenAction, ScreenContext } from '../../screen.ts'
import { dataTable, type TableMemory } from '../../kit/table/data-table.ts'
import { listSearch } from '../../kit/table/list-search.ts'
import { PAGE_ROWS } from '../../kit/table/page-list.ts'
import { createRowSelection } from '../../kit/table/row-selection.ts'
import { totalLine } from '../../kit/table/total-line.ts'
import { t } from '../../texts.ts'
import { debounce } from '../../timing.ts'
import { h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { emptyState, nothingFound } from '../../kit/states.ts'

/** Rows of a request for all of them: the most that the service gives. */
const EVERY_ROWS = 100
const RESIZE_PAUSE_MS = 150

const memory: TableMemory = {}

export function documentList(model: Model, context: ScreenContext): Screen {
  const { client, user, signal } = context
  const title = modelsTitle(model)
  const documents = draftsOf(client, model)
  const isSearched = model.search.length > 0
  const mayRemove = may('remove', model, user)
  // Those who write see drafts that lack something yet.
  const incomplete = may('replace', model, user)
  const view = createListView(model, context, () => {
    selection.set([])
    fresh.clear()
    chips.show()
    tabs.show()
    table.show({ columns: shownColumns(), sort: view.sort() })
    void table.reload()
  })
  const key = (): string => `${user.id} ${model.name}?${view.key()}`
  const total = totalLine(key)
  const shownColumns = () => {
    const shown = view.columns()
    const isCard = matchMedia('(width < 46rem)').matches
    const columns = isCard ? cardColumns(shown, view.rules.columns, [view.sort(), view.usualSort()]) : shown
    const rem = (document.querySelector('main')?.clientWidth ?? innerWidth) / rootFontSize()
    return placedColumns(columns, rem).map((one) => tableColumn(model, one, view.columnSort(one)))
  }

  const standings = new Map<string, Standing>()
  /** For the bar, which offers what can be done with rows that are not held any more. */
  function remember({ id, status = null, handedInAt = null, publishAt = null }: StoredDocument): void {
    standings.set(id, { status, handedInAt, publishAt })
  }
  const selection = createRowSelection(() => {
    table.showChosen()
    bulk.show()
  })
  const table = dataTable<StoredDocument>({
    label: title,
    columns: shownColumns(),
    load: async (cursor, ended) => {
      const query = { ...view.query(), limit: PAGE_ROWS, cursor, count: total.count(cursor), incomplete }
      const page = await documents.list(query, { signal: ended })
      total.take(page)
      page.items.forEach(remember)
      return page
    },
    labelOf,
    hrefOf: ({ id }) => hrefTo([pathOf(model), id]),
    empty: () => (view.isNarrowed() ? nothingFound(clearAll) : emptyState('headline', t('list.empty'), newLink())),
    sort: view.sort(),
    onSort: (sort) => view.change({ sort }),
    selection: may('replace', model, user) || mayRemove ? selection : undefined,
    isHidden: isBeingRemoved,
    memory,
    key,
    signal,
  })
  onDocumentsChanged(() => table.sift(), signal)
  // Behind the table, which keeps there where it was left.
  signal.addEventListener('abort', () => {
    const { left } = memory
    if (left?.key !== key()) return
    const query = { ...view.query(), limit: EVERY_ROWS, fields: 'status', incomplete }
    leaveTrail({
      model: model.name,
      href: view.hrefWith({}),
      ids: left.layout.pages.flatMap(({ ids }) => ids),
      end: left.layout.end ?? null,
      async read(cursor, ended) {
        const page = await documents.list({ ...query, cursor }, { signal: ended })
        return { ids: page.items.map(({ id }) => id), end: page.hasMore ? page.cursor : null }
      },
    })
  })
  addEventListener('resize', debounce(RESIZE_PAUSE_MS, () => table.show({ columns: shownColumns() })), { signal })

  const update = (document: StoredDocument): boolean => {
    remember(document)
    bulk.show()
    return table.update(document)
  }
  const fresh = liveRows({ model, context, view, selection, table: { ...table, update } })
  const bulk = bulkBar({ model, user, client, selection, mayRemove, standingOf: (id) => standings.get(id), rows: () => table.ids(), viewKey: key, hasMore, every, signal, focusRows: () => table.focus() })
  function hasMore(): string | undefined {
    const loaded = table.ids()
    const isOffered = table.hasMore() && selection.size === loaded.length && loaded.every(selection.has)
    return isOffered && total.words() !== '' ? total.words() : undefined
  }

  /** What decides about a row is enough to choose it. */
  async function* every(): AsyncGenerator<StoredDocument> {
    const query = { ...view.query(), limit: EVERY_ROWS, fields: 'status,handedInAt,publishAt' }
    for (let cursor: string | null = null; ; ) {
      const page: Page<StoredDocument> = await documents.list({ ...query, cursor }, { signal })
      page.items.forEach(remember)
      yield* page.items
      cursor = page.hasMore ? page.cursor : null
      if (cursor === null) return
    }
  }

  const search = listSearch({
    label: t('list.searchIn', { name: title }),
    hint: t('list.search'),
    value: view.state().search,
    onSearch: (text) => view.change({ search: text }),
    signal,
  })
  const chips = filterChips(view, () => search)
  const tabs = statusTabs({ model, context, view, onCounted: (count) => count && total.take(count) })

  function newLink(): HTMLElement | false {
    if (!may('create', model, user)) return false
    return h('a', { class: 'button primary', href: hrefTo([pathOf(model), 'new']) }, icon('plus'), t('list.new'))
  }

  function clearAll(): void {
    search.value = ''
    view.change({ search: '', filters: new Map(), isScheduled: false })
    search.focus()
  }

  const element = h(
    'section',
    { class: 'list' },
    h('div', { class: 'screen-head' }, h('h1', {}, title), total.element, newLink()),
    tabs.element,
    h(
      'div',
      { class: 'list-tools' },
      isSearched && search,
      listMenus({ model, context, view, onColumns: () => table.show({ columns: shownColumns() }) }),
      pictureSwitch(model, () => table.show({})),
    ),
    chips.element,
    fresh.element,
    table.element,
    bulk.element,
  )
  /** With what is chosen; without a choice, with the row that has the focus. */
  function actions(): readonly ScreenAction[] {
    const focused = table.focusedId()
    if (selection.size === 0 && focused === undefined) return []
    const ids = selection.size === 0 && focused !== undefined ? [focused] : selection.ids()
    const detail = t('bulk.count', { count: ids.length })
    return bulk.actionsFor(ids).map((action) => ({
      ...action,
      detail,
      run() {
        selection.set(ids)
        action.run()
      },
    }))
  }

  return { title, element, keys: table.keys, actions, ...(isSearched && { search }) }
}

/** In pixels; readers may have set another than 16. */
function rootFontSize(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
}
