/** The parts of an import that its thread and the transaction share, so that both come to the same document. */
import { readEmail } from '../../auth/accounts.ts'
import { guestEmail, LOCAL_ADMIN_EMAIL } from '../../auth/new-account.ts'
import { systemClock } from '../../base/clock.ts'
import { idGenerator } from '../../base/ids.ts'
import type { RowContext } from '../../content/import-rows.ts'
import type { Model } from '../../models/schema.ts'

/** Of the records that rows refer to. */
const REMEMBERED_CHARS_MAX = 16 * 1024 * 1024

export type RowSettings = Pick<RowContext, 'model' | 'keep' | 'date' | 'textOf'>

export function rowContext(settings: RowSettings): RowContext {
  return { ...settings, newId: idGenerator(systemClock), readEmail: readImportedEmail }
}

/** Guests, and the administrator of an app, come back with the addresses that stand in for theirs. */
function readImportedEmail(value: unknown, id: string): string {
  return value === guestEmail(id) || value === LOCAL_ADMIN_EMAIL ? value : readEmail(value)
}

/** A look-up that remembers, for as long as one chunk of rows: the same few records are named again and again. */
export function remembering(textOf: RowContext['textOf'], own: Model): RowContext['textOf'] {
  const known = new Map<string, string | undefined>()
  let chars = 0
  return (model, id) => {
    // Of the model itself each document is looked for once.
    if (model === own) return textOf(model, id)
    const key = `${model.name} ${id}`
    if (known.has(key)) return known.get(key)
    const text = textOf(model, id)
    chars += key.length + (text?.length ?? 0)
    if (chars > REMEMBERED_CHARS_MAX) {
      known.clear()
      chars = 0
    }
    known.set(key, text)
    return text
  }
}
