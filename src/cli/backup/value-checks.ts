/** Texts that no write may store any more, and codes that several documents share: what is stored from before is kept. */
import { isObject, parseJson, type Json, type JsonObject } from '../../base/json.ts'
import { TEXT_FORMS } from '../../content/rules/text-forms.ts'
import { embeddingsOf } from '../../models/embedding.ts'
import { STORED_MODELS } from '../../models/registry.ts'
import type { Field, Model, Shape, TextForm } from '../../models/schema.ts'
import type { Database } from '../../store/db/database.ts'
import { tableOf, valueAt } from '../../store/schema/names.ts'

/** More are counted. */
const NAMED_MAX = 5

/** What was found, as `url of the headline 66f0…`. Reads these members of every document, and those of the copies in it. */
export function oddValues(database: Database): string | undefined {
  const models = STORED_MODELS.filter((model) => model.draftsOf === undefined)
  const named: string[] = []
  let count = 0
  const take = (found: string): void => {
    if (++count <= NAMED_MAX) named.push(found)
  }
  // Before the copies: what is corrected there reaches them.
  for (const model of models) {
    malformed(database, model, { forms: ownForms(model.fields), take })
    shared(database, model).forEach(take)
  }
  for (const model of models) {
    malformed(database, model, { forms: copiedForms(model.fields), take })
    malformedInLists(database, model, take)
  }
  if (count === 0) return undefined
  return `${named.join(', ')}${count > NAMED_MAX ? `, and ${count - NAMED_MAX} more` : ''}`
}

type Forms = readonly (readonly [path: string, form: TextForm])[]

function ownForms(shape: Shape): Forms {
  return Object.entries(shape).flatMap(([name, field]) => (field.kind === 'text' && field.form !== undefined ? [[name, field.form] as const] : []))
}

/** Of the copies that are members of their own, and of the copies in them. */
function copiedForms(shape: Shape, prefix = ''): Forms {
  return Object.entries(shape).flatMap(([name, field]): Forms => {
    if (field.kind !== 'embedded') return []
    const [{ fields }, path] = [field.model as Model, `${prefix}${name}.`]
    return [...ownForms(fields).map(([member, form]) => [path + member, form] as const), ...copiedForms(fields, path)]
  })
}

function malformed(database: Database, model: Model, { forms, take }: { readonly forms: Forms; readonly take: (found: string) => void }): void {
  if (forms.length === 0) return
  const columns = forms.map(([path], i) => `${valueAt(path)} AS v${i}`)
  for (const row of database.iterate(`SELECT id, ${columns.join(', ')} FROM ${tableOf(model)}`)) {
    for (const [i, [path, form]] of forms.entries()) {
      const value = row[`v${i}`]
      if (typeof value === 'string' && !TEXT_FORMS[form].isOf(value)) take(`${path} of the ${model.name} ${String(row['id'])}`)
    }
  }
}

/** Of the copies that stand in lists. */
function malformedInLists(database: Database, model: Model, take: (found: string) => void): void {
  if (!embeddingsOf(model).some(({ lists }) => lists.length > 0)) return
  for (const { id, doc } of database.iterate(`SELECT id, doc FROM ${tableOf(model)}`)) {
    for (const path of wrongTexts(model.fields, parseJson(String(doc)) as JsonObject, { path: '', isListed: false })) {
      take(`${path} of the ${model.name} ${String(id)}`)
    }
  }
}

interface Nesting {
  readonly path: string
  readonly isListed: boolean
}

function* wrongTexts(shape: Shape, value: JsonObject, { path, isListed }: Nesting): Generator<string> {
  for (const [name, field] of Object.entries(shape)) yield* wrongText(field, value[name], { path: path + name, isListed })
}

function* wrongText(field: Field, value: Json | undefined, { path, isListed }: Nesting): Generator<string> {
  if (field.kind === 'list' && Array.isArray(value)) {
    for (const [i, item] of (value as readonly Json[]).entries()) yield* wrongText(field.of, item, { path: `${path}[${i}]`, isListed: true })
  } else if (field.kind === 'embedded' && isObject(value)) yield* wrongTexts(field.model.fields, value, { path: `${path}.`, isListed })
  else if (field.kind === 'record' && isObject(value)) yield* wrongTexts(field.fields, value, { path: `${path}.`, isListed })
  else if (isListed && field.kind === 'text' && field.form !== undefined && typeof value === 'string' && !TEXT_FORMS[field.form].isOf(value)) yield path
}

function shared(database: Database, model: Model): readonly string[] {
  const { name, distinct } = model
  if (distinct === undefined) return []
  const code = `lower(${valueAt(distinct)})`
  const sql = `SELECT group_concat(id, ' and ') AS ids FROM ${tableOf(model)} WHERE ${code} <> '' GROUP BY ${code} HAVING count(*) > 1`
  return database.all(sql).map(({ ids }) => `one ${distinct} of ${name} ${String(ids)}`)
}
