/**
 * References by name: a row of a spreadsheet says which source or topic it is about by its name, which country or language
 * by its name or code. Such a copy, which has nothing else, becomes a reference by id.
 */
import { describe } from '../../base/failure.ts'
import { isObject, parseJson, type JsonObject } from '../../base/json.ts'
import { ProblemFailure } from '../../base/problem.ts'
import type { Model } from '../../models/schema.ts'
import { caseVariants } from '../../store/documents/distinct-codes.ts'
import type { LookUp } from '../../store/documents/text-look-up.ts'
import { problemAt } from '../rules/problems.ts'

/** Two would tell that a name is no key; of more, one may have the code that the row names as well. */
const NAMESAKES_MAX = 20

/** The row with references by id in place of those by name. Throws a problem for a name that no document has, or several. */
export function withReferencesById(model: Model, row: JsonObject, lookUp: LookUp): JsonObject {
  const found = Object.entries(model.fields).flatMap(([path, field]) => {
    const value = Object.hasOwn(row, path) ? row[path] : undefined
    const copied = field.kind === 'nullable' ? field.of : field
    const told = copied.kind === 'embedded' && isObject(value) ? toldBy(copied.model, value) : undefined
    return copied.kind === 'embedded' && told !== undefined ? [[path, { id: idOf(copied.model, told, path, lookUp) }] as const] : []
  })
  return found.length === 0 ? row : { ...row, ...Object.fromEntries(found) }
}

/** The name and the code of a copy that has nothing else. */
interface Told {
  readonly name: string | undefined
  readonly code: string | undefined
}

function toldBy({ fields, distinct }: Model, value: JsonObject): Told | undefined {
  const filled = Object.entries(value).filter(([, one]) => one !== '' && one !== null)
  const isTold = filled.length > 0 && filled.every(([key, one]) => typeof one === 'string' && key in fields && (key === 'name' || key === distinct))
  const textOf = (key: string): string | undefined => (typeof value[key] === 'string' && value[key] !== '' ? value[key].trim() : undefined)
  return isTold ? { name: textOf('name'), code: distinct === undefined ? undefined : textOf(distinct) } : undefined
}

function idOf(target: Model, { name, code }: Told, path: string, lookUp: LookUp): string {
  const { distinct = '' } = target
  const [member, texts] = code === undefined ? ['name', [name ?? '']] : [distinct, caseVariants(code)]
  const named = lookUp(target, member, texts.map((text) => ({ from: text, to: text })), NAMESAKES_MAX)
  const fitting = code === undefined || name === undefined ? named : named.filter(({ text }) => (parseJson(text) as JsonObject)['name'] === name)
  const [only, ...others] = fitting
  if (only !== undefined && others.length === 0) return only.id
  const wanted = `${path}.${member}`
  const [what, given] = [code === undefined ? 'name' : 'code', describe(code ?? name)]
  const problem = (message: string): ProblemFailure => new ProblemFailure(problemAt(wanted, 'unknownReference', message, { model: target.name }))
  if (only !== undefined) throw problem(`expected a ${what} that one ${target.name} has, found ${given}, which several have: use ${path}.id`)
  if (named.length > 0) throw problem(`expected the code of a ${target.name} named ${describe(name)}, found ${given}`)
  throw problem(`expected the ${what} of a ${target.name}, found ${given}, which no ${target.name} has`)
}
