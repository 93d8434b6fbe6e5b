/** What the one control of an editor does: its button, the quieter one beside it, and the choices in its menu. */

/** Each names what is done with the document, not which status it gets. */
export type PublishStep = 'saveDraft' | 'update' | 'publish' | 'publishAt' | 'publishNow' | 'schedule' | 'changeTime' | 'unschedule' | 'unpublish' | 'toDraft' | 'archive'

export interface PublishState {
  /** Undefined for a document that is not stored yet. */
  readonly status: string | undefined
  /** When the stored draft is published by itself. */
  readonly storedAt: string | undefined
  /** When the draft is to be published by what the form says: a time to come. */
  readonly plannedAt: string | undefined
  /** Whether documents of the model are published at times. */
  readonly isScheduled: boolean
  /** Whether the reader may store it with this status. */
  readonly maySet: (status: string) => boolean
}

export interface PublishPlan {
  /** Undefined where the reader may store nothing. */
  readonly main: PublishStep | undefined
  readonly beside: PublishStep | undefined
  readonly more: readonly PublishStep[]
}

/** The status that a step stores; undefined for one that asks for a time first. */
export function statusOf(step: PublishStep, status: string | undefined): string | undefined {
  switch (step) {
    case 'update':
      return status
    case 'saveDraft':
      // Of an archived document as well: it stays archived.
      return status ?? 'draft'
    case 'publish':
    case 'publishAt':
    case 'publishNow':
      return 'active'
    case 'unschedule':
    case 'unpublish':
    case 'toDraft':
      return 'draft'
    case 'archive':
      return 'archived'
    case 'schedule':
    case 'changeTime':
      return undefined
  }
}

export function publishPlan(state: PublishState): PublishPlan {
  const { main, beside, more } = wantedPlan(state)
  // What has no status of its own leaves a time for the service to publish at.
  const may = (step: PublishStep): boolean => state.maySet(statusOf(step, state.status) ?? 'active')
  const [first, second] = [main, beside].filter((step) => step !== undefined && may(step))
  return { main: first, beside: second, more: more.filter(may) }
}

function wantedPlan({ status, storedAt, plannedAt, isScheduled }: PublishState): PublishPlan {
  if (status === 'active') return { main: 'update', beside: undefined, more: ['unpublish', 'archive'] }
  if (status === 'archived') return { main: 'publish', beside: 'saveDraft', more: ['toDraft'] }
  const archive: readonly PublishStep[] = status === undefined ? [] : ['archive']
  const planning: readonly PublishStep[] = isScheduled ? ['schedule'] : []
  if (plannedAt === undefined) return { main: 'publish', beside: 'saveDraft', more: [...planning, ...archive] }
  const more: readonly PublishStep[] = ['publishNow', 'changeTime', ...(storedAt === undefined ? [] : (['unschedule'] as const)), ...archive]
  const isKept = storedAt !== undefined && Date.parse(storedAt) === Date.parse(plannedAt)
  return isKept ? { main: 'update', beside: undefined, more } : { main: 'publishAt', beside: undefined, more }
}
