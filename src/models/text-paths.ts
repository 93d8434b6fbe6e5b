/** Which paths of a model lead to one text in every stored document, which can stand in SQL, and which have words that searches look at. */
import type { Field, Model, Shape } from './schema.ts'

/** Whether validation makes sure that the dotted path holds a text, and nothing else, in each document. */
export function isTextPath(model: Model, path: string): boolean {
  let known = textPaths.get(model)
  if (known === undefined) textPaths.set(model, (known = textPathsOf(model.fields, '')))
  return known.has(path)
}

/** Whether the dotted path holds a text or is absent, in each document: SQL sees NULL where it is absent. */
export function isOptionalTextPath(model: Model, path: string): boolean {
  return Object.hasOwn(model.fields, path) && model.fields[path]?.kind === 'optional'
}

/** Of the declaration, which does not change: computed once. */
const textPaths = new WeakMap<Model, ReadonlySet<string>>()

function textPathsOf(shape: Shape, prefix: string): ReadonlySet<string> {
  return new Set(Object.entries(shape).flatMap(([name, field]) => [...pathsTo(field, prefix + name)]))
}

function pathsTo(field: Field, path: string): Iterable<string> {
  switch (field.kind) {
    case 'text':
    case 'choice':
    case 'constant':
    case 'date':
    case 'generated':
      return [path]
    case 'record':
      return textPathsOf(field.fields, `${path}.`)
    case 'embedded':
      return textPathsOf(field.model.fields, `${path}.`)
    default:
      return []
  }
}

/** The paths whose words searches look at; none where the model cannot be searched. */
export function searchedPaths(model: Model): readonly (readonly string[])[] {
  const known = pathsOf.get(model)
  if (known !== undefined) return known
  const paths = (model.words ?? []).map((path) => path.split('.'))
  pathsOf.set(model, paths)
  return paths
}

/** Of the declaration, which does not change: computed once. */
const pathsOf = new WeakMap<Model, readonly (readonly string[])[]>()
