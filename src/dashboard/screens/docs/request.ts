/** From values to a request. */

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
