/** The field above a table that narrows it while the reader types. */
import { debounce } from '../../timing.ts'
import { searchInput } from '../elements.ts'

const SEARCH_PAUSE_MS = 150

export interface ListSearchOptions {
  readonly label: string
  /** What stands there before anything is typed; the label without it. */
  readonly hint?: string
  readonly value: string
  /** Runs once typing has paused. */
  readonly onSearch: (text: string) => void
  readonly signal: AbortSignal
}

export function listSearch({ label, hint = label, value, onSearch, signal }: ListSearchOptions): HTMLInputElement {
  const soon = debounce(SEARCH_PAUSE_MS, () => onSearch(input.value))
  signal.addEventListener('abort', soon.cancel)
  const input = searchInput({ class: 'list-search', 'aria-label': label, placeholder: hint, value, on: { input: soon } })
  return input
}
