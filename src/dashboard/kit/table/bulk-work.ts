/** Work on the chosen rows of a table: the bar that offers it, and its progress while it runs. */
import { t } from '../../texts.ts'
import { button, fill, h, type Child } from '../dom.ts'
import { hasFocus } from '../focus.ts'
import { icon, type IconName } from '../icons.ts'
import type { RowSelection } from './row-selection.ts'

type Work<T> = (onProgress: (done: number) => void) => Promise<T>

export interface SelectionBarOptions {
  readonly selection: RowSelection
  readonly actions: Child
  /** Stands beside the count. */
  readonly more?: HTMLElement | undefined
  /** For a reader who was at a button of the bar, which goes. */
  readonly focusRows: () => void
}

export type SelectionBar = ReturnType<typeof selectionBar>

/** Stands behind the table, at the end of the window, while something is chosen. */
export function selectionBar({ selection, actions, more, focusRows }: SelectionBarOptions) {
  const work = bulkWork((isBusy) => {
    for (const one of element.querySelectorAll('button')) one.disabled = isBusy
    if (!isBusy) show()
  })
  const none = button(icon('close'), () => letGo([]), { class: 'plain small', 'aria-label': t('bulk.none') })
  const parts = [work.count, none, more, work.progress, actions]
  const element = h('div', { class: 'bulk', role: 'group', 'aria-label': t('bulk.label'), hidden: true }, parts)

  /** Shows how many are chosen. */
  function show(): void {
    element.hidden = selection.size === 0 && !work.isBusy()
    if (!work.isBusy()) fill(work.count, t('bulk.count', { count: selection.size }))
  }

  /** Leaves only these chosen. */
  function letGo(kept: readonly string[], hadFocus = hasFocus(element)): void {
    selection.set(kept)
    if (hadFocus) focusRows()
  }

  return { element, none, show, letGo, run: work.run, holding }
}

/** Asks before the window is closed while something waits. */
async function holding<T>(wait: Promise<T>): Promise<T> {
  const leaving = new AbortController()
  addEventListener('beforeunload', hold, { signal: leaving.signal })
  try {
    return await wait
  } finally {
    leaving.abort()
  }
}

/** Runs one work after the other, with its progress: what was changed last may be undone while more is changed. */
function bulkWork(onBusy: (isBusy: boolean) => void) {
  const count = h('span', { class: 'bulk-count', role: 'status' })
  const progress = h('progress', { hidden: true, 'aria-label': t('bulk.progress') })
  let isBusy = false
  let last: Promise<unknown> = Promise.resolve()

  function setBusy(busy: boolean): void {
    isBusy = busy
    progress.hidden = !busy
    // A window that is closed now would leave the work half done.
    if (busy) addEventListener('beforeunload', hold)
    else removeEventListener('beforeunload', hold)
    onBusy(busy)
  }

  async function begin<T>(total: number, work: Work<T>): Promise<T> {
    setBusy(true)
    progress.max = total
    progress.value = 0
    try {
      return await work((done) => {
        progress.value = done
        fill(count, t('bulk.done', { done, total }))
      })
    } finally {
      setBusy(false)
    }
  }

  return {
    count,
    progress,
    isBusy: () => isBusy,
    run<T>(total: number, work: Work<T>): Promise<T> {
      const mine = last.then(() => begin(total, work))
      last = mine.catch(() => {})
      return mine
    },
  }
}

function hold(event: Event): void {
  event.preventDefault()
}

/** A button of the bar. */
export function bulkAction(label: string, iconName: IconName, click: () => void): HTMLElement {
  return button([icon(iconName), h('span', {}, label)], click, { class: 'plain small', title: label })
}
