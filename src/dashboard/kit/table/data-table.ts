/**
 * A table of however many rows: it reads them as they come into view and keeps only those in the document.
 *
 *   const table = dataTable({ label, columns, load, labelOf, hrefOf, empty, sort, onSort, selection, signal })
 *   section.append(table.element)         // it scrolls with the window
 *   table.reload()                        // the query is another one: what is shown stays until its rows are there
 *   table.sift()                          // the query is the same, the documents may have changed
 *   table.show({ columns, sort })
 *
 * `load(start, signal)` reads one page; whatever the query is, the screen puts it in there. Rows have one height, which
 * the styles say, so places are computed and never measured. The keys are those of a grid (WAI-ARIA APG):
 * arrows, Home, End, Page Up and Down move, Enter opens, Space chooses, with Shift as far as here.
 */
import { t } from '../../texts.ts'
import { fill, h } from '../dom.ts'
import { failureState, isAbort } from '../states.ts'
import { createPageList, type Layout, type PageList } from './page-list.ts'
import { createPageReader, type LoadPage, type PageReader } from './page-reader.ts'
import { onRowKeys } from './row-keys.ts'
import type { RowSelection } from './row-selection.ts'
import { rowWindow } from './row-window.ts'
import type { TableColumn, TableSort } from './table-column.ts'
import { tableFoot } from './table-foot.ts'
import { tableHead } from './table-head.ts'

/** Rows that are read before they come into view. */
const ROWS_AHEAD = 40
const SKELETON_ROWS = 12

export interface DataTableOptions<T> {
  /** For screen readers: what the rows are. */
  readonly label: string
  /** The first is the row's name, and its link. */
  readonly columns: readonly TableColumn<T>[]
  readonly load: LoadPage<T>
  readonly labelOf: (item: T) => string
  /** Where a row leads. */
  readonly hrefOf?: (item: T) => string
  /** What stands there when no row does. */
  readonly empty: () => HTMLElement
  readonly sort?: TableSort | undefined
  readonly onSort?: (sort: TableSort) => void
  /** Lets rows be chosen; tell it by `showChosen()` when it changes. */
  readonly selection?: RowSelection | undefined
  /** Rows that are not shown, such as those that are being deleted. */
  readonly isHidden?: (item: T) => boolean
  /** Begins where an earlier table ended. */
  readonly memory?: TableMemory | undefined
  readonly signal: AbortSignal
}

export interface TableMemory {
  readonly layout: Layout
  readonly scroll: number
}

export interface DataTable<T> {
  readonly element: HTMLElement
  /** Reads from the top. Resolves when its rows are shown, it failed, or another reload came before. */
  reload(): Promise<void>
  /** Takes out what `isHidden` hides by now, and reads again what is shown, at the place where the reader is. */
  sift(): void
  show(what: { readonly columns?: readonly TableColumn<T>[]; readonly sort?: TableSort | undefined }): void
  showChosen(): void
  /** Goes to the row that was looked at last. */
  focus(): void
  memory(): TableMemory | undefined
}

export function dataTable<T extends { readonly id: string }>(options: DataTableOptions<T>): DataTable<T> {
  const { label, load, selection, isHidden = () => false, signal } = options
  let [columns, sort] = [options.columns, options.sort]
  let pages: PageList<T> | undefined
  let reader: PageReader | undefined
  let reading = new AbortController()
  let hasFailed = false

  const head = tableHead({
    onSort: (wanted) => options.onSort?.(wanted),
    onAll: selection && ((isChosen) => selection.set(isChosen ? (pages?.ids() ?? []) : [])),
  })
  const body = h('div', { class: 'table-body', role: 'rowgroup' })
  const grid = h(
    'div',
    { class: 'table', role: 'grid', 'aria-label': label, 'aria-multiselectable': selection && 'true' },
    head.element,
    body,
  )
  const foot = tableFoot(retry)
  const instead = h('div', { class: 'table-instead', hidden: true })
  const said = h('p', { class: 'spoken', role: 'status' })
  const element = h('div', { class: 'table-box' }, grid, foot.element, instead, said)
  const rows = rowWindow<T>({
    body,
    columns: () => columns,
    label: options.labelOf,
    href: options.hrefOf,
    selection,
    pages: () => pages,
  })
  onRowKeys({ body, rows, count: () => pages?.rowCount ?? 0, choose })

  showHead()
  addEventListener('scroll', draw, { signal, passive: true })
  addEventListener('resize', draw, { signal })
  addEventListener('online', retry, { signal })
  signal.addEventListener('abort', () => reading.abort())
  // Until then the table is not in the document, where it has its sizes, nor has the shell gone to the top.
  queueMicrotask(start)

  function start(): void {
    const { memory } = options
    if (signal.aborted || pages !== undefined) return
    if (memory === undefined) return rows.drawSkeleton(SKELETON_ROWS)
    begin(createPageList({ isHidden, layout: memory.layout }))
    scrollTo(0, memory.scroll)
    draw()
  }

  async function reload(): Promise<void> {
    reading.abort()
    const own = (reading = new AbortController())
    grid.setAttribute('aria-busy', 'true')
    try {
      const page = await load(undefined, AbortSignal.any([signal, own.signal]))
      if (own.signal.aborted || signal.aborted) return
      const list = createPageList<T>({ isHidden })
      list.put(0, undefined, page)
      const top = element.getBoundingClientRect().top + scrollY
      begin(list)
      if (scrollY > top) scrollTo(0, Math.max(0, top - rows.topInset()))
      said.textContent = countWords(list)
    } catch (error) {
      if (own.signal.aborted || signal.aborted || isAbort(error)) return
      grid.removeAttribute('aria-busy')
      hasFailed = true
      grid.hidden = foot.element.hidden = true
      instead.hidden = false
      fill(
        instead,
        failureState(error, () => void reload()),
      )
    }
  }

  /** Shows another list, and reads on for it. */
  function begin(list: PageList<T>): void {
    pages = list
    hasFailed = false
    instead.hidden = true
    reader = createPageReader({
      ...{ pages: list, load, signal: AbortSignal.any([signal, reading.signal]) },
      onRead: draw,
      onFailure: foot.fail,
    })
    rows.forget()
    grid.removeAttribute('aria-busy')
    foot.clear()
    draw()
  }

  function draw(): void {
    if (pages === undefined || hasFailed) return
    const isEmpty = pages.rowCount === 0 && pages.isComplete
    grid.hidden = foot.element.hidden = isEmpty
    if (isEmpty && instead.hidden) fill(instead, options.empty())
    instead.hidden = !isEmpty
    // -1 where the number is unknown.
    grid.setAttribute('aria-rowcount', pages.isComplete ? String(pages.rowCount + 1) : '-1')
    const [first, last] = rows.draw()
    pages.letGo(first, last)
    reader?.want(first - ROWS_AHEAD / 2, last + ROWS_AHEAD)
    foot.show(pages.isComplete ? countWords(pages) : '')
  }

  function retry(): void {
    if (!foot.hasFailed) return
    foot.clear()
    reader?.retry()
    draw()
  }

  function choose(row: number, extend: boolean): void {
    const id = pages?.idAt(row)
    if (id !== undefined) selection?.turn(id, pages?.ids() ?? [], extend)
  }

  function showHead(): void {
    const tracks = [...(selection === undefined ? [] : ['1.75rem']), ...columns.map(({ width }) => width)]
    grid.style.setProperty('--tracks', tracks.join(' '))
    head.show(columns, sort)
  }

  function showChosen(): void {
    if (selection === undefined) return
    const isAll = pages !== undefined && pages.rowCount > 0 && selection.size >= pages.rowCount
    head.showChosen(selection.size === 0 ? 'none' : isAll ? 'all' : 'some')
    rows.showChosen()
  }

  return {
    element,
    reload,
    sift() {
      pages?.sift()
      pages?.expire()
      reader?.startOver()
      draw()
    },
    show(what) {
      if (what.columns !== undefined) columns = what.columns
      if ('sort' in what) sort = what.sort
      showHead()
      rows.forget()
      draw()
    },
    showChosen,
    focus() {
      if (grid.hidden) instead.querySelector<HTMLElement>('a, button')?.focus()
      else rows.focus(rows.current)
    },
    memory: () => pages && { layout: pages.layout(), scroll: scrollY },
  }
}

function countWords<T>({ rowCount, isComplete, isFull }: PageList<T>): string {
  if (isFull) return t('table.full', { count: rowCount })
  return isComplete ? t('table.end', { count: rowCount }) : t('table.more', { count: rowCount })
}
