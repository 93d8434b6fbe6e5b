/** What the plan of a query means, for readers who write filters and do not know the planner. */
import type { QueryPlan } from '../../../models/responses.ts'

export type Rating = 'good' | 'warn' | 'plain'

export interface PlanLine {
  readonly name: string
  readonly value: string
  readonly about: string
  readonly rating: Rating
}

/** An index would pay for more rows than this for each that is returned. */
const READS_PER_ROW_MANY = 20
/** Fewer rows are read in no time. */
const READS_FEW = 500

type Meaning = readonly [value: string, about: string, rating: Rating]

const ORDERS: Readonly<Record<QueryPlan['order'], Meaning>> = {
  total: ['as asked', 'Rows come in the order of the page; nothing is sorted', 'good'],
  partial: ['partly', 'Rows come in the order of the first keys; the rest is sorted', 'plain'],
  none: ['sorted', 'All rows that match are sorted for the page', 'plain'],
}

export function planLines(plan: QueryPlan): readonly PlanLine[] {
  const meanings: readonly (readonly [name: string, meaning: Meaning])[] = [
    ['Access', accessMeaning(plan)],
    [
      'Conditions',
      plan.exact
        ? ['decided by SQL', 'Each row that is found is in the result', 'good']
        : ['SQL, then the filter', 'SQL finds more than is wanted; the filter is applied to each row', 'plain'],
    ],
    ['Order', ORDERS[plan.order]],
    ['Time', timeMeaning(plan)],
    ['Rows', rowsMeaning(plan)],
  ]
  return meanings.map(([name, [value, about, rating]]) => ({ name, value, about, rating }))
}

/** `headline/status,updatedAt:desc,+title` is an index on `status, updatedAt:desc`, which also holds `title`. */
export function indexFields(index: string): string {
  const fields = index.slice(index.indexOf('/') + 1).split(',')
  return index.includes('/') ? fields.filter((field) => !field.startsWith('+')).join(', ') : index
}

function accessMeaning({ access, index, ranges }: QueryPlan): Meaning {
  const merged = ranges > 1 ? ` in ${ranges} ranges, merged` : ''
  const meanings: Readonly<Record<QueryPlan['access'], Meaning>> = {
    nothing: ['nothing to read', 'No document can match the filter', 'good'],
    index: [`index on ${indexFields(index ?? '')}`, `Reads the part of the index that can match${merged}`, 'good'],
    search: [`text index ${index ?? ''}`, `Finds the text without reading every document${merged}`, 'good'],
    ids: ['ids', `Goes straight to the documents with these ids${merged}`, 'good'],
    table: ['whole table', 'No index helps: every document is read', 'warn'],
  }
  return meanings[access]
}

function timeMeaning({ runs, finished, milliseconds }: QueryPlan): Meaning {
  const ms = `${milliseconds} ms`
  if (!finished) return [`aborted after ${ms}`, 'A request like this would miss its deadline', 'warn']
  if (runs === 'inline') return [`${ms}, inline`, 'Answered immediately, beside other requests', 'good']
  return [`${ms}, in a thread`, 'May take long, so it runs in a thread of its own', 'plain']
}

function rowsMeaning({ rowsRead, rowsReturned, rowsExpected, hasMore }: QueryPlan): Meaning {
  const isWasteful = rowsRead > READS_FEW && rowsRead > READS_PER_ROW_MANY * Math.max(1, rowsReturned)
  const more = hasMore ? '; more follow on the next page' : ''
  const wasted = isWasteful ? '; most are read in vain' : ''
  const about = `Up to ${rowsExpected} were expected${more}${wasted}`
  return [`${rowsRead} read, ${rowsReturned} returned`, about, isWasteful ? 'warn' : 'good']
}
