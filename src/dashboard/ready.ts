/** Tells browser tests and the styles that the script of a page has run. */
export function markReady({ documentElement }: Document): void {
  documentElement.dataset['ready'] = 'true'
}
