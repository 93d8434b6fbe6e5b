/**
 * The state of a list, in its URL and as a query.
 *
 * A URL may come from a stranger: what it names that the model does not have is passed over, and so is what is
 * too much of it.
 */
import type { CountsQuery, Filter, ListQuery } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import type { User } from '../../../models/user.ts'
import { sortPath } from '../../kit/table/table-column.ts'
import { isRange, rangeFilter } from './date-range.ts'
import { filterFields, flagFields, notFields, personFilter } from './filter-fields.ts'
import { columnsOf, defaultSort, indexedSorts, SCHEDULED, sortableFields, type ListColumn } from './list-columns.ts'

const SEARCH_CHARS_MAX = 200
/** Values of one filter. */
const VALUES_MAX = 20
const VALUE_CHARS_MAX = 100
/** More columns have no room. */
export const COLUMNS_MAX = 8

export interface ListState {
  readonly search: string
  /** As the reader has chosen it, in whatever tab; undefined for that of each tab. */
  readonly sort: string | undefined
  /** Values by the keys of the filters; none is empty. */
  readonly filters: ReadonlyMap<string, readonly string[]>
  /** As the reader has chosen them, for all tabs; undefined for the usual ones. */
  readonly columns: readonly string[] | undefined
  /** Only drafts that are to be published at a time. */
  readonly isScheduled: boolean
}

/** What the state of a list can be, by the declaration of its model. */
export function rulesOf(model: Model, reader?: User) {
  const fields = filterFields(model)
  const columns = columnsOf(model)
  return {
    filters: [...fields, ...(reader === undefined ? [] : [personFilter(reader)]), ...flagFields(model), ...notFields(fields)],
    sortable: sortableFields(model),
    sort: defaultSort(model),
    /** Whether documents can be published at a time. */
    isScheduling: 'publishAt' in model.fields,
    /** Sorts by a member, and then in an order that an index has. */
    wholeSorts: indexedSorts(model),
    /** All that there are; the first is always shown. */
    columns,
    defaultColumns: columns.filter(({ tabs }) => tabs === 'all').map(({ name }) => name),
  }
}

export type ListRules = ReturnType<typeof rulesOf>

/** `stored` are the columns that the reader chose before, for URLs that name none. */
export function readState(query: URLSearchParams, rules: ListRules, stored?: string): ListState {
  const filters = new Map<string, readonly string[]>()
  for (const { key, values, model, isDate, isPerson } of rules.filters) {
    const given = new Set(query.getAll(key))
    const isKnown = isDate === true ? isRange : model === undefined && isPerson !== true ? (value: string) => values.includes(value) : isId
    const known = [...given].filter(isKnown)
    if (known.length > 0) filters.set(key, known.slice(0, isDate === true ? 1 : VALUES_MAX))
  }
  const state = {
    search: (query.get('q') ?? '').slice(0, SEARCH_CHARS_MAX),
    sort: undefined,
    filters,
    columns: readColumns(query.get('columns') ?? stored, rules),
    isScheduled: rules.isScheduling && query.get('scheduled') === 'true',
  }
  return { ...state, sort: chosenSort(query.get('sort') ?? undefined, state, rules) }
}

/** The tab that shows what the list shows: a status, `scheduled`, or empty for all; that of no tab where several are chosen. */
export function tabOf({ filters, isScheduled }: Pick<ListState, 'filters' | 'isScheduled'>): string {
  return isScheduled ? SCHEDULED : (filters.get('status') ?? []).join()
}

/** The order before the reader chooses another. */
export function usualSort(state: Pick<ListState, 'filters' | 'isScheduled'>, rules: ListRules): string | undefined {
  const tab = tabOf(state)
  return rules.columns.flatMap(({ tabSorts }) => tabSorts[tab] ?? [])[0] ?? rules.sort
}

/** What is chosen with a sort; undefined where the tab has it anyway, or cannot have it. */
export function chosenSort(sort: string | undefined, state: Pick<ListState, 'filters' | 'isScheduled'>, rules: ListRules): string | undefined {
  const usual = usualSort(state, rules)
  return sort !== usual && (rules.sortable.has(sortPath(sort)) || sortPath(sort) === sortPath(usual)) ? sort : undefined
}

/** The order of the list. A choice of another tab that this one cannot have waits for that tab. */
export function sortOf(state: ListState, rules: ListRules): string | undefined {
  return chosenSort(state.sort, state, rules) ?? usualSort(state, rules)
}

/** How a column sorts in the tab that is shown. One whose rows all have the same value sorts nothing. */
export function columnSort({ name, sort, tabSorts }: ListColumn, state: Pick<ListState, 'filters' | 'isScheduled'>): string | undefined {
  return tabSorts[tabOf(state)] ?? (state.filters.get(name)?.length === 1 ? undefined : sort)
}

/** The columns of the list: those for all tabs, and those of this one unless the reader has hidden them. */
export function columnsShown(state: ListState, rules: ListRules): readonly ListColumn[] {
  const chosen = columnChoice(state, rules)
  const own = tabColumns(state, rules)
  return rules.columns.filter(({ name }) => chosen.includes(name) || (own.includes(name) && !chosen.includes(hidden(name))))
}

/** The columns for all tabs. */
export function columnChoice({ columns }: Pick<ListState, 'columns'>, rules: ListRules): readonly string[] {
  return columns ?? rules.defaultColumns
}

/**
 * The columns for all tabs, where the reader ticks these in one. A column of that tab, which is shown there unasked, becomes none of
 * them by staying ticked; where its tick is taken away, it is hidden in the tab.
 */
export function columnsTicked(ticked: readonly string[], state: ListState, rules: ListRules): readonly string[] {
  const before = columnChoice(state, rules)
  const own = tabColumns(state, rules)
  const kept = ticked.filter((name) => !own.includes(name) || before.includes(name))
  const isHidden = (name: string): boolean => !ticked.includes(name) && (own.includes(name) || before.includes(hidden(name)))
  return [...kept, ...rules.columns.flatMap(({ name }) => (isHidden(name) ? [hidden(name)] : []))]
}

/** The columns that stand in this tab unasked, and in all others only where they are chosen. */
function tabColumns(state: Pick<ListState, 'filters' | 'isScheduled'>, rules: ListRules): readonly string[] {
  return rules.columns.flatMap(({ name, tabs }) => (tabs !== 'all' && tabs.includes(tabOf(state)) ? [name] : []))
}

/** Stands among the columns for one of a tab where the reader has hidden it. */
function hidden(name: string): string {
  return `-${name}`
}

/** Differences from the default list. */
export function writeState(state: ListState, rules: ListRules): URLSearchParams {
  const query = new URLSearchParams()
  if (state.search !== '') query.set('q', state.search)
  for (const [key, values] of state.filters) for (const value of values) query.append(key, value)
  if (state.isScheduled) query.set('scheduled', 'true')
  const sort = chosenSort(state.sort, state, rules)
  if (sort !== undefined) query.set('sort', sort)
  const columns = columnChoice(state, rules).join()
  if (columns !== rules.defaultColumns.join()) query.set('columns', columns)
  return query
}

export function listQuery(state: ListState, rules: ListRules): CountsQuery & Pick<ListQuery, 'sort'> {
  const filter: Record<string, Filter[string]> = {}
  // White space around what is looked for is typed by accident.
  const search = state.search.trim()
  let changedBy: string | undefined
  for (const { key, path, isDate, isPerson, isNot, asked } of rules.filters) {
    const [only, ...others] = state.filters.get(key) ?? []
    if (only === undefined) continue
    if (isPerson === true) changedBy = [only, ...others].join()
    else if (isDate === true) filter[path] = rangeFilter(only)
    else if (asked !== undefined) filter[path] = asked
    else if (isNot === true) filter[path] = { ...chosenOf(filter[path]), $nin: [only, ...others] }
    else filter[path] = others.length === 0 ? only : { $in: [only, ...others] }
  }
  if (state.isScheduled) Object.assign(filter, IS_SCHEDULED)
  const wanted = sortOf(state, rules)
  const sort = rules.wholeSorts.get(wanted ?? '') ?? wanted
  return {
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(search !== '' && { search }),
    ...(changedBy !== undefined && { changedBy }),
    sort,
  }
}

/** What is asked of a path already, as operators. */
function chosenOf(asked: Filter[string] | undefined): object {
  return typeof asked === 'string' ? { $in: [asked] } : { ...(asked as object | undefined) }
}

/** A scheduled document is a draft with a time, which is a text. */
const IS_SCHEDULED: Filter = { status: 'draft', publishAt: { $gt: '' } }

/** The filters of a state with a value added, or taken away where it was there. */
export function toggled(given: ListState['filters'], key: string, value: string): ListState['filters'] {
  const values = given.get(key) ?? []
  return withValues(given, key, values.includes(value) ? values.filter((one) => one !== value) : [...values, value].slice(-VALUES_MAX))
}

/** The filters of a state with these values of one. */
export function withValues(given: ListState['filters'], key: string, values: readonly string[]): ListState['filters'] {
  const filters = new Map(given)
  if (values.length === 0) filters.delete(key)
  else filters.set(key, values)
  return filters
}

export function isNarrowed({ search, filters, isScheduled }: ListState): boolean {
  return search.trim() !== '' || filters.size > 0 || isScheduled
}

/** In the order of the declaration, the first always among them. */
function readColumns(text: string | undefined, rules: ListRules): readonly string[] | undefined {
  if (text === undefined) return undefined
  const wanted = new Set(text.split(','))
  const [main = '', ...others] = rules.columns.map(({ name }) => name)
  const known = others.filter((name) => wanted.has(name)).slice(0, COLUMNS_MAX - 1)
  const marks = rules.columns.flatMap(({ name, tabs }) => (tabs !== 'all' && tabs.length > 0 ? [hidden(name)] : []))
  return known.length === 0 && !wanted.has(main) ? undefined : [main, ...known, ...marks.filter((mark) => wanted.has(mark))]
}

function isId(value: string): boolean {
  return value !== '' && value.length <= VALUE_CHARS_MAX
}
