/**
 * Where the reader is: the part of the URL behind `#`, as `/headlines?status=draft`.
 *
 * It never reaches the server, so that the paths are the API's own and the page works below any prefix of a proxy. The
 * whole state of a screen is in it: reload, back and a shared URL show the same.
 */

/** The path of the steps behind the first sign-in of a new service. */
export const FIRST_RUN = 'first-run'
/** The path of scheduled changes. */
export const SCHEDULED = 'scheduled'
/** The path of publications. */
export const PUBLICATIONS = 'publications'
/** The path of feeds. */
export const FEEDS = 'feeds'

export interface ScreenUrl {
  /** Decoded: `/headlines/66f0…` has two. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
}

export function currentScreenUrl(): ScreenUrl {
  return readScreenUrl(location.hash)
}

export function readScreenUrl(hash: string): ScreenUrl {
  const text = hash.replace(/^#/, '')
  const mark = text.indexOf('?')
  const path = mark === -1 ? text : text.slice(0, mark)
  return {
    segments: path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decode),
    query: new URLSearchParams(mark === -1 ? '' : text.slice(mark + 1)),
  }
}

/** The text of a screen URL, for `href`. Members of the query that are empty or missing are left out. */
export function hrefTo(
  segments: readonly string[],
  query: URLSearchParams | Readonly<Record<string, string | undefined>> = {},
): string {
  const given = query instanceof URLSearchParams ? [...query] : Object.entries(query)
  const kept = given.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '')
  const text = new URLSearchParams(kept).toString()
  return `#/${segments.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}

/** Opens a screen: as a new entry of the history, or replacing the current one. */
export function goTo(href: string, how: 'step' | 'replace' = 'step'): void {
  if (how === 'replace') {
    const oldURL = location.href
    replaceHref(href)
    dispatchEvent(new HashChangeEvent('hashchange', { oldURL }))
  } else location.hash = href
}

/** Changes the URL of the open screen, without a history entry and without reopening the screen. */
export function replaceHref(href: string): void {
  history.replaceState(history.state, '', href)
}

/** Changes the query of the current URL without a history entry and without reopening the screen. */
export function replaceQuery(query: URLSearchParams): void {
  replaceHref(hrefTo(currentScreenUrl().segments, query))
}

/** The same with a history entry: Back leads to the query before. */
export function stepToQuery(query: URLSearchParams): void {
  const href = hrefTo(currentScreenUrl().segments, query)
  if (href !== location.hash) history.pushState(++entry, '', href)
}

/** The number of the history entry that is shown. */
let entry = 0

/** The same for some members of the query. */
export function mergeQuery(members: Readonly<Record<string, string>>): void {
  replaceQuery(new URLSearchParams({ ...Object.fromEntries(currentScreenUrl().query), ...members }))
}

/**
 * Numbers the entries of the history, in their state, and gives a function that tells after each step how many entries
 * it went on, or back where it is below 0: the URL alone does not tell, and taking a step back needs it.
 */
export function countSteps(): () => number {
  const numbered = (number: number): number => {
    const { state } = history as { readonly state: unknown }
    if (typeof state === 'number') return state
    history.replaceState(number, '')
    return number
  }
  entry = numbered(0)
  return () => {
    const before = entry
    entry = numbered(entry + 1)
    return entry - before
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
