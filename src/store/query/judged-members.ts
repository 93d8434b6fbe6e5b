/**
 * The members of a document that a query looks at, for rows that are judged by their document.
 *
 * To hand over a document to JavaScript and parse it there takes several times as long as SQLite takes to find a member of
 * it. So such a row brings an object of those members alone: a filter and a sort see nothing else of a document. Values
 * come as the texts that are stored, so that a number of any length stays exact, and what is missing stays missing.
 */
import type { Filter } from '../../query/ast.ts'
import type { FindQuery } from './find-query.ts'

type Judging = Pick<FindQuery, 'filter' | 'sort'>

/** Where a query looks at more, the document as a whole is as fast. */
const MEMBERS_MAX = 8
/** Other names would need escapes in a path of SQLite. */
const PLAIN_NAME = /^[A-Za-z_]\w{0,63}$/
/** The first member of the object is the length of the document, which SQLite has read. No query looks at it. */
const LENGTH_FIRST = '{"":'

/**
 * SQL for the text that decides about a document:
 * `'{"":' || octet_length(doc) || ifnull(',"rank":' || (doc -> '$."rank"'), '') || '}'`, or `doc` where a query looks at
 * too many members, or at one of an unusual name.
 */
export function judgedText(query: Judging): string {
  const names = membersOf(query)
  if (names === undefined) return 'doc'
  const members = names.map((name) => ` || ifnull(',"${name}":' || (doc -> '$."${name}"'), '')`)
  return `'${LENGTH_FIRST}' || octet_length(doc)${members.join('')} || '}'`
}

/** Returns a function from such a text to the length of its document; 0 for a row without one. */
export function judgedLength(query: Judging): (text: unknown) => number {
  const isWhole = membersOf(query) === undefined
  return (text) => {
    if (typeof text !== 'string') return 0
    return isWhole ? text.length : Number.parseInt(text.slice(LENGTH_FIRST.length), 10)
  }
}

function membersOf({ filter, sort }: Judging): readonly string[] | undefined {
  const names = new Set(sort.map(({ path }) => path[0] ?? ''))
  gather(filter, names)
  const all = [...names]
  return all.length <= MEMBERS_MAX && all.every((name) => PLAIN_NAME.test(name)) ? all : undefined
}

function gather(filter: Filter, names: Set<string>): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      for (const one of filter.filters) gather(one, names)
      return
    case 'not':
      return gather(filter.filter, names)
    case 'words':
      for (const path of filter.paths) names.add(path[0] ?? '')
      return
    default:
      names.add(filter.path[0] ?? '')
  }
}
