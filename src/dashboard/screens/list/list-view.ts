/** What one list shows, for all that stands around its table: kept in the URL, and the columns also in the browser. */
import type { Model } from '../../../models/schema.ts'
import { storeChoice, storedChoice } from '../../browser-storage.ts'
import { hrefTo, replaceQuery, stepToQuery } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import type { FilterField } from './filter-fields.ts'
import type { ListColumn } from './list-columns.ts'
import {
  chosenSort,
  columnChoice,
  columnSort,
  columnsShown,
  columnsTicked,
  isNarrowed,
  listQuery,
  readState,
  rulesOf,
  sortOf,
  toggled,
  usualSort,
  withValues,
  writeState,
  type ListState,
} from './list-state.ts'

export type ListView = ReturnType<typeof createListView>

/** `onQuery` runs when other documents are to be listed. */
export function createListView(model: Model, { client, user, screenUrl, signal }: ScreenContext, onQuery: () => void) {
  const rules = rulesOf(model, user)
  const choice = `columns.${model.name}`
  let state = readState(screenUrl.query, rules, storedChoice(choice))
  change({})

  /** As a step, Back leads to what was shown before. */
  function change(changed: Partial<ListState>, isStep = false): void {
    const before = query()
    state = { ...state, ...changed }
    // Back to the order of the tab is no choice, which other tabs would have to follow.
    if ('sort' in changed) state = { ...state, sort: chosenSort(changed.sort, state, rules) }
    if (isStep) stepToQuery(writeState(state, rules))
    else replaceQuery(writeState(state, rules))
    if (JSON.stringify(query()) !== JSON.stringify(before)) onQuery()
  }

  function query(): ReturnType<typeof listQuery> {
    return listQuery(state, rules)
  }

  return {
    client,
    user,
    signal,
    fields: rules.filters,
    state: () => state,
    query,
    change,
    sort: () => sortOf(state, rules),
    usualSort: () => usualSort(state, rules),
    rules,
    columns: () => columnsShown(state, rules),
    columnSort: (column: ListColumn) => columnSort(column, state),
    columnChoice: () => columnChoice(state, rules),
    isScheduling: rules.isScheduling,
    /** The query of the list with some of its state changed. */
    queryWith: (changed: Partial<ListState>) => listQuery({ ...state, ...changed }, rules),
    isNarrowed: () => isNarrowed(state),
    valuesOf: ({ key }: FilterField): readonly string[] => state.filters.get(key) ?? [],
    toggle: ({ key }: FilterField, value: string) => change({ filters: toggled(state.filters, key, value) }),
    /** Filters by this value alone. */
    choose: ({ key }: FilterField, value: string) => change({ filters: withValues(state.filters, key, [value]) }),
    clearFilters: () => change({ filters: new Map() }),
    /** Shows these in the tab, and in the others what they mean there. */
    tickColumns(ticked: readonly string[]): void {
      const columns = columnsTicked(ticked, state, rules)
      const text = columns.join()
      const isUsual = text === rules.defaultColumns.join()
      storeChoice(choice, isUsual ? undefined : text)
      change({ columns: isUsual ? undefined : columns })
    },
    /** The URL of the list with some of its state changed. */
    hrefWith: (changed: Partial<ListState>): string => hrefTo(screenUrl.segments, writeState({ ...state, ...changed }, rules)),
    /** Whether a query of a URL shows what the list shows now. */
    isAt: (query: URLSearchParams) => writeState(readState(query, rules), rules).toString() === writeState(state, rules).toString(),
    /** The query of its URL, whatever columns are shown. */
    key: () => writeState({ ...state, columns: undefined }, rules).toString(),
  }
}
