/** Who changed a document last, and which fields, in one line. */
import { draftsOf, type HistoryItem, type StoredDocument } from '../../any-documents.ts'
import { fieldTitle } from '../../model-titles.ts'
import { actorName } from '../../people.ts'
import type { ScreenContext } from '../../screen.ts'
import type { Model } from '../../../models/schema.ts'
import type { User } from '../../../models/user.ts'
import { t } from '../../texts.ts'

const FIELDS_SHOWN = 3
/** Lines that are remembered; each version of a document has one. */
const REMEMBERED_MAX = 100

const remembered = new Map<string, Promise<string>>()

/** Without the member that the tag beside it tells in the same words. */
export function changeText({ kind, actor, paths }: Pick<HistoryItem, 'kind' | 'actor' | 'paths'>, reader: User): string {
  const words = t(`history.${kind}`, { name: actorName(actor, reader) })
  const names = [...new Set(paths.map((path) => path.split('.')[0] ?? path))].filter((name) => name !== 'handedInAt')
  return kind === 'updated' ? [words, ...names.slice(0, FIELDS_SHOWN).map(fieldTitle)].join(' · ') : words
}

/** Empty where the service knows nothing of it. */
export function lastChange(model: Model, { id, updatedAt }: StoredDocument, context: ScreenContext): Promise<string> {
  const key = `${context.user.id} ${id} ${String(updatedAt)}`
  const known = remembered.get(key) ?? read()
  remembered.set(key, known)
  for (const oldest of remembered.keys()) if (remembered.size > REMEMBERED_MAX) remembered.delete(oldest)
  return known

  async function read(): Promise<string> {
    try {
      const { items } = await draftsOf(context.client, model).history(id, { limit: 1, signal: context.signal })
      const [last] = items
      return last === undefined ? '' : changeText(last, context.user)
    } catch {
      remembered.delete(key)
      return ''
    }
  }
}
