/**
 * A table of however many rows: it reads them as they come into view and keeps only those in the document.
 *
 *   const table = dataTable({ label, columns, load, labelOf, hrefOf, empty, sort, onSort, selection, memory, signal })
 *   section.append(table.element)         // it scrolls with the window
 *   table.reload()                        // the query is another one: what is shown stays until its rows are there
 *   table.sift()                          // the query is the same, the documents may have changed
 *   table.show({ columns, sort })
 *
 * `load(start, signal)` reads one page; the screen puts its query in there. Rows have one height, which
 * the styles say, so positions are computed and never measured. The keys are those of a grid (WAI-ARIA APG):
 * arrows, Home, End, Page Up and Down move, Enter opens, Space chooses, with Shift as far as here.
 */
import { t } from '../../texts.ts'
import { fill, h } from '../dom.ts'
import { failureState, isAbort } from '../states.ts'
import { createPageList, type Layout, type PageList } from './page-list.ts'
import { createPageReader, type LoadPage, type PageReader } from './page-reader.ts'
import { focusedRow, letterKeys, onRowKeys } from './row-keys.ts'
import type { RowSelection } from './row-selection.ts'
import { rowWindow, type RowWindow } from './row-window.ts'
import type { TableColumn } from './table-column.ts'
import { tableFoot, type TableFoot } from './table-foot.ts'
import { tableHead } from './table-head.ts'

/** Rows that are read before they come into view. */
const ROWS_AHEAD = 40
const SKELETON_ROWS = 12
/** The column of the boxes that choose rows. */
const BOX_WIDTH = '1.75rem'

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
  readonly sort?: string | undefined
  readonly onSort?: (sort: string) => void
  /** Lets rows be chosen; tell it by `showChosen()` when it changes. */
  readonly selection?: RowSelection | undefined
  /** Rows that are not shown, such as those that are being deleted. */
  readonly isHidden?: (item: T) => boolean
  /** Keeps where the reader was, for a table that is made later with the same key. */
  readonly memory: TableMemory
  /** Names the list, as its URL does. */
  readonly key: () => string
  readonly signal: AbortSignal
}

/** Where the reader was in the table that was left last. */
export interface TableMemory {
  left?: { readonly key: string; readonly layout: Layout; readonly scroll: number; readonly row: number }
}

export function dataTable<T extends { readonly id: string }>(options: DataTableOptions<T>) {
  const { label, selection, signal } = options
  let { columns, sort } = options
  const head = tableHead({
    onSort: (wanted) => options.onSort?.(wanted),
    // A click on a box for some of them ticks it: where all that are read are chosen already, it takes them back.
    onAll: selection && ((isChosen) => selection.set(isChosen && selection.size < reading.pages().rowCount ? reading.pages().ids() : [])),
  })
  const body = h('div', { class: 'table-body', role: 'rowgroup' })
  const grid = h(
    'div',
    { class: 'table', role: 'grid', 'aria-label': label, 'aria-multiselectable': selection && 'true' },
    head.element,
    body,
  )
  const instead = h('div', { class: 'table-instead', hidden: true })
  const foot = tableFoot(() => reading.retry())
  const announced = h('p', { class: 'spoken', role: 'status' })
  const element = h('div', { class: 'table-box' }, grid, foot.element, instead, announced)
  const rows = rowWindow<T>({
    body,
    columns: () => columns,
    label: options.labelOf,
    href: options.hrefOf,
    selection,
    pages: (): PageList<T> => reading.pages(),
  })
  const reading = tableReading(options, { element, grid, foot, instead, announced, rows })
  onRowKeys(body, rows, choose)
  showHead()
  addEventListener('scroll', reading.draw, { signal, passive: true })
  addEventListener('resize', reading.draw, { signal })
  addEventListener('online', reading.retry, { signal })
  takeUp(options, reading, rows)

  function showHead(): void {
    const tracks = columns.flatMap(({ width, isBelow }) => (isBelow === true ? [] : [width]))
    grid.style.setProperty('--tracks', (selection === undefined ? tracks : [BOX_WIDTH, ...tracks]).join(' '))
    head.show(columns, sort)
  }

  function choose(row: number, extend: boolean): void {
    const pages = reading.pages()
    const id = pages.idAt(row)
    if (id !== undefined) selection?.turn(id, pages.ids(), extend)
  }

  return {
    element,
    /** Reads from the top. Resolves when its rows are shown, it failed, or another reload came before. */
    reload: reading.reload,
    /** Takes out what `isHidden` hides by now, and reads what is shown once more, where the reader is. */
    sift: reading.sift,
    /** Shows a newer item in its row, which glows once. False where no row is its. */
    update(item: T): boolean {
      const isShown = reading.pages().update(item)
      if (isShown) rows.glow(item.id)
      reading.draw()
      return isShown
    },
    /** Takes out the rows of items that are gone. */
    remove(ids: readonly string[]): void {
      reading.pages().remove(ids)
      rows.forget()
      reading.draw()
    },
    show(what: Partial<Pick<DataTableOptions<T>, 'columns' | 'sort'>>): void {
      if (what.columns !== undefined) columns = what.columns
      if ('sort' in what) sort = what.sort
      showHead()
      rows.forget()
      reading.draw()
    },
    showChosen(): void {
      if (selection === undefined) return
      const { rowCount, isComplete } = reading.pages()
      const isAll = rowCount > 0 && selection.size >= rowCount && (isComplete || selection.size > rowCount)
      head.showChosen(selection.size === 0 ? 'none' : isAll ? 'all' : 'some')
      rows.showChosen()
    },
    keys: letterKeys(body, rows, choose),
    /** Whether there are rows that are not read yet. */
    hasMore: (): boolean => !reading.pages().isComplete,
    /** The items that are read, from top to bottom. */
    ids: (): readonly string[] => reading.pages().ids(),
    /** The item of the row that has the focus. */
    focusedId(): string | undefined {
      const row = focusedRow(body)
      return row === undefined ? undefined : reading.pages().idAt(row)
    },
    /** Goes to the row that was looked at last. */
    focus(): void {
      if (grid.hidden) instead.querySelector<HTMLElement>('a, button')?.focus()
      else rows.focusCurrent()
    },
  }
}

/** Begins where an earlier table of the same key ended, else at the top; and keeps where this one ends. */
function takeUp<T extends { readonly id: string }>(
  { memory, key, signal }: DataTableOptions<T>,
  { isBegun, pages, reload, restore }: Pick<TableReading<T>, 'isBegun' | 'pages' | 'reload' | 'restore'>,
  rows: RowWindow,
): void {
  const left = memory.left?.key === key() ? memory.left : undefined
  if (left === undefined) void reload()
  // Until then the table is not in the document, where it has its sizes, nor has the shell gone to the top.
  queueMicrotask(() => {
    if (signal.aborted || isBegun()) return
    if (left === undefined) rows.drawSkeleton(SKELETON_ROWS)
    else {
      rows.goOnAt(left.row)
      restore(left.layout, left.scroll)
    }
  })
  signal.addEventListener('abort', () => {
    if (isBegun()) memory.left = { key: key(), layout: pages().layout(), scroll: scrollY, row: rows.current() }
  })
}

interface TableParts {
  readonly element: HTMLElement
  readonly grid: HTMLElement
  readonly foot: TableFoot
  /** Stands in place of the rows where there are none. */
  readonly instead: HTMLElement
  /** For screen readers. */
  readonly announced: HTMLElement
  readonly rows: RowWindow
}

type TableReading<T extends { readonly id: string }> = ReturnType<typeof tableReading<T>>

/** Draws what has been read, and reads what is to be drawn soon. */
function tableReading<T extends { readonly id: string }>(
  { load, isHidden = () => false, empty, signal }: DataTableOptions<T>,
  parts: TableParts,
) {
  const { element, grid, foot, instead, announced, rows } = parts
  let pages = createPageList<T>({ isHidden })
  /** Undefined where there are no rows to be read on: at first, and after a failure. */
  let reader: PageReader | undefined
  let current = new AbortController()

  async function reload(): Promise<void> {
    current.abort()
    current = new AbortController()
    const ended = AbortSignal.any([signal, current.signal])
    grid.setAttribute('aria-busy', 'true')
    try {
      const page = await load(undefined, ended)
      if (ended.aborted) return
      const list = createPageList<T>({ isHidden })
      list.put(0, undefined, page)
      const top = element.getBoundingClientRect().top + scrollY
      begin(list)
      if (scrollY > top) scrollTo(0, Math.max(0, top - rows.topInset()))
      announced.textContent = countText(list)
    } catch (error) {
      if (ended.aborted || isAbort(error)) return
      grid.removeAttribute('aria-busy')
      reader = undefined
      showInstead(parts, failureState(error, () => void reload()))
    }
  }

  /** Shows another list, and reads on for it. */
  function begin(list: PageList<T>): void {
    pages = list
    const ended = AbortSignal.any([signal, current.signal])
    reader = createPageReader({ pages, load, signal: ended, onRead: draw, onFailure: foot.fail })
    grid.removeAttribute('aria-busy')
    foot.clear()
    rows.forget()
    showInstead(parts, undefined)
    draw()
  }

  function draw(): void {
    if (reader === undefined) return
    const { rowCount, isComplete } = pages
    const isEmpty = rowCount === 0 && isComplete
    if (isEmpty === instead.hidden) showInstead(parts, isEmpty ? empty() : undefined)
    // -1 where the number is unknown.
    grid.setAttribute('aria-rowcount', isComplete ? String(rowCount + 1) : '-1')
    const [first, last] = rows.draw()
    pages.letGo(first, last)
    reader.want(first - ROWS_AHEAD / 2, last + ROWS_AHEAD)
    foot.show(isComplete ? countText(pages) : '')
  }

  function retry(): void {
    if (!foot.hasFailed) return
    foot.clear()
    reader?.retry()
    draw()
  }

  function sift(): void {
    pages.sift()
    pages.expire()
    reader?.startOver()
    draw()
  }

  function restore(layout: Layout, scroll: number): void {
    begin(createPageList({ isHidden, layout }))
    scrollTo(0, scroll)
    draw()
  }

  return { isBegun: () => reader !== undefined, pages: () => pages, reload, restore, draw, retry, sift }
}

/** Shows an element in place of the rows, or the rows without one. */
function showInstead({ grid, foot, instead }: TableParts, content: HTMLElement | undefined): void {
  grid.hidden = foot.element.hidden = content !== undefined
  instead.hidden = content === undefined
  fill(instead, content)
}

function countText<T extends { readonly id: string }>({ rowCount: count, isComplete, isFull }: PageList<T>): string {
  return t(isFull ? 'table.full' : isComplete ? 'table.end' : 'table.more', { count })
}
