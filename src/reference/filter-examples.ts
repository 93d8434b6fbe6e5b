/** Filters to click in the playground, each with the models that it fits. */
import { canList, type DescribedApi, type DescribedModel } from './described-api.ts'

export interface FilterExample {
  readonly label: string
  readonly about: string
  readonly filter: string
  readonly sort: string
  readonly models: readonly string[]
}

/** One for each status and each operator. */
export function filterExamples(api: DescribedApi): readonly FilterExample[] {
  const examples = [
    { label: 'Everything', about: 'All documents', example: {} },
    ...[...new Set(api.models.flatMap((model) => statusesOf(model, api)))].map((status) => ({
      label: status,
      about: `Documents whose status is ${status}`,
      example: { status },
    })),
    ...api.operators.map(({ name, about, example }) => ({ label: name, about, example })),
  ]
  return examples.flatMap(({ label, about, example }) => {
    const filter = Object.keys(example).length === 0 ? '' : JSON.stringify(example, null, 2)
    const fitting = api.models.filter((model) => canList(model) && fitsModel(example, model, api))
    const bySort = Map.groupBy(fitting, (model) => ('updatedAt' in fieldsOf(model, api) ? 'updatedAt:desc' : ''))
    return [...bySort].map(([sort, of]) => ({ label, about, filter, sort, models: of.map(({ name }) => name) }))
  })
}

/** The first model that can be listed and fits a filter; the first of all where none fits. */
export function modelFor(filter: object, api: DescribedApi): string {
  const fitting = api.models.find((model) => canList(model) && fitsModel(filter, model, api))
  return (fitting ?? api.models[0])?.name ?? ''
}

/** Whether the documents of a model have all the members that a filter names. */
export function fitsModel(filter: object, model: DescribedModel, api: DescribedApi): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (key.startsWith('$')) return [value].flat().every((one: object) => fitsModel(one, model, api))
    if (key === 'q') return model.search.length > 0
    // Only countries have this key.
    if (key === 'usage') return model.name === 'country'
    return Object.hasOwn(fieldsOf(model, api), key.split('.')[0] ?? key)
  })
}

function fieldsOf({ schema }: DescribedModel, { schemas }: DescribedApi): object {
  return schemas.get(schema)?.properties ?? {}
}

function statusesOf(model: DescribedModel, api: DescribedApi): readonly string[] {
  const { status } = fieldsOf(model, api) as { readonly status?: { readonly enum?: readonly string[] } }
  return status?.enum ?? []
}
