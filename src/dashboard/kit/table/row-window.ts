/**
 * The rows that are in view, and some around them: all others are only a height.
 *
 * A row that has the focus stays in the document wherever the reader scrolls to, since the focus would be lost with it.
 */
import { hasFocus } from '../focus.ts'
import { markChosen, tableRow } from './table-row.ts'
import type { PageList } from './page-list.ts'
import type { RowSelection } from './row-selection.ts'
import type { TableColumn } from './table-column.ts'

/** Rows above and below the view that are there before they are seen. */
const OVERSCAN = 8

export interface RowWindow {
  /** Puts the rows in place; gives the first and the last row that can be seen. */
  draw(): readonly [first: number, last: number]
  drawSkeleton(count: number): void
  /** What is drawn may be old: the next draw() looks at each row again. */
  forget(): void
  showChosen(): void
  /** Moves the focus to a row and brings it into view. */
  focus(row: number): void
  /** The row that an element is in. */
  rowOf(target: EventTarget | null): number | undefined
  readonly current: number
  /** How many rows are seen at once. */
  visibleCount(): number
  /** What covers the top of the window: the bar of the page and the head of the table, in pixels. */
  topInset(): number
}

export interface RowWindowOptions<T> {
  readonly body: HTMLElement
  readonly columns: () => readonly TableColumn<T>[]
  readonly label: (item: T) => string
  readonly href: ((item: T) => string) | undefined
  readonly selection: RowSelection | undefined
  readonly pages: () => PageList<T> | undefined
}

interface Drawn<T> {
  readonly element: HTMLElement
  readonly item: T | undefined
}

export function rowWindow<T extends { readonly id: string }>(options: RowWindowOptions<T>): RowWindow {
  const { body, columns, label, href, selection, pages } = options
  const drawn = new Map<number, Drawn<T>>()
  let isOld = false
  let current = 0
  let rowHeight = 0
  let widthMeasured = 0

  // A row is as high as the line of the body, which styles can say in any unit and the browser tells in pixels.
  function measure(): void {
    widthMeasured = innerWidth
    rowHeight = Number.parseFloat(getComputedStyle(body).getPropertyValue('line-height')) || 44
  }

  function make(row: number, item: T | undefined): Drawn<T> {
    const isChosen = selection && item !== undefined ? selection.has(item.id) : selection && false
    const element = tableRow({ item, row, columns: columns(), label, href, isChosen })
    element.style.transform = `translateY(${row * rowHeight}px)`
    return { element, item }
  }

  /** Draws exactly these rows; those that are there and still right stay. */
  function put(wanted: ReadonlySet<number>, isRight: boolean): void {
    for (const [row, { element }] of drawn) {
      if (wanted.has(row)) continue
      element.remove()
      drawn.delete(row)
    }
    for (const row of wanted) {
      const item = pages()?.itemAt(row)
      const before = drawn.get(row)
      if (before !== undefined && isRight && before.item === item) continue
      const after = make(row, item)
      const hadFocus = hasFocus(before?.element)
      if (before === undefined) body.append(after.element)
      else before.element.replaceWith(after.element)
      drawn.set(row, after)
      if (hadFocus) after.element.focus({ preventScroll: true })
    }
  }

  function rowOf(target: EventTarget | null): number | undefined {
    const element = target instanceof Element ? target.closest('[aria-rowindex]') : null
    for (const [row, one] of drawn) if (one.element === element) return row
    return undefined
  }

  function topInset(): number {
    const head = body.previousElementSibling
    return head === null ? 0 : (Number.parseFloat(getComputedStyle(head).top) || 0) + head.clientHeight
  }

  function focus(row: number): void {
    const top = body.getBoundingClientRect().top + row * rowHeight
    const inset = topInset()
    if (top < inset) scrollBy(0, top - inset)
    else if (top + rowHeight > innerHeight) scrollBy(0, top + rowHeight - innerHeight + rowHeight / 2)
    current = row
    draw()
    drawn.get(row)?.element.focus({ preventScroll: true })
  }

  function draw(): readonly [number, number] {
    const list = pages()
    if (list === undefined || !body.isConnected) return [0, 0]
    const heightBefore = rowHeight
    if (rowHeight === 0 || isOld || innerWidth !== widthMeasured) measure()
    const count = list.rowCount
    body.style.height = `${count * rowHeight}px`
    const { top } = body.getBoundingClientRect()
    const first = Math.min(count - 1, Math.max(0, Math.floor(-top / rowHeight)))
    const last = Math.min(count - 1, Math.max(0, Math.ceil((innerHeight - top) / rowHeight)))
    current = Math.max(0, Math.min(current, count - 1))
    const wanted = new Set<number>()
    for (let row = Math.max(0, first - OVERSCAN); row <= Math.min(count - 1, last + OVERSCAN); row++) wanted.add(row)
    const held = drawn.get(current)?.element
    if (count > 0 && hasFocus(held)) wanted.add(current)
    put(wanted, !isOld && heightBefore === rowHeight)
    isOld = false
    const reachable = wanted.has(current) ? current : first
    for (const [row, { element }] of drawn) element.tabIndex = row === reachable ? 0 : -1
    return [first, last]
  }

  body.addEventListener('focusin', ({ target }) => {
    current = rowOf(target) ?? current
  })

  return {
    draw,
    drawSkeleton(count) {
      measure()
      body.style.height = `${count * rowHeight}px`
      put(new Set(Array.from({ length: count }, (_, row) => row)), false)
    },
    forget() {
      isOld = true
    },
    showChosen() {
      for (const { element, item } of drawn.values()) {
        if (item !== undefined && selection !== undefined) markChosen(element, selection.has(item.id))
      }
    },
    focus,
    rowOf,
    get current() {
      return current
    },
    visibleCount: () => Math.max(1, Math.floor((innerHeight - topInset()) / rowHeight) - 1),
    topInset,
  }
}
