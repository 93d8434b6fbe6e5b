/** Which dotted paths of a model lead to one text in every stored document. Only those can stand in SQL. */
import type { Field, Model, Shape } from './schema.ts'

/** Whether validation makes sure that the path holds a text, and nothing else, in each document. */
export function isTextPath(model: Model, path: readonly string[]): boolean {
  return leadsToText(model.fields, path)
}

function leadsToText(shape: Shape, path: readonly string[]): boolean {
  const [name, ...rest] = path
  const field = name !== undefined && Object.hasOwn(shape, name) ? shape[name] : undefined
  return field !== undefined && isText(field, rest)
}

function isText(field: Field, rest: readonly string[]): boolean {
  switch (field.kind) {
    case 'text':
    case 'choice':
    case 'constant':
    case 'date':
    case 'generated':
      return rest.length === 0
    case 'record':
      return leadsToText(field.fields, rest)
    case 'embedded':
      return leadsToText(field.model.fields, rest)
    default:
      return false
  }
}
