/** What the columns that a model has are called where those of a file are mapped to them. */
import { fieldTitle } from '../../model-titles.ts'

/**
 * Titles by the paths of members, such as `Source › Name` for `source.name`. Those that are called alike have their paths behind
 * them, as the manual and exported files write them.
 */
export function columnTitles(paths: readonly string[]): ReadonlyMap<string, string> {
  const titles = new Map(paths.map((path) => [path, titleOf(path)]))
  const isShared = (title: string): boolean => [...titles.values()].filter((one) => one === title).length > 1
  return new Map([...titles].map(([path, title]) => [path, isShared(title) ? `${title} (${path})` : title]))
}

function titleOf(path: string): string {
  const parts = path.split('.')
  return parts.map((_, i) => fieldTitle(parts.slice(0, i + 1).join('.'))).join(' › ')
}
