/** Suggestions for a mistyped name. */

const DISTANCE_MAX = 4

/** `: did you mean "--port"?` with the nearest of the known names; nothing where none is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = nearest(given, known)
  return name === undefined ? '' : `: did you mean "${name}"?`
}

/** The known name of the fewest single-character edits, if they are at most a third of its characters, rounded up. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((name) => ({ name, distance: editDistance(given.slice(0, 64), name) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  const isNear = best !== undefined && best.distance <= Math.min(DISTANCE_MAX, Math.ceil(best.name.length / 3))
  return isNear ? best.name : undefined
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
