/**
 * A schema as a list of members, each with its type, its meaning and its limits.
 *
 * The members of a schema with a name stand once in the page, in the section of the schemas. Elsewhere an empty fold
 * names it by `data-members`, and the page copies them there when a reader opens it.
 */
import { refName, type Schema } from './described-api.ts'
import { attributes, html, joined, prose, type Html, type Part } from '../base/html.ts'

/** More choices than this are shown as folds alone, not as links as well. */
const LINKS_MAX = 3

/** The members where it is an object; else its type and its choices. */
export function schemaView(schema: Schema, owner?: string): Part {
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) {
    const limits = limitsOf(schema)
    const line = html`<p>${typeView(schema)}${limits === '' ? null : prose(`. ${limits}`)}</p>`
    return [foldable(schema).length > LINKS_MAX ? html`<p>One of</p>` : line, folds(schema)]
  }
  const required = new Set(schema.required)
  return html`<ul class="members">
      ${members.map(([name, member]) =>
        memberView({ name, schema: member, about: member.description, isRequired: required.has(name), owner }),
      )}
    </ul>
    ${schema.additionalProperties === true && html`<p class="soft">Other members are accepted as well.</p>`}`
}

export interface Member {
  readonly name: string
  readonly schema: Schema
  readonly about: string | undefined
  readonly isRequired: boolean
  readonly remark?: string
  /** The schema that search results name it with. */
  readonly owner?: string | undefined
}

/** A member of a body or response, or a parameter. */
export function memberView({ name, schema, about, isRequired, remark, owner }: Member): Html {
  const limits = limitsOf(schema)
  const search = owner === undefined ? {} : { 'data-kind': 'Field', 'data-title': `${owner}.${name}` }
  return html`<li${attributes(search)}>
    <div class="line">
      <code>${name}</code>
      ${typeView(schema)}
      ${remark !== undefined && html`<span class="soft">${remark}</span>`}
      ${!isRequired && html`<span class="soft">optional</span>`}
    </div>
    ${about !== undefined && html`<p>${prose(about)}</p>`}
    ${limits !== '' && html`<p class="soft">${prose(limits)}</p>`}
    ${folds(schema)}
  </li>`
}

export function schemaLink(name: string): Html {
  return html`<a href="#/schemas/${encodeURIComponent(name)}">${name}</a>`
}

function typeView(schema: Schema): Html {
  return html`<span class="soft">${typeOf(schema)}</span>`
}

/** The type, as `array of Topic or null`, with links to schemas. */
export function typeOf(schema: Schema): Part {
  const ref = refName(schema)
  if (ref !== undefined) return schemaLink(ref)
  if (schema.contentSchema !== undefined) return [typeOf(schema.contentSchema), ' in JSON']
  const choices = choicesOf(schema)
  if (choices !== undefined) return joined(choices.map(typeOf), ' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const types = [schema.type ?? 'anything'].flat()
  const names = types.map((type) => {
    if (type === 'array') return ['array of ', typeOf(schema.items ?? {})]
    return type === 'string' && schema.format === 'date-time' ? 'date' : type
  })
  return joined(names, ' or ')
}

/** What else a value must fulfil, in sentences; names and values stand in backticks. */
export function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema
  const isNotEmpty = pattern === '\\S' || minLength === 1
  const limits = [
    schema.enum !== undefined && `One of ${schema.enum.map((value) => `\`${String(value)}\``).join(', ')}`,
    schema.default !== undefined && `\`${String(schema.default)}\` by default`,
    minimum !== undefined && `At least ${minimum}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `At most ${maximum}`,
    isNotEmpty && 'Not empty',
    pattern !== undefined && !isNotEmpty && `Matches \`${pattern}\``,
    maxLength !== undefined && `At most ${maxLength} characters`,
    minItems !== undefined && `At least ${minItems} ${minItems === 1 ? 'item' : 'items'}`,
    maxItems !== undefined && `At most ${maxItems} items`,
  ]
  const stated = limits.filter((limit) => limit !== false)
  return stated.length === 0 ? '' : `${stated.join('. ')}.`
}

function choicesOf({ anyOf, oneOf, allOf }: Schema): readonly Schema[] | undefined {
  return anyOf ?? oneOf ?? allOf
}

/** Schemas with members in this one: what can be unfolded below it. */
function foldable(schema: Schema): readonly Schema[] {
  if (refName(schema) !== undefined) return [schema]
  if (schema.contentSchema !== undefined) return foldable(schema.contentSchema)
  const choices = choicesOf(schema)
  if (choices !== undefined) return choices.flatMap(foldable)
  if (schema.items !== undefined) return foldable(schema.items)
  return Object.keys(schema.properties ?? {}).length === 0 ? [] : [schema]
}

function folds(schema: Schema): Part {
  const parts = foldable(schema)
  return parts.map((part) => {
    const name = refName(part)
    if (name === undefined) {
      return html`<details><summary>Members</summary><div>${schemaView(part)}</div></details>`
    }
    const summary = parts.length > LINKS_MAX ? name : `Members of ${name}`
    return html`<details data-members="${name}"><summary>${summary}</summary></details>`
  })
}
