/** Suggestions for a mistyped name. */

const DISTANCE_MAX = 4

/**
 * `: did you mean "--port"?` with the known name of the fewest single-character edits; nothing where they are more than a
 * third of its characters, rounded up. A `prefix` that all names have, such as `--`, counts for nothing: its letters agree
 * in all of them, and would make each one nearer.
 */
export function didYouMean(given: string, known: readonly string[], prefix = ''): string {
  const bare = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name)
  const ranked = known
    .map((name) => ({ name, distance: editDistance(bare(given).slice(0, 64), bare(name)) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  const isNear = best !== undefined && best.distance <= Math.min(DISTANCE_MAX, Math.ceil(bare(best.name).length / 3))
  return isNear ? `: did you mean "${best.name}"?` : ''
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
