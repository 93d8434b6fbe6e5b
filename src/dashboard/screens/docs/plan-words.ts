/** What the plan of a query means, in words of somebody who writes filters and does not know the planner. */
import type { QueryPlan } from '../../../models/replies.ts'

export type Judgement = 'good' | 'warn' | 'plain'

export interface PlanLine {
  readonly name: string
  readonly value: string
  readonly about: string
  readonly judgement: Judgement
}

/** More rows than this for each that is returned, and an index would pay. */
const READS_PER_ROW_MANY = 20
/** Fewer rows are read in no time, whatever for. */
const READS_FEW = 500

export function planLines(plan: QueryPlan): readonly PlanLine[] {
  return [accessLine(plan), exactLine(plan), orderLine(plan), runsLine(plan), rowsLine(plan)]
}

/** `headline/status,updatedAt:desc,+title` is an index on `status, updatedAt:desc`, which has `title` beside. */
export function indexWords(index: string): string {
  const fields = index.slice(index.indexOf('/') + 1).split(',')
  return index.includes('/') ? fields.filter((field) => !field.startsWith('+')).join(', ') : index
}

function accessLine({ access, index, ranges }: QueryPlan): PlanLine {
  const many = ranges > 1 ? ` in ${ranges} ranges, merged` : ''
  const line = (value: string, about: string, judgement: Judgement): PlanLine => ({
    name: 'Way to the rows',
    value,
    about,
    judgement,
  })
  switch (access) {
    case 'nothing':
      return line('nothing to read', 'No document can fulfil the filter', 'good')
    case 'index':
      return line(`index on ${indexWords(index ?? '')}`, `Reads the part of the index that can fit${many}`, 'good')
    case 'search':
      return line(`text index ${index ?? ''}`, `Finds the text without reading every document${many}`, 'good')
    case 'ids':
      return line('ids', `Goes straight to the documents with these ids${many}`, 'good')
    case 'table':
      return line('whole table', 'No index helps: every document is looked at', 'warn')
  }
}

function exactLine({ exact }: QueryPlan): PlanLine {
  return exact
    ? {
        name: 'Conditions',
        value: 'decided by SQL',
        about: 'Each row that is found is in the result',
        judgement: 'good',
      }
    : {
        name: 'Conditions',
        value: 'SQL, then the filter',
        about: 'SQL finds more than is wanted; the filter is applied to each row',
        judgement: 'plain',
      }
}

function orderLine({ order }: QueryPlan): PlanLine {
  const name = 'Order'
  switch (order) {
    case 'total':
      return {
        name,
        value: 'as asked',
        about: 'Rows come in the order of the page; nothing is sorted',
        judgement: 'good',
      }
    case 'partial':
      return {
        name,
        value: 'partly',
        about: 'Rows come in the order of the first keys; the rest is sorted',
        judgement: 'plain',
      }
    case 'none':
      return { name, value: 'sorted', about: 'All that is found is sorted for the page', judgement: 'plain' }
  }
}

function runsLine({ runs, finished, milliseconds }: QueryPlan): PlanLine {
  const ms = `${milliseconds} ms`
  if (!finished) {
    return {
      name: 'Time',
      value: `given up after ${ms}`,
      about: 'A request like this would fail with its deadline',
      judgement: 'warn',
    }
  }
  return runs === 'inline'
    ? { name: 'Time', value: `${ms}, inline`, about: 'Answered at once, beside other requests', judgement: 'good' }
    : {
        name: 'Time',
        value: `${ms}, in a thread`,
        about: 'May take long, so it runs in a thread of its own',
        judgement: 'plain',
      }
}

function rowsLine({ rowsRead, rowsReturned, rowsExpected, hasMore }: QueryPlan): PlanLine {
  const isWasteful = rowsRead > READS_FEW && rowsRead > READS_PER_ROW_MANY * Math.max(1, rowsReturned)
  return {
    name: 'Rows',
    value: `${rowsRead} read, ${rowsReturned} returned`,
    about: `Up to ${rowsExpected} were expected${hasMore ? '; more follow on the next page' : ''}${isWasteful ? '; many are read in vain' : ''}`,
    judgement: isWasteful ? 'warn' : 'good',
  }
}
