/** Keys and clicks in the rows of a table. */
import type { RowWindow } from './row-window.ts'
import { rowOf } from './table-row.ts'
import type { ScreenKeys } from '../../screen.ts'
import { hasFocus } from '../focus.ts'

/** `choose` turns the choice of a row over; with `extend` that of all rows since the last one. */
export function onRowKeys(
  body: HTMLElement,
  rows: RowWindow,
  choose: (row: number, extend: boolean) => void,
): void {
  body.addEventListener('keydown', (event) => {
    const row = rowOf(event.target)
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const to = target(event.key, row)
    if (to !== undefined) {
      if (event.shiftKey && event.key.startsWith('Arrow') && to !== row) choose(to, true)
      rows.focus(to)
    } else if (event.key === ' ') choose(row, event.shiftKey)
    else if (event.key === 'Enter') linkOf(event.target)?.click()
    else return
    event.preventDefault()
  })

  body.addEventListener('click', (event) => {
    const row = rowOf(event.target)
    if (row === undefined || !(event.target instanceof Element)) return
    if (event.target.closest('.pick') !== null) {
      choose(row, event.shiftKey)
      rows.focus(row)
    } else if (event.target.closest('a, button, input') === null && getSelection()?.isCollapsed !== false) {
      // With the keys that open another tab, if those are held.
      linkOf(event.target)?.dispatchEvent(new MouseEvent('click', event))
    }
  })

  function target(key: string, row: number): number | undefined {
    const last = rows.count() - 1
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: row + 1,
      ArrowUp: row - 1,
      PageDown: row + rows.visibleCount(),
      PageUp: row - rows.visibleCount(),
      Home: 0,
      End: last,
    }
    const to = steps[key]
    return to === undefined ? undefined : Math.max(0, Math.min(last, to))
  }
}

/** What keys of one letter do, wherever the focus is on the screen. */
export function letterKeys(body: HTMLElement, rows: RowWindow, choose: (row: number, extend: boolean) => void): ScreenKeys {
  const step = (by: number): void => {
    const row = focusedRow(body)
    if (rows.count() === 0) return
    if (row === undefined) rows.focusCurrent()
    else rows.focus(Math.max(0, Math.min(rows.count() - 1, row + by)))
  }
  return {
    j: () => step(1),
    k: () => step(-1),
    e: () => linkOf(document.activeElement)?.click(),
    x() {
      const row = focusedRow(body)
      if (row !== undefined) choose(row, false)
    },
  }
}

export function focusedRow(body: HTMLElement): number | undefined {
  return hasFocus(body) ? rowOf(document.activeElement) : undefined
}

function linkOf(target: EventTarget | null): HTMLElement | null | undefined {
  return target instanceof Element ? target.closest('.row')?.querySelector<HTMLElement>('.main > a') : null
}
