/**
 * The columns of a list: what each shows, in which tabs it stands without being asked for, and how it sorts. A column is a member
 * of the model, with what DECLARED says of it. It has no element: list-cells.ts draws it.
 */
import type { Json } from '../../../client/client.ts'
import type { Field, Model } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'
import { sortPath } from '../../kit/table/table-column.ts'
import { isChoice, isLink } from './filter-fields.ts'

/** The tab of drafts with a time: no status of their own. */
export const SCHEDULED = 'scheduled'
/** Columns besides the name, where the model has none of the kinds that stand in a list. */
const SHORT_COLUMNS = 2

interface Declared {
  /** The members that its cell is computed from, as far as the model has them; absent where it shows the member of its name. */
  readonly computedFrom?: readonly string[]
  /** The tabs where it stands before the reader chooses columns: all, or those that alone have it. */
  readonly tabs?: 'all' | readonly string[]
  /** Sorts by the first index of two members that begins with it: its values are few. */
  readonly isIndexed?: true
  /** What it sorts by in these tabs, whose rows are in this order before the reader chooses another. */
  readonly tabSorts?: Readonly<Record<string, string>>
  /** Whether its texts need the room of three. */
  readonly isWide?: true
}

/** By the names of members. What no column says here follows from the kind of its field. */
const DECLARED: Readonly<Record<string, Declared>> = {
  // In Scheduled it is the time of publishing.
  status: { computedFrom: ['status', 'publishAt', 'handedInAt'], tabs: 'all', isIndexed: true, tabSorts: { [SCHEDULED]: 'publishAt' } },
  updatedAt: { tabs: 'all' },
  // A later change does not move the day of publishing.
  publishedAt: { tabs: ['active'], tabSorts: { active: 'publishedAt:desc' } },
  description: { isWide: true },
}

export interface ListColumn extends Pick<Declared, 'isWide' | 'computedFrom'> {
  /** In the URL, and of its label in the texts. */
  readonly name: string
  readonly field: Field
  readonly kind: 'name' | 'computed' | 'date' | 'value'
  readonly value: (document: Members) => Json | undefined
  readonly tabs: 'all' | readonly string[]
  /** How it sorts at first, such as `updatedAt:desc`; undefined where that would be slow. */
  readonly sort: string | undefined
  readonly tabSorts: Readonly<Record<string, string>>
  /** Whether it stands in the second line where a row is a card, and goes last where there is no room. */
  readonly isDetail: boolean
  /** Whether it is a word or two by which nothing is sorted: it stands below the name, however much room there is. */
  readonly isBrief: boolean
}

/** Fields that fit into a cell, the one that names a document first. */
export function columnsOf(model: Model): readonly ListColumn[] {
  const sortable = sortableFields(model)
  const fields = Object.entries(model.fields)
    .map(([name, field]) => ({ name, field: field.kind === 'nullable' || field.kind === 'optional' ? field.of : field }))
    .filter(({ field }) => !['constant', 'list', 'map', 'record', 'nullable'].includes(field.kind))
  const main = nameField(model)
  const hasShort = fields.some(isShort)
  const texts = fields.filter(({ name, field }) => name !== main && field.kind === 'text' && !isLink(field)).slice(0, SHORT_COLUMNS)
  const isUsual = (one: NamedField): boolean => one.name === main || (hasShort ? isShort(one) : texts.includes(one))
  const columns = fields.map((one): ListColumn => {
    const { name, field } = one
    const { computedFrom, tabs = isUsual(one) ? 'all' : [], tabSorts = {}, isWide } = DECLARED[name] ?? {}
    const kind = name === main ? 'name' : computedFrom !== undefined ? 'computed' : isDate(field) ? 'date' : 'value'
    const sorts = Object.entries(tabSorts).filter(([, sort]) => sortable.has(sortPath(sort)) || model.sparse?.includes(sortPath(sort)))
    return {
      name,
      field,
      kind,
      value: computedFrom === undefined ? (document) => document[name] : (document) => picked(document, computedFrom),
      tabs,
      sort: sortable.get(name),
      tabSorts: Object.fromEntries(sorts),
      isDetail: kind === 'computed' || kind === 'date',
      isBrief: isShort(one) && !sortable.has(name),
      ...(computedFrom && { computedFrom }),
      ...(isWide && { isWide }),
    }
  })
  return [...columns.filter(({ kind }) => kind === 'name'), ...columns.filter(({ kind }) => kind !== 'name')]
}

interface NamedField {
  readonly name: string
  readonly field: Field
}

/** Choices and embedded documents, whose names are short. */
function isShort({ name, field }: NamedField): boolean {
  return DECLARED[name] === undefined && (field.kind === 'embedded' || isChoice(field))
}

/** What a document is called by. */
function nameField(model: Model): string {
  return ['title', 'name', 'email'].find((name) => name in model.fields) ?? 'id'
}

function picked(document: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.flatMap((name) => (document[name] === undefined ? [] : [[name, document[name]]])))
}

function isDate(field: Field): boolean {
  return field.kind === 'date' || (field.kind === 'generated' && field.as === 'date')
}

/**
 * Sorts in the order of a whole index, in the direction that is wanted first, by their paths. Any other sort would read
 * all documents, however few are shown.
 */
export function sortableFields(model: Model): ReadonlyMap<string, string> {
  const whole = ordersOf(model).flatMap(([first = '', ...others]): [string, string][] => (others.length === 0 ? [[sortPath(first), first]] : []))
  const unique: [string, string][] = model.unique === undefined ? [] : [[model.unique, model.unique]]
  return new Map([...whole, ...unique, ...[...indexedSorts(model).keys()].map((path) => [sortPath(path), sortPath(path)] as const)])
}

/** Sorts of columns that are indexed with another, as queries name them: in the order of that index, in either direction. */
export function indexedSorts(model: Model): ReadonlyMap<string, string> {
  const indexed = Object.keys(DECLARED).filter((name) => DECLARED[name]?.isIndexed)
  return new Map(
    indexed.flatMap((name) => {
      const seconds = ordersOf(model).flatMap(([first, second, ...others]) => (first === name && second !== undefined && others.length === 0 ? [second] : []))
      const second = seconds.find((path) => path === 'updatedAt:desc') ?? seconds[0]
      if (second === undefined) return []
      const turned = sortPath(second) === second ? `${second}:desc` : sortPath(second)
      return [[name, `${name},${second}`] as const, [`${name}:desc`, `${name}:desc,${turned}`] as const]
    }),
  )
}

function ordersOf({ indexes }: Model): readonly (readonly string[])[] {
  return indexes.map((index) => index.filter((path) => !path.startsWith('+')))
}

/** By a name that is unique, or else in the order that the model declares first. */
export function defaultSort(model: Model): string | undefined {
  const sortable = sortableFields(model)
  const name = nameField(model)
  return model.unique === name ? sortable.get(name) : [...sortable.values()][0]
}

const BELOW_ORDER: readonly ListColumn['kind'][] = ['computed', 'date', 'value']
/** In rem: of the name, which has one line; of a column with its gap; and of what stands before and behind all of them. */
const [NAME_ROOM, DETAIL_ROOM, OTHER_ROOM, AROUND] = [30, 9.5, 7, 4]

/**
 * Where columns stand in a table of this width. What is brief stands below the name, and so does what has no room: the status first,
 * then dates. Details get the room before the others.
 */
export function placedColumns(columns: readonly ListColumn[], rem: number): readonly PlacedColumn[] {
  const [, ...others] = columns
  let room = rem - AROUND - NAME_ROOM
  const long = others.filter(({ isBrief }) => !isBrief).sort((a, b) => Number(b.isDetail) - Number(a.isDetail))
  const fitting = new Set(long.filter(({ isDetail }) => (room -= isDetail ? DETAIL_ROOM : OTHER_ROOM) >= 0))
  const below = others.filter((one) => !fitting.has(one)).sort((a, b) => BELOW_ORDER.indexOf(a.kind) - BELOW_ORDER.indexOf(b.kind))
  return [...columns.filter((one) => !below.includes(one)), ...below].map((one) => ({ ...one, isBelow: below.includes(one) }))
}

export interface PlacedColumn extends ListColumn {
  /** Whether it stands in the line below the name. */
  readonly isBelow: boolean
}

/** For cards, which do not say what a date is: of all dates only that of the first sort by a date, in any case. */
export function cardColumns(shown: readonly ListColumn[], all: readonly ListColumn[], sorts: readonly (string | undefined)[]): readonly ListColumn[] {
  const date = sorts.flatMap((sort) => all.find(({ kind, name }) => kind === 'date' && name === sortPath(sort)) ?? [])[0]
  if (date === undefined) return shown
  const cards = shown.filter((one) => one.kind !== 'date' || one === date)
  return cards.includes(date) ? cards : [...cards, date]
}
