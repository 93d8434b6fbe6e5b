/**
 * Who may do what, as the models declare it: the union of both roles; administrators may do everything that a model
 * supports. A method that a model does not offer is 405, so that a client can tell it from a missing right.
 */
import { assertNever, fail } from '../base/failure.ts'
import { hasDashboard, isAdmin, type Caller } from '../models/caller.ts'
import type { Model, Operation } from '../models/schema.ts'

const METHOD: Readonly<Record<Operation, string>> = {
  list: 'GET',
  read: 'GET',
  create: 'POST',
  replace: 'PUT',
  remove: 'DELETE',
}
const COLLECTION: readonly Operation[] = ['list', 'create']
const ITEM: readonly Operation[] = ['read', 'replace', 'remove']

/** Throws methodNotAllowed or forbidden where the caller's roles do not reach. Ownership is checked apart. */
export function requireRole(model: Model, operation: Operation, caller: Caller): void {
  const grant = model.access[operation]
  switch (grant) {
    case 'unsupported':
      throw fail('methodNotAllowed', `Cannot ${operation} a ${model.name}: the model does not support it`, {
        headers: { Allow: supportedMethods(model, operation) },
      })
    case 'everybody':
    case 'owner':
      return
    case 'publisher':
      if (hasDashboard(caller)) return
      throw fail('forbidden', `Only publishers and administrators may ${operation} a ${model.name}`)
    case 'admin':
      if (isAdmin(caller)) return
      throw fail('forbidden', `Only administrators may ${operation} a ${model.name}`)
    default:
      return assertNever(grant)
  }
}

export function requireEditor(caller: Caller): void {
  if (!hasDashboard(caller)) throw fail('forbidden', 'This is for publishers and administrators')
}

export function requireAdministrator(caller: Caller): void {
  if (!isAdmin(caller)) throw fail('forbidden', 'This is for administrators')
}

/** Throws forbidden where the item belongs to another user and the operation is for its owner. */
export function requireOwner(model: Model, operation: Operation, caller: Caller, id: string): void {
  if (model.access[operation] !== 'owner' || isAdmin(caller) || caller.id === id) return
  throw fail('forbidden', `Only its owner or an administrator may ${operation} this ${model.name}`)
}

function supportedMethods(model: Model, operation: Operation): string {
  const siblings = COLLECTION.includes(operation) ? COLLECTION : ITEM
  const methods = siblings.filter((sibling) => model.access[sibling] !== 'unsupported').map((one) => METHOD[one])
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}
