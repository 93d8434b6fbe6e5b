/** What a JSON Schema says in a few words, and where in it there is more to see. */
import { refName, type Schema } from './api-document.ts'
import { listOf, membersOf, textOf, textsOf } from './loose-json.ts'

/** A run of words, or the name of a schema that they can link to. */
export type TypePart = { readonly text: string } | { readonly ref: string }

/** The type, as `array of Topic or null`. */
export function typeParts(schema: Schema): readonly TypePart[] {
  const ref = refName(schema)
  if (ref !== undefined) return [{ ref }]
  const choices = listOf(schema['anyOf'] ?? schema['oneOf']).map(membersOf)
  if (choices.length > 0) {
    return choices.flatMap((choice, index) => [...(index === 0 ? [] : [{ text: ' or ' }]), ...typeParts(choice)])
  }
  if ('const' in schema) return [{ text: JSON.stringify(schema['const']) }]
  const types = [schema['type']].flat().filter((one) => typeof one === 'string')
  if (types.includes('array')) {
    const items = typeParts(membersOf(schema['items']))
    const rest = types.filter((one) => one !== 'array')
    return [{ text: 'array of ' }, ...items, ...(rest.length === 0 ? [] : [{ text: ` or ${rest.join(' or ')}` }])]
  }
  if (types.length === 0) return [{ text: 'anything' }]
  const date = textOf(schema['format']) === 'date-time'
  return [{ text: types.map((type) => (date && type === 'string' ? 'date' : type)).join(' or ') }]
}

/** What else a value must fulfil, each in words; names and values stand in backticks. */
export function limitWords(schema: Schema): readonly string[] {
  const words: string[] = []
  const values = listOf(schema['enum'])
  const number = (name: string): number | undefined =>
    typeof schema[name] === 'number' ? (schema[name] as number) : undefined
  const pattern = textOf(schema['pattern'])
  if (values.length > 0) words.push(`One of ${values.map((value) => `\`${String(value)}\``).join(', ')}`)
  if (schema['default'] !== undefined) words.push(`\`${String(schema['default'])}\` where it is left out`)
  const [least, most] = [number('minimum'), number('maximum')]
  if (least !== undefined) words.push(`At least ${least}`)
  if (most !== undefined && most < Number.MAX_SAFE_INTEGER) words.push(`At most ${most}`)
  if (pattern === '\\S' || number('minLength') === 1) words.push('Not empty')
  else if (pattern !== '') words.push(`Matches \`${pattern}\``)
  const [charsMax, itemsMax, itemsMin] = [number('maxLength'), number('maxItems'), number('minItems')]
  if (charsMax !== undefined) words.push(`At most ${charsMax} characters`)
  if (itemsMin !== undefined) words.push(`At least ${itemsMin} ${itemsMin === 1 ? 'item' : 'items'}`)
  if (itemsMax !== undefined) words.push(`At most ${itemsMax} items`)
  return words
}

export interface SchemaMember {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

export function membersOfSchema(schema: Schema): readonly SchemaMember[] {
  const required = new Set(textsOf(schema['required']))
  return Object.entries(membersOf(schema['properties'])).map(([name, member]) => ({
    name,
    schema: membersOf(member),
    isRequired: required.has(name),
  }))
}

/** Schemas with members of their own that stand in this one: what can be unfolded below it. */
export function unfoldable(schema: Schema): readonly { readonly name: string; readonly schema: Schema }[] {
  const ref = refName(schema)
  if (ref !== undefined) return [{ name: ref, schema }]
  const choices = listOf(schema['anyOf'] ?? schema['oneOf']).map(membersOf)
  if (choices.length > 0) return choices.flatMap(unfoldable)
  if ('items' in schema) return unfoldable(membersOf(schema['items']))
  return membersOfSchema(schema).length === 0 ? [] : [{ name: '', schema }]
}
