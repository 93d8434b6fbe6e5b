/**
 * The lengths of lists, checked before anything in them is looked at: what a body costs afterwards is bounded by the
 * lengths that its model declares.
 */
import type { Json, JsonObject } from '../../base/json.ts'
import { isObject } from '../../base/json.ts'
import { nestingFields, type Field, type Model, type Shape } from '../../models/schema.ts'
import { problemAt, throwProblem, type Report } from './problems.ts'

/** Reports each list of a body that is longer than declared: without `report` it throws invalidInput at the first. */
export function checkListLengths(model: Model, body: JsonObject, report: Report = throwProblem): void {
  checkShape(model.fields, body, '', report)
}

function checkShape(shape: Shape, value: JsonObject, path: string, report: Report): void {
  for (const [name, field] of nestingFields(shape)) {
    if (!Object.hasOwn(value, name)) continue
    checkField(field, value[name], path === '' ? name : `${path}.${name}`, report)
  }
}

function checkField(field: Field, value: Json | undefined, path: string, report: Report): void {
  switch (field.kind) {
    case 'list':
      if (!Array.isArray(value)) return
      if (field.max !== undefined && value.length > field.max) {
        const message = `expected at most ${field.max} entries, found ${value.length}`
        report(problemAt(path, 'tooMany', message, { max: String(field.max) }))
      } else value.forEach((item: Json, i) => checkField(field.of, item, `${path}[${i}]`, report))
      return
    case 'record':
      if (isObject(value)) checkShape(field.fields, value, path, report)
      return
    case 'embedded':
      if (isObject(value)) checkShape(field.model.fields, value, path, report)
      return
    default:
      return
  }
}
