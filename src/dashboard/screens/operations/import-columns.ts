/** What the columns that a model has are called where those of a file are mapped to them. */
import type { ImportPreview } from '../../../models/responses.ts'
import { fieldTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'

/**
 * Titles by the paths of members, such as `Source › Name` for `source.name`. Those that are called alike have their paths behind
 * them, as the manual and exported files write them.
 */
export function columnTitles(paths: readonly string[]): ReadonlyMap<string, string> {
  const titles = new Map(paths.map((path) => [path, titleOf(path)]))
  const isShared = (title: string): boolean => [...titles.values()].filter((one) => one === title).length > 1
  return new Map([...titles].map(([path, title]) => [path, isShared(title) ? `${title} (${path})` : title]))
}

/**
 * The column that each name in a file means, or an empty text. The service knows the names of the API; files that people write
 * have the titles of their language, and those of references for their names: "Quelle" means `source.name`.
 */
export function columnsMeant(header: ImportPreview['header'], columns: readonly string[]): readonly string[] {
  const titled = new Map<string, string>()
  for (const [path, title] of columnTitles(columns)) titled.set(plain(title), path)
  for (const path of columns) if (/^\w+\.name$/.test(path)) titled.set(plain(fieldTitle(path.slice(0, -'.name'.length))), path)
  const meant = header.map(({ name, column }) => column || (titled.get(plain(name)) ?? ''))
  const isFound = (path: string): boolean => header.some(({ column }) => column === path)
  return meant.map((path, i) => (header[i]?.column !== path && (isFound(path) || meant.indexOf(path) < i) ? '' : path))
}

const plain = (title: string): string => title.trim().toLowerCase()

function titleOf(path: string): string {
  if (path === '$more') return t('editor.extrasJson')
  const parts = path.split('.')
  return parts.map((_, i) => fieldTitle(parts.slice(0, i + 1).join('.'))).join(' › ')
}
