/**
 * A request as people would write it: for curl, for fetch() and with the typed client.
 *
 * The token is a name in all of them, never the one that is in use: what is copied is pasted into tickets and chats.
 */
import { headersOf, isSuccess, pathOf, queryOf, type CallValues } from './api-call.ts'
import type { ApiOperation } from './api-document.ts'
import { clientCall } from './client-calls.ts'

export interface CodeExample {
  readonly label: string
  readonly code: string
}

/** `address` is where the service is, with a slash at its end. */
export function requestExamples(operation: ApiOperation, values: CallValues, address: string): readonly CodeExample[] {
  const call = clientCall(operation.id, values)
  return [
    { label: 'curl', code: curl(operation, values, address) },
    { label: 'JavaScript', code: script(operation, values, address) },
    ...(call === undefined ? [] : [{ label: 'Client', code: client(operation, call, address) }]),
  ]
}

function curl(operation: ApiOperation, values: CallValues, address: string): string {
  const { method, body, token, replies } = operation
  const query = [...queryOf(operation, values)]
  const isPlain = query.every(([, value]) => encodeURIComponent(value) === value)
  const path = address + pathOf(operation, values)
  const url = isPlain && query.length > 0 ? `${path}?${query.map((pair) => pair.join('=')).join('&')}` : path
  const flags = isPlain ? [] : ['-G', ...query.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)]
  const parts = [
    `curl ${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `}${quoted(url)}`,
    ...flags,
    // A terminal is no place for what is not text, and the file none for a refusal.
    ...(kindOf(replies) === 'file' ? ['--fail -O'] : []),
    ...(token !== 'required' ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...Object.entries(headersOf(operation, values)).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-H ${quoted(`Content-Type: ${body.type}`)}`, `-d ${quoted(values.body)}`]),
  ]
  return parts.join(' \\\n  ')
}

function script(operation: ApiOperation, values: CallValues, address: string): string {
  const { method, body, token, replies } = operation
  const query = [...queryOf(operation, values)]
  const headers = [
    ...(token !== 'required' ? [] : ['Authorization: `Bearer ${TOKEN}`']),
    ...Object.entries(headersOf(operation, values)).map(([name, value]) => `${literal(name)}: ${literal(value)}`),
    ...(body === undefined ? [] : [`'Content-Type': ${literal(body.type)}`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(values.body)}),`]),
  ]
  const read = {
    json: `${operation.path.startsWith('/api/v1/openapi') ? 'document' : '{ data }'} = await response.json()`,
    text: 'text = await response.text()',
    file: 'file = await response.blob()',
  }
  const given = options.length === 0 ? '' : `, {\n${options.map((line) => `  ${line}\n`).join('')}}`
  const kind = kindOf(replies)
  return [
    `const url = new URL(${literal(address + pathOf(operation, values))})`,
    ...query.map(([name, value]) => `url.searchParams.set(${literal(name)}, ${queryValue(value)})`),
    `const response = await fetch(url${given})`,
    'if (!response.ok) throw new Error((await response.json()).error.message)',
    ...(kind === 'nothing' ? [] : [`const ${read[kind]}`]),
  ].join('\n')
}

/** What there is to read where all goes well. */
function kindOf(replies: ApiOperation['replies']): 'nothing' | 'json' | 'text' | 'file' {
  const type = replies.find(isSuccess)?.content?.type
  if (type === undefined) return 'nothing'
  if (type === 'application/json') return 'json'
  return type.startsWith('text/') ? 'text' : 'file'
}

function client({ token }: ApiOperation, call: string, address: string): string {
  const url = address.replace(/\/$/, '')
  const options = token !== 'required' ? `{ url: ${literal(url)} }` : `{ url: ${literal(url)}, token: TOKEN }`
  return `import { createClient } from './dateline.ts'\n\nconst client = createClient(${options})\n${call}`
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

/** JSON in a parameter is easier to read as what it is made of. */
function queryValue(text: string): string {
  return /^[[{]/.test(text) ? `JSON.stringify(${text})` : literal(text)
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ')
}
