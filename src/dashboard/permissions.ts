/**
 * What a user may do, as the models declare it. It decides what the page offers; the server decides again on every
 * request.
 */
import { hasDashboard, isAdmin, type Caller } from '../models/caller.ts'
import { hasHistory } from '../models/history.ts'
import { MODELS } from '../models/registry.ts'
import type { Model, Operation } from '../models/schema.ts'

export function may(operation: Operation, model: Model, caller: Caller): boolean {
  switch (model.access[operation]) {
    case 'unsupported':
      return false
    case 'everybody':
      return true
    case 'publisher':
      return hasDashboard(caller)
    case 'owner':
    case 'admin':
      return isAdmin(caller)
  }
}

/** Models of which a user edits many documents: those with lists and editors of their own. */
export function contentModels(caller: Caller): readonly Model[] {
  return (MODELS as readonly Model[]).filter((model) => isContent(model) && may('replace', model, caller))
}

/** Models whose deleted documents a user may bring back: content, and the other models of which there are many. */
export function trashedModels(caller: Caller): readonly Model[] {
  return (MODELS as readonly Model[]).filter((model) => hasHistory(model) && model.singleton === undefined && may('remove', model, caller))
}

/** Content is what the public reads: it has a status, and many documents. */
function isContent(model: Model): boolean {
  return 'status' in model.fields && model.singleton === undefined
}
