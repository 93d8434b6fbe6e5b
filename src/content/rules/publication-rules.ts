/** What a publication must fulfil beyond its types: a filter of headlines that can be read, and a bounded number of them. */
import { describe, Failure } from '../../base/failure.ts'
import type { JsonObject } from '../../base/json.ts'
import { headline } from '../../models/headline.ts'
import { PUBLICATION_SIZE } from '../../models/publication-model.ts'
import { dateFields } from '../../models/schema.ts'
import type { Filter } from '../../query/ast.ts'
import { parseFilter, parseFilterText } from '../../query/parse.ts'
import { problemAt, throwProblem, type Report } from './problems.ts'

const DATES = dateFields(headline.fields)

/** Parses the filter of a publication, as JSON text. Throws badRequest. */
export function parsePublicationFilter(text: string): Filter {
  return parseFilter(parseFilterText(text), { dateFields: DATES })
}

/** Reports what is wrong with a publication; without `report`, throws it. Wrong types were reported before. */
export function checkPublication(document: JsonObject, report: Report = throwProblem): void {
  const { filter, pageSize } = document
  const { min, max } = PUBLICATION_SIZE
  if (!(Number(pageSize) >= min && Number(pageSize) <= max)) {
    report(problemAt('pageSize', 'notWholeNumber', `expected a whole number from ${min} to ${max}, found ${describe(pageSize)}`))
  }
  if (typeof filter !== 'string') return
  try {
    parsePublicationFilter(filter)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    report(problemAt('filter', 'notFilter', error.message))
  }
}
