/**
 * Paths: how a dotted name in a filter or a sort says where a value lies.
 *
 * A path is split at every dot and at nothing else; a stored key that itself holds a dot cannot be addressed. A segment
 * such as `2` is a key and, where it meets an array, also an index.
 */

/** The segments of a path, outermost first. The empty path means the value itself (inside `$elemMatch`). */
export type Path = readonly string[]

/** `topic.id` as a path. A top-level `_id` means `id` where the caller says that names count from the top. */
export function pathOf(name: string, { fromTop }: { readonly fromTop: boolean }): Path {
  const segments = name.split('.')
  if (fromTop && segments[0] === '_id') segments[0] = 'id'
  return Object.freeze(segments)
}

/** `topic.id`: a path as it was written. Most have one segment. */
export function dotted(path: Path): string {
  return path.length === 1 ? (path[0] ?? '') : path.join('.')
}

/** The array index a segment stands for when written plainly (no sign, no leading zero); -1 where it is none. */
export function indexOfSegment(segment: string): number {
  return PLAIN_INDEX.test(segment) ? Number(segment) : -1
}

/** No array that fits into memory needs more digits, and up to here a double holds every index exactly. */
const PLAIN_INDEX = /^(?:0|[1-9]\d{0,14})$/
