/** Endpoints and error codes as tables of Markdown, for the guides. */
import type { JsonSchema } from '../base/json-schema.ts'
import { FAILURES } from '../base/failure.ts'
import { recordName } from '../api/openapi/openapi-schema.ts'
import { TAGS } from '../api/openapi/openapi.ts'
import type { Described, RawResponse } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/endpoints.ts'
import { PARAMETERS } from '../endpoints/parameters.ts'
import type { RecordField } from '../models/schema.ts'

/** Members of a response that a row names. */
const MEMBERS_MAX = 4

/** A section for each tag, with a table of its endpoints. */
export function endpointTables(): string {
  return Object.entries(TAGS)
    .map(([tag, about]) => {
      const rows = ENDPOINTS.filter((endpoint) => endpoint.tag === tag).map(rowOf)
      const table = ['| request | does | takes | response |', '|---|---|---|---|', ...rows]
      return `### ${tag}\n\n${about}.\n\n${table.join('\n')}`
    })
    .join('\n\n')
}

export function errorTable(): string {
  const rows = Object.entries(FAILURES).map(
    ([code, { status, when }]) => `| \`${code}\` | ${status} | ${when.charAt(0).toLowerCase()}${when.slice(1)} |`,
  )
  return ['| code | status | when |', '|---|---|---|', ...rows].join('\n')
}

function rowOf(endpoint: Described): string {
  const { method, path, summary, access, whoMay } = endpoint
  const shown = path.replaceAll(/:(\w+)/g, (_, name: string) => name.toUpperCase())
  const who = access === 'editor' && whoMay !== undefined ? `; for ${whoMay}` : ''
  const cells = [`\`${method} ${shown}\``, `${summary}${who}`, takenBy(endpoint), responseOf(endpoint)]
  return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |')
}

/** Parameters and members of the body; those that may be left out have a question mark. */
function takenBy({ parameters = [], body }: Described): string {
  const query = parameters.map((one) => PARAMETERS[one]).filter((one) => one.in === 'query')
  return [
    ...query.map((parameter) => `\`${parameter.name}\`${'required' in parameter ? '' : '?'}`),
    ...(body === undefined || body === 'empty' ? [] : bodyMembers(body)),
  ].join(', ')
}

function bodyMembers(body: Exclude<Described['body'], 'empty' | undefined>): readonly string[] {
  if (body === 'patch') return ['members of the document']
  if (body === 'bytes') return ['the file']
  if (typeof body === 'string') return ['the document']
  if (body.kind === 'record') return Object.keys(body.fields).map((name) => `\`${name}\``)
  return body.schema['type'] === 'array' ? ['an array'] : schemaMembers(body.schema)
}

function schemaMembers(schema: JsonSchema): readonly string[] {
  const required = (schema['required'] ?? []) as readonly string[]
  const names = Object.keys(schema['properties'] as object)
  return names.map((name) => `\`${name}\`${required.includes(name) ? '' : '?'}`)
}

/** The status, what `data` has, and the statuses of errors that belong to this endpoint. */
function responseOf({ status, response, errors = [] }: Described): string {
  const codes = [...new Set(errors.map((code) => FAILURES[code].status))].sort((a, b) => a - b)
  const data = response === undefined ? undefined : dataOf(response)
  return [data === undefined ? `${status}` : `${status} with ${data}`, ...codes].join('; ')
}

function dataOf(response: NonNullable<Described['response']>): string {
  if (response.kind === 'raw') return rawData(response)
  const of = response.kind === 'record' ? response : response.schema
  if (typeof of !== 'string') return membersOf(of)
  if (of === 'Page') return '`items`, `cursor`, `hasMore`'
  if (of === 'ChangePage') return '`items`, `next`, `hasMore`'
  if (of === 'BatchResults') return '`results`'
  return `the ${of.toLowerCase()}`
}

function rawData({ type, schema, named }: RawResponse): string {
  if (named === true) return 'the file'
  const members = Object.keys((schema['properties'] ?? {}) as object)
  return members.length === 0 ? `\`${type}\`` : members.map((name) => `\`${name}\``).join(', ')
}

function membersOf(record: RecordField): string {
  const names = Object.keys(record.fields)
  if (names.length > MEMBERS_MAX) return `a \`${recordName(record)}\``
  return names.map((name) => `\`${name}\``).join(', ')
}
