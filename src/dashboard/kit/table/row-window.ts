/**
 * The rows that are in view, and some around them: all others are only a height.
 *
 * A row that has the focus stays in the document wherever the reader scrolls to, since the focus would be lost with it.
 */
import { hasFocus } from '../focus.ts'
import { markChosen, rowOf, tableRow } from './table-row.ts'
import type { PageList } from './page-list.ts'
import type { RowSelection } from './row-selection.ts'
import type { TableColumn } from './table-column.ts'

/** Rows above and below the view that are there before they are seen. */
const OVERSCAN = 12
const ROW_HEIGHT = 44

export interface RowWindowOptions<T extends { readonly id: string }> {
  readonly body: HTMLElement
  readonly columns: () => readonly TableColumn<T>[]
  readonly label: (item: T) => string
  readonly href: ((item: T) => string) | undefined
  readonly selection: RowSelection | undefined
  readonly pages: () => PageList<T>
}

export type RowWindow = ReturnType<typeof rowWindow>

export function rowWindow<T extends { readonly id: string }>(options: RowWindowOptions<T>) {
  const { body, selection, pages } = options
  const rows = drawnRows(options)
  let isOld = false
  let current = 0
  let heightDrawn = 0

  /** The styles say the height as the line of the body, in any unit; the browser gives it in pixels. */
  function rowHeight(): number {
    return Number.parseFloat(getComputedStyle(body).lineHeight) || ROW_HEIGHT
  }

  /** What covers the top of the window: the bar of the page and the head of the table, in pixels. */
  function topInset(): number {
    const head = body.previousElementSibling
    return head === null ? 0 : (Number.parseFloat(getComputedStyle(head).top) || 0) + head.clientHeight
  }

  /** What covers the end of the window, in pixels: the bar of the chosen rows. */
  function endInset(): number {
    return Number.parseFloat(getComputedStyle(body).scrollMarginBlockEnd) || 0
  }

  /** Moves the focus to a row and brings it into view. */
  function focus(row: number): void {
    const height = rowHeight()
    const top = body.getBoundingClientRect().top + row * height
    const [inset, end] = [topInset(), innerHeight - endInset()]
    if (top < inset) scrollBy(0, top - inset)
    else if (top + height > end) scrollBy(0, top + height - end + height / 2)
    current = row
    draw()
    rows.element(row)?.focus({ preventScroll: true })
  }

  /** Puts the rows in place; gives the first and the last row that can be seen. */
  function draw(): readonly [first: number, last: number] {
    if (!body.isConnected) return [0, 0]
    const height = rowHeight()
    const { rowCount } = pages()
    const end = rowCount - 1
    body.style.height = `${rowCount * height}px`
    const { top } = body.getBoundingClientRect()
    const first = Math.min(end, Math.max(0, Math.floor(-top / height)))
    const last = Math.min(end, Math.max(0, Math.ceil((innerHeight - top) / height)))
    current = Math.max(0, Math.min(current, end))
    const wanted = new Set<number>()
    for (let row = Math.max(0, first - OVERSCAN); row <= Math.min(end, last + OVERSCAN); row++) wanted.add(row)
    if (end >= 0 && hasFocus(rows.element(current))) wanted.add(current)
    rows.put(wanted, { height, isOld: isOld || height !== heightDrawn })
    rows.makeReachable(wanted.has(current) ? current : first)
    isOld = false
    heightDrawn = height
    return [first, last]
  }

  body.addEventListener('focusin', ({ target }) => {
    current = rowOf(target) ?? current
  })

  return {
    draw,
    drawSkeleton(count: number): void {
      const height = rowHeight()
      body.style.height = `${count * height}px`
      rows.put(new Set(Array.from({ length: count }, (_, row) => row)), { height, isOld: true })
    },
    /** What is drawn may be old: the next draw() looks at each row again. */
    forget(): void {
      isOld = true
    },
    /** The row of this item is drawn with a glow that fades, if it is in the document. */
    glow: (id: string): void => rows.glow(id),
    showChosen: () => rows.each((element, { id }) => markChosen(element, selection?.has(id) === true)),
    /** The row that had the focus last; keys go on from there. */
    current: () => current,
    goOnAt: (row: number): void => void (current = row),
    focus,
    focusCurrent: () => focus(current),
    count: () => pages().rowCount,
    /** How many rows are seen at once. */
    visibleCount: () => Math.max(1, Math.floor((innerHeight - topInset() - endInset()) / rowHeight()) - 1),
    topInset,
  }
}

/** The rows that are in the document. */
function drawnRows<T extends { readonly id: string }>(options: RowWindowOptions<T>) {
  const { body, columns, label, href, selection, pages } = options
  const drawn = new Map<number, { readonly element: HTMLElement; readonly item: T | undefined }>()
  const glowing = new Set<string>()
  return {
    element: (row: number) => drawn.get(row)?.element,
    each(run: (element: HTMLElement, item: T) => void): void {
      for (const { element, item } of drawn.values()) if (item !== undefined) run(element, item)
    },
    /** Draws exactly these rows; those that are there and not old stay. */
    put(wanted: ReadonlySet<number>, { height, isOld }: { readonly height: number; readonly isOld: boolean }): void {
      for (const [row, { element }] of drawn) {
        if (wanted.has(row)) continue
        element.remove()
        drawn.delete(row)
      }
      for (const row of wanted) {
        const item = pages().itemAt(row)
        const before = drawn.get(row)
        if (before !== undefined && !isOld && before.item === item) continue
        const isChosen = selection && item !== undefined && selection.has(item.id)
        const element = tableRow({ item, row, columns: columns(), label, href, isChosen })
        element.style.transform = `translateY(${row * height}px)`
        if (item !== undefined && glowing.has(item.id)) element.classList.add('glow')
        const hadFocus = hasFocus(before?.element)
        if (before === undefined) body.append(element)
        else before.element.replaceWith(element)
        drawn.set(row, { element, item })
        if (hadFocus) element.focus({ preventScroll: true })
      }
      glowing.clear()
    },
    glow: (id: string): void => void glowing.add(id),
    /** Tab goes to this row only; keys move on from there. */
    makeReachable(reachable: number): void {
      for (const [row, { element }] of drawn) element.tabIndex = row === reachable ? 0 : -1
    },
  }
}
