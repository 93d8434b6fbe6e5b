/** A schema as a list of members, each with its type, what it means and what is folded below it. */
import { h, type Child } from '../../kit/dom.ts'
import { hrefTo } from '../../places.ts'
import { refName, type ApiDocument, type Schema } from './api-document.ts'
import { lazyDetails } from './lazy-details.ts'
import { textOf } from './loose-json.ts'
import { prose } from './prose.ts'
import { limitWords, membersOfSchema, typeParts, unfoldable } from './schema-words.ts'

/** So many links stand in one line; more would be the same list twice. */
const FEW = 3

export type Schemas = ApiDocument['schemas']

/** The members where it is an object; else its type and whatever can be unfolded. */
export function schemaView(schema: Schema, schemas: Schemas): Child {
  const members = membersOfSchema(schema)
  if (members.length === 0)
    return [unfoldable(schema).length > FEW ? h('p', {}, 'One of') : valueLine(schema), unfolded(schema, schemas)]
  return [
    h(
      'ul',
      { class: 'members' },
      members.map(({ name, schema: member, isRequired }) =>
        memberRow({ name, isRequired, about: textOf(member['description']), schema: member }, schemas),
      ),
    ),
    schema['additionalProperties'] === true ? h('p', { class: 'soft' }, 'Other members are taken as well.') : null,
  ]
}

export interface MemberRow {
  readonly name: string
  /** Undefined where that says nothing, as in replies. */
  readonly isRequired: boolean | undefined
  readonly about: string
  readonly schema: Schema
  readonly note?: string
}

/** A member of a body or reply, or a parameter. */
export function memberRow({ name, isRequired, about, schema, note }: MemberRow, schemas: Schemas): HTMLElement {
  const limits = limitWords(schema)
  return h(
    'li',
    {},
    h(
      'p',
      { class: 'member-name' },
      h('code', {}, name),
      typeView(schema),
      note === undefined ? null : h('span', { class: 'soft' }, note),
      isRequired === false ? h('span', { class: 'soft' }, 'optional') : null,
    ),
    about === '' ? null : h('p', {}, prose(about)),
    limits.length === 0 ? null : h('p', { class: 'soft' }, prose(`${limits.join('. ')}.`)),
    unfolded(schema, schemas),
  )
}

export function schemaLink(name: string): HTMLElement {
  return h('a', { href: hrefTo(['schemas', name]) }, name)
}

/** The type in words, with links to schemas that have a name. */
function typeView(schema: Schema): HTMLElement {
  const parts = typeParts(schema).map((part) => ('ref' in part ? schemaLink(part.ref) : part.text))
  return h('span', { class: 'type' }, parts)
}

function valueLine(schema: Schema): Child {
  const limits = limitWords(schema)
  return h('p', {}, typeView(schema), limits.length === 0 ? null : prose(`. ${limits.join('. ')}.`))
}

function unfolded(schema: Schema, schemas: Schemas): Child {
  const parts = unfoldable(schema)
  return parts.map(({ name, schema: inner }) => {
    const target = schemas.get(refName(inner) ?? '') ?? inner
    if (membersOfSchema(target).length === 0 && unfoldable(target).length === 0) return null
    const summary = name === '' ? 'Members' : parts.length > FEW ? name : `Members of ${name}`
    return lazyDetails({ summary, kind: 'nested', body: () => schemaView(target, schemas) })
  })
}
