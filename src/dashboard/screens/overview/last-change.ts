/** Who changed a document last, and which fields, in one line. */
import { draftsOf, type StoredDocument } from '../../any-documents.ts'
import { fieldTitle } from '../../model-titles.ts'
import { actorName } from '../../people.ts'
import type { ScreenContext } from '../../screen.ts'
import type { Model } from '../../../models/schema.ts'
import { t } from '../../texts.ts'

const FIELDS_SHOWN = 3
/** Lines that are remembered; each version of a document has one. */
const REMEMBERED_MAX = 100

const remembered = new Map<string, Promise<string>>()

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
      if (last === undefined) return ''
      const words = t(`history.${last.kind}`, { name: actorName(last.actor, context.user) })
      const fields = [...new Set(last.paths.map((path) => fieldTitle(path.split('.')[0] ?? path)))]
      return last.kind === 'updated' ? [words, ...fields.slice(0, FIELDS_SHOWN)].join(' · ') : words
    } catch {
      remembered.delete(key)
      return ''
    }
  }
}
