/**
 * What follows from a choice: a document that is chosen may have what another field wants, as a source has a country. It is
 * filled in where nothing was chosen, and changes with the choice until the reader chooses otherwise.
 */
import type { Model } from '../../../models/schema.ts'
import { isMembers, memberOf, type Members } from '../../any-documents.ts'

/** Returns a function that gives the members that follow from a change at a path; undefined where none do. */
export function proposals(model: Model): (path: string, members: Members) => Members | undefined {
  const embedded = Object.entries(model.fields).flatMap(([name, field]) => (field.kind === 'embedded' ? [{ name, of: field.model }] : []))
  /** The ids that were proposed, by the fields. */
  const proposed = new Map<string, unknown>()
  return (path, members) => {
    const from = embedded.find(({ name }) => name === path)
    const chosen = members[path]
    if (from === undefined || !isMembers(chosen)) return undefined
    const found = Object.entries(from.of.fields).flatMap(([inner, field]) => {
      const value = chosen[inner]
      const other = embedded.find(({ name, of }) => name !== path && field.kind === 'embedded' && of === field.model)
      if (other === undefined || !isMembers(value)) return []
      const now = memberOf(members[other.name], 'id')
      const isFree = now === undefined || now === proposed.get(other.name)
      return isFree && now !== value['id'] ? [[other.name, value] as const] : []
    })
    for (const [name, value] of found) proposed.set(name, value['id'])
    return found.length === 0 ? undefined : Object.fromEntries(found)
  }
}
