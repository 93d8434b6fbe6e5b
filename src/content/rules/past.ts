/** Who may do what with the past of documents: their changes, earlier versions, and the trash. */
import { fail } from '../../base/failure.ts'
import type { Caller, TokenMethod } from '../../models/caller.ts'
import { hasHistory } from '../../models/history.ts'
import type { Model, Operation } from '../../models/schema.ts'
import { hasRole, requireRole } from './access.ts'

/** What is done with the past of documents. */
export type PastUse = 'readHistory' | 'readTrash' | 'revert' | 'restore' | 'erase'

/**
 * The right that each takes, and the methods of a narrowed token. A document that leaves the trash appears as a new one does:
 * a token that only deletes may not publish.
 */
const PAST_USES: Readonly<Record<PastUse, { readonly right: Operation; readonly methods: TokenMethod[] }>> = {
  readHistory: { right: 'replace', methods: ['read'] },
  readTrash: { right: 'remove', methods: ['read'] },
  revert: { right: 'replace', methods: ['replace'] },
  restore: { right: 'remove', methods: ['create', 'delete'] },
  erase: { right: 'remove', methods: ['delete'] },
}

/** Throws methodNotAllowed for personal data, which has no history and no trash, and what requireRole() throws. */
export function requireHistory(model: Model, use: PastUse, caller: Caller): void {
  const { right, methods } = PAST_USES[use]
  requireRole(model, right, caller, methods)
  if (hasHistory(model)) return
  throw fail('methodNotAllowed', `The model ${model.name} has no history and no trash`, {
    headers: { Allow: 'OPTIONS' },
  })
}

/** Whether requireHistory() lets the caller pass. */
export function mayUsePast(model: Model, use: PastUse, caller: Caller): boolean {
  const { right, methods } = PAST_USES[use]
  return hasHistory(model) && hasRole(model, right, caller, methods)
}
