/**
 * Who may do what, as the models declare it: the union of both roles; administrators may do everything that a model
 * supports. A method that a model does not offer is 405, so that a client can tell it from a missing right.
 */
import { assertNever, fail } from '../../base/failure.ts'
import { parseJson, writeJson, type JsonObject } from '../../base/json.ts'
import { hasDashboard, isAdmin, type Caller, type TokenMethod, type ScopeName } from '../../models/caller.ts'
import { incompleteOf } from '../../models/incomplete.ts'
import type { Grant, Model, Operation } from '../../models/schema.ts'
import { user } from '../../models/user.ts'

/** The methods of each, as `Allow` lists them. */
const METHOD: Readonly<Record<Operation, string>> = {
  list: 'GET',
  read: 'GET',
  create: 'POST',
  replace: 'PUT, PATCH',
  remove: 'DELETE',
}
const TOKEN_METHOD: Readonly<Record<Operation, TokenMethod>> = {
  list: 'read',
  read: 'read',
  create: 'create',
  replace: 'replace',
  remove: 'delete',
}
const COLLECTION: readonly Operation[] = ['list', 'create']
const ITEM: readonly Operation[] = ['read', 'replace', 'remove']

/**
 * Throws methodNotAllowed or forbidden where the caller's roles do not reach, or its token is not for the model or for one
 * of the methods. Ownership is checked apart.
 */
export function requireRole(model: Model, operation: Operation, caller: Caller, methods = [TOKEN_METHOD[operation]]): void {
  const grant = model.access[operation]
  if (!methods.every((method) => isInScope(model, method, caller))) {
    throw fail('forbidden', `The token of this request may not ${methods.join(' and ')} a ${model.name}: it was made for ${scopeText(caller)}`)
  }
  if (isGranted(grant, caller)) return
  if (grant !== 'unsupported') {
    const granted = grant === 'admin' ? 'administrators' : 'publishers and administrators'
    throw fail('forbidden', `Only ${granted} may ${operation} a ${model.name}`)
  }
  throw fail('methodNotAllowed', `Cannot ${operation} a ${model.name}: the model does not support it`, {
    headers: { Allow: supportedMethods(model, operation) },
  })
}

/** Whether requireRole() lets the caller pass. */
export function hasRole(model: Model, operation: Operation, caller: Caller, methods = [TOKEN_METHOD[operation]]): boolean {
  return methods.every((method) => isInScope(model, method, caller)) && isGranted(model.access[operation], caller)
}

/** Of what a grant gives to owners only, any caller may ask: requireOwner() looks at the document. */
function isGranted(grant: Grant, caller: Caller): boolean {
  switch (grant) {
    case 'unsupported':
      return false
    case 'everybody':
    case 'owner':
      return true
    case 'publisher':
      return hasDashboard(caller)
    case 'admin':
      return isAdmin(caller)
    default:
      return assertNever(grant)
  }
}

/** Whether the token of a request is for this model and this method; true without one that is narrowed. */
export function isInScope(model: Model, method: TokenMethod, { scope }: Caller): boolean {
  const isOfModels = scope?.models?.includes(model.name) !== false
  return isOfModels && scope?.methods?.includes(method) !== false
}

/** The text of a document that was written, for the caller who wrote it: one whose token may not read gets the id alone. */
export function writtenText(model: Model, text: string, caller: Caller): string {
  return isInScope(model, 'read', caller) ? text : writeJson({ id: (parseJson(text) as JsonObject)['id'] as string })
}

/** Throws forbidden for a token that is narrowed to models or methods, as what it asks for belongs to none of them. */
export function requireWholeToken(caller: Caller): void {
  if (caller.scope === undefined) return
  throw fail('forbidden', `The token of this request may not do this: it was made for ${scopeText(caller)}: use one without such limits`)
}

/** Requires an administrator, or a token that one has made with this scope, and who is one still. */
export function requireScope(name: ScopeName): (caller: Caller) => void {
  return (caller) => {
    if (caller.scope?.scopes?.includes(name) !== true) requireAdministrator(caller)
  }
}

function scopeText({ scope }: Caller): string {
  if (scope?.scopes !== undefined) return scope.scopes.join(' and ') || 'the work of an administrator, which its user is no more'
  return `the models ${scope?.models?.join(', ') ?? '(all)'} and the methods ${scope?.methods?.join(', ') ?? '(all)'}`
}

/** Whether the caller may see incomplete drafts of the model: those who may write them see them. */
export function maySeeDrafts(model: Model, caller: Caller): boolean {
  return isAdmin(caller) || (model.access.replace === 'publisher' && hasDashboard(caller)) || incompleteOf(model) === undefined
}

/** Throws forbidden where the caller may not. */
export function requireDrafts(model: Model, caller: Caller): void {
  if (maySeeDrafts(model, caller)) return
  const { replace } = model.access
  const who = replace === 'publisher' ? 'publishers and administrators' : 'administrators'
  throw fail('forbidden', `Only ${who} may see incomplete drafts of ${model.name}`)
}

/** Throws forbidden for a token: what gives access for longer needs a sign-in. */
export function requireSignIn({ byToken }: Pick<Caller, 'byToken'>): void {
  if (byToken === true) throw fail('forbidden', 'A token of the API may not do this: sign in')
}

export function requireEditor(caller: Caller): void {
  if (!hasDashboard(caller)) throw fail('forbidden', 'This is for publishers and administrators')
}

export function requireAdministrator(caller: Caller): void {
  requireWholeToken(caller)
  if (!isAdmin(caller)) throw fail('forbidden', 'This is for administrators')
}

/**
 * Throws forbidden where the item belongs to another user and the operation is for its owner, and where a token of the API
 * would delete the account for which it acts.
 */
export function requireOwner(model: Model, operation: Operation, caller: Caller, id: string): void {
  if (model === user && operation === 'remove' && caller.id === id) requireSignIn(caller)
  if (model.access[operation] !== 'owner' || isAdmin(caller) || caller.id === id) return
  throw fail('forbidden', `Only its owner or an administrator may ${operation} this ${model.name}`)
}

function supportedMethods(model: Model, operation: Operation): string {
  const siblings = COLLECTION.includes(operation) ? COLLECTION : ITEM
  const methods = siblings.filter((sibling) => model.access[sibling] !== 'unsupported').map((one) => METHOD[one])
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}
