/** From values to a request, and the first value that keeps it from being sent. */
import { jsonMistake } from './json-mistake-text.ts'

export interface Given {
  readonly name: string
  /** As in OpenAPI: `path`, `query` or `header`; `body` in a form. */
  readonly location: string
  readonly required: boolean
  /** Empty where nothing is given. */
  readonly value: string
}

/** The path with its parameters and without its first slash, so that it is relative to the service. */
export function pathOf(path: string, given: readonly Given[]): string {
  return filled(given, 'path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, () => encodeURIComponent(value)),
    path.replace(/^\//, ''),
  )
}

/** The path with its query. */
export function targetOf(path: string, given: readonly Given[]): string {
  const query = new URLSearchParams(filled(given, 'query').map(({ name, value }) => [name, value]))
  return `${pathOf(path, given)}${query.size === 0 ? '' : `?${query.toString()}`}`
}

export function headersOf(given: readonly Given[]): Readonly<Record<string, string>> {
  return Object.fromEntries(filled(given, 'header').map(({ name, value }) => [name, value]))
}

export function filled(given: readonly Given[], location: string): readonly Given[] {
  return given.filter((one) => one.location === location && one.value !== '')
}

export interface RequestProblem {
  /** Of the value. */
  readonly name: string
  readonly message: string
}

/** The server judges everything else. */
export function requestProblem(given: readonly Given[]): RequestProblem | undefined {
  for (const { name, location, required, value } of given) {
    if (value === '' && required) return { name, message: `Enter ${name}` }
    // A browser resolves these as steps of the path.
    if (location === 'path' && (value === '.' || value === '..')) return { name, message: 'This is not an id' }
    // RFC 9110, section 5.5; fetch() rejects others as well.
    if (location === 'header' && /[^\t\x20-\x7e]/.test(value)) {
      return { name, message: 'A header takes only ASCII letters, digits and signs' }
    }
    const mistake = location === 'body' ? jsonMistake(value) : undefined
    if (mistake !== undefined) return { name, message: mistake.message }
  }
  return undefined
}
