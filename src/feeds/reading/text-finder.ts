/**
 * Searches of one text at positions that only grow. Each search remembers its last result, so a text that is never
 * found, or stands far away, costs one pass over the text in all: a thousand unclosed comments are not a thousand passes.
 */
export interface TextFinder {
  /** Where the text stands at or behind a position; -1 where it does not. */
  find(wanted: string, from: number): number
}

export function createFinder(source: string): TextFinder {
  const last = new Map<string, number>()
  return {
    find(wanted, from) {
      const known = last.get(wanted)
      if (known !== undefined && (known === -1 || known >= from)) return known
      const at = source.indexOf(wanted, from)
      last.set(wanted, at)
      return at
    },
  }
}
