/** What the description of the API tells of each model beside its schemas: who may do what, and what is fast. */
import { listOf, memberOf, membersOf, textOf, textsOf, type Members } from './loose-json.ts'

export interface DescribedModel {
  readonly name: string
  readonly about: string
  /** Names of schemas; empty where there is none. */
  readonly schema: string
  readonly createBody: string
  readonly replaceBody: string
  readonly access: readonly { readonly operation: string; readonly who: string; readonly isOffered: boolean }[]
  /** Paths that `q` looks at. */
  readonly search: readonly string[]
  /** Sorts, and conditions on leading paths, that an index answers. */
  readonly indexes: readonly (readonly string[])[]
  readonly canList: boolean
}

export function describedModel(given: unknown): DescribedModel {
  const text = (name: string): string => textOf(memberOf(given, name))
  const access = Object.entries(membersOf(memberOf(given, 'access'))).map(([operation, one]) => ({
    operation,
    who: textOf(memberOf(one, 'who')),
    isOffered: memberOf(one, 'grant') !== 'unsupported',
  }))
  return {
    name: text('name'),
    about: text('about'),
    schema: text('schema'),
    createBody: text('createBody'),
    replaceBody: text('replaceBody'),
    access,
    search: textsOf(memberOf(given, 'search')),
    indexes: listOf(memberOf(given, 'indexes')).map((index) => textsOf(memberOf(index, 'fields'))),
    canList: access.some(({ operation, isOffered }) => operation === 'list' && isOffered),
  }
}

/** The first model that can be listed and fits a filter; the first of all where none fits. */
export function modelForFilter(filter: Members, { models, schemas }: Described): string {
  const fits = models.find((model) => model.canList && fitsModel(filter, model, schemas))
  return (fits ?? models[0])?.name ?? ''
}

/** Whether the documents of a model have all the members that a filter names. */
export function fitsModel(
  filter: Members,
  { schema, name, search }: DescribedModel,
  schemas: Described['schemas'],
): boolean {
  const properties = membersOf(memberOf(schemas.get(schema), 'properties'))
  return fieldsOf(filter).every((field) => {
    if (field === 'q') return search.length > 0
    // The only model that knows this key.
    return field === 'usage' ? name === 'country' : Object.hasOwn(properties, field)
  })
}

export interface Described {
  readonly models: readonly DescribedModel[]
  readonly schemas: ReadonlyMap<string, Members>
}

/** First parts of the paths in a filter, also of those inside of `$and` and the like. */
function fieldsOf(filter: Members): readonly string[] {
  return Object.entries(filter).flatMap(([key, value]) => {
    if (key.startsWith('$')) return listOf(value).flatMap((one) => fieldsOf(membersOf(one)))
    return [key.split('.')[0] ?? key]
  })
}
