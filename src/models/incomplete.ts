/**
 * Incomplete drafts: documents of status `draft` that lack required members. Clients decode strictly and would stop at one,
 * so each model with a status has a second table for them, described by a model of its own that the data endpoint does not
 * reach by name. Whatever reads the table of the model cannot meet one.
 *
 * A document moves to the table of its model when it becomes complete, and back when a draft loses a member.
 */
import { fieldsOf, type Field, type Model, type Shape } from './schema.ts'

/** The model of the incomplete drafts of another one; undefined for a model without a status. */
export function incompleteOf(model: Model): Model | undefined {
  if (model.fields['status'] === undefined || model.draftsOf !== undefined) return undefined
  const made = known.get(model) ?? madeFor(model)
  known.set(model, made)
  return made
}

/** The name of the other table in which documents of a model may be. */
export function twinName(model: Model): string | undefined {
  return model.draftsOf ?? incompleteOf(model)?.name
}

/** The tables in which a document may be: that of its model, and with `includes` that of its incomplete drafts. */
export function placesOf(model: Model, includes: boolean): readonly Model[] {
  const drafts = includes ? incompleteOf(model) : undefined
  return drafts === undefined ? [model] : [model, drafts]
}

/** Required members that a document lacks. */
export function missingMembers(model: Model, document: object): readonly string[] {
  return fieldsOf(model.fields)
    .filter(([name, { kind }]) => kind !== 'optional' && !Object.hasOwn(document, name))
    .map(([name]) => name)
}

/** The table for a valid document. */
export function placeFor(model: Model, document: object): Model {
  const drafts = incompleteOf(model)
  return drafts === undefined || missingMembers(model, document).length === 0 ? model : drafts
}

/** The name of a model as the API has it. */
export function publicName({ name, draftsOf }: Model): string {
  return draftsOf ?? name
}

/** Of the declaration, which does not change: made once. */
const known = new WeakMap<Model, Model>()

function madeFor({ name, description, fields, extras, access, sought = [] }: Model): Model {
  const { create, replace, remove } = access
  return {
    name: `${name}_incomplete`,
    description: `An incomplete draft: ${description}`,
    fields: mayBeMissing(fields),
    extras,
    access: { list: replace, read: replace, create, replace, remove },
    search: [],
    indexes: [['updatedAt:desc']],
    sought,
    draftsOf: name,
  }
}

const ALWAYS_THERE: ReadonlySet<Field['kind']> = new Set(['generated', 'constant', 'choice', 'nullable'])

/** What may be missing is no text path, so that no plan takes it for one. */
function mayBeMissing(fields: Shape): Shape {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const isThere = ALWAYS_THERE.has(field.kind) && (field.kind !== 'choice' || name === 'status')
      return [name, isThere ? field : { kind: 'nullable', of: field }]
    }),
  )
}
