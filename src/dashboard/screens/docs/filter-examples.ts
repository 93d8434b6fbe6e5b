/** Filters to click, for a model: what its fields allow, and the operators with examples that fit it. */
import type { ApiDocument } from './api-document.ts'
import { fitsModel, type DescribedModel } from './described-models.ts'
import { memberOf, membersOf, textsOf } from './loose-json.ts'

export interface FilterExample {
  readonly label: string
  readonly about: string
  readonly filter: string
  readonly sort: string
}

export function filterExamples(api: ApiDocument, model: DescribedModel): readonly FilterExample[] {
  const properties = membersOf(memberOf(api.schemas.get(model.schema), 'properties'))
  const statuses = textsOf(memberOf(properties['status'], 'enum'))
  const newest = Object.hasOwn(properties, 'updatedAt') ? 'updatedAt:desc' : ''
  const of = (label: string, about: string, filter: object): FilterExample => ({
    label,
    about,
    filter: JSON.stringify(filter, null, 2),
    sort: newest,
  })
  return [
    { label: 'Everything', about: 'All documents', filter: '', sort: newest },
    ...statuses.map((status) => of(status, `Documents whose status is ${status}`, { status })),
    ...api.operators
      .filter(({ example }) => fitsModel(example, model, api.schemas))
      .map(({ name, about, example }) => of(name, about, example)),
  ]
}
