/** From an operation and what was typed for it to a request, and what is missing for that. */
import type { ApiOperation, Example, Parameter } from './api-document.ts'
import { shownJson } from './loose-json.ts'
import { jsonMistake } from './json-place.ts'

/** What stands in a form: by the name of the parameter, and the body as text. */
export interface CallValues {
  readonly parameters: ReadonlyMap<string, string>
  readonly body: string
}

export interface CallProblem {
  /** The parameter; undefined for the body. */
  readonly parameter: string | undefined
  readonly message: string
}

/** The first thing that keeps a request from being made; all else is for the service to judge. */
export function callProblem({ parameters, body }: ApiOperation, values: CallValues): CallProblem | undefined {
  for (const { name, place, isRequired } of parameters) {
    const value = values.parameters.get(name) ?? ''
    if (value === '' && isRequired) return { parameter: name, message: `Fill in ${name}` }
    // A browser would take these for steps of the path.
    if (place === 'path' && (value === '.' || value === '..')) return { parameter: name, message: 'This is not an id' }
    // RFC 9110, section 5.5; fetch() refuses others as well.
    if (place === 'header' && /[^\t\x20-\x7e]/.test(value)) {
      return { parameter: name, message: 'Only letters, digits and signs of ASCII can stand in a header' }
    }
  }
  if (body === undefined) return undefined
  const mistake = jsonMistake(values.body)
  return mistake === undefined ? undefined : { parameter: undefined, message: mistake.words }
}

/** The path with its parts filled in, without its first slash, so that it is relative to the service. */
export function pathOf({ path, parameters }: ApiOperation, values: CallValues): string {
  return parameters
    .filter(({ place }) => place === 'path')
    .reduce(
      (text, { name }) => text.replace(`{${name}}`, () => encodeURIComponent(values.parameters.get(name) ?? '')),
      path.replace(/^\//, ''),
    )
}

export function queryOf(operation: ApiOperation, values: CallValues): URLSearchParams {
  return new URLSearchParams(given(operation, values, 'query'))
}

export function headersOf(operation: ApiOperation, values: CallValues): Readonly<Record<string, string>> {
  return Object.fromEntries(given(operation, values, 'header'))
}

/** Values that make a good example: what must be there, and for reading also what may be. */
export function exampleValues(operation: ApiOperation, variant: string): CallValues {
  const { parameters, body, method } = operation
  const isShown = ({ isRequired, place, name }: Parameter): boolean =>
    isRequired || (method === 'GET' && place === 'query' && name !== 'cursor')
  return {
    parameters: new Map(
      parameters.filter(isShown).map((parameter) => [parameter.name, exampleFor(parameter, variant)]),
    ),
    body: shownJson(exampleNamed(body?.examples ?? [], variant)?.value ?? {}),
  }
}

/** The example of a variant, such as that of a model; else the first. */
export function exampleNamed(examples: readonly Example[], variant: string): Example | undefined {
  return examples.find(({ name }) => name === variant) ?? examples[0]
}

/** The models between which the examples of an operation choose; empty where it has one example or none. */
export function variantsOf({ body, replies }: ApiOperation): readonly string[] {
  const examples = [body, ...replies.filter(isSuccess).map(({ content }) => content)].map((one) => one?.examples ?? [])
  const most = examples.sort((a, b) => b.length - a.length)[0] ?? []
  return most.length > 1 ? most.map(({ name }) => name) : []
}

export function isSuccess({ status }: { readonly status: string }): boolean {
  return status.startsWith('2')
}

function exampleFor({ name, place, example }: Parameter, variant: string): string {
  if (name === 'model' && variant !== '') return variant
  return example === '' && place === 'path' ? name.toUpperCase() : example
}

function given({ parameters }: ApiOperation, values: CallValues, wanted: Parameter['place']): [string, string][] {
  return parameters
    .filter(({ place, name }) => place === wanted && (values.parameters.get(name) ?? '') !== '')
    .map(({ name }) => [name, values.parameters.get(name) ?? ''])
}
