/**
 * The state of an editor, and what becomes of it by each event, without a page: what is stored, what was sent, and what the form
 * held then. The form itself is the reader's: it is given as it stands, and what is to be put into it comes back as an effect.
 * Nothing that is typed is taken away by what the server says.
 */
import { isScheduled } from '../../../models/workflow.ts'
import type { Model } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'
import { isSame } from '../../document-difference.ts'
import { sentMembers, withMembers } from './document-members.ts'
import type { StoredAny } from './store-document.ts'
import { differences, hasOnlyFollowed, isPublishedAs, likelyChoice, merged } from './three-way.ts'

/** The status of a new document until it is published. */
export const FIRST_STATUS = 'draft'

const TIMES = ['publishAt', 'unpublishAt'] as const

/** What the editor begins with. */
export interface Beginning {
  /** What is stored; absent for a new document. */
  readonly stored?: StoredAny | undefined
  /** The members of the document that a new one is a copy of. */
  readonly copied?: Members | undefined
}

/** The form as it stands. */
export interface FormValue {
  readonly own: Members
  /** Members that the model does not declare; undefined while they are no JSON. */
  readonly further: Members | undefined
}

export interface EditorState {
  readonly model: Model
  readonly stored: StoredAny | undefined
  /** What the form holds, but for what was typed since. */
  readonly shown: Members
  readonly status: string
  /** What was sent to be stored last. */
  readonly sent: Members
  /** What the form held then. */
  readonly typed: Members
  /** The body while it was the same as what is stored; undefined where it never was. */
  readonly clean: Members | undefined
  readonly isSaving: boolean
  /** Whether nothing of it is to be kept: the document is being removed, or has become others. */
  readonly isLeaving: boolean
}

export type EditorEvent =
  | { readonly kind: 'sent'; readonly body: Members }
  /** What was sent is stored. */
  | { readonly kind: 'accepted'; readonly stored: StoredAny }
  /** The request has ended, with or without a response. */
  | { readonly kind: 'ended' }
  /** The version of another user, with what is to become of both: of `mine`, or of what was sent. It is not saved yet. */
  | { readonly kind: 'takenOver'; readonly theirs: StoredAny; readonly settled: Members; readonly mine?: Members }
  /** Another version, where nothing was typed. */
  | { readonly kind: 'adopted'; readonly theirs: StoredAny }
  /** The form holds what was adopted, as a form writes it. */
  | { readonly kind: 'filled' }
  | { readonly kind: 'left' }

export interface Step {
  readonly state: EditorState
  /** What is to be put into the form in the place of all that is in it. */
  readonly fill?: Members
  /** Members that are to be changed in it: what is half typed elsewhere stays. */
  readonly change?: Members
}

export function beginning(model: Model, { stored, copied }: Beginning, form: FormValue): EditorState {
  const status = String(stored?.document['status'] ?? FIRST_STATUS)
  const state = { model, stored, shown: stored?.document ?? {}, status, sent: {}, typed: {}, clean: undefined, isSaving: false, isLeaving: false }
  return copied === undefined ? { ...state, clean: bodyOf(state, form) } : state
}

/** What would be sent; undefined while the further members are no JSON. */
export function bodyOf(state: EditorState, { own, further }: FormValue, asStatus = state.status): Members | undefined {
  const { model, shown } = state
  // An empty date that the form did not have is none: null would take away what is stored, such as by the service meanwhile.
  const isUnset = (name: string): boolean => model.fields[name]?.kind === 'optional' && !Object.hasOwn(shown, name)
  const given = Object.fromEntries(Object.entries(own).filter(([name, value]) => value !== null || !isUnset(name)))
  return further && { ...further, ...given, ...overtaken(state, asStatus), status: asStatus }
}

/** The times of a schedule that a status leaves without meaning. */
function overtaken({ model, status }: EditorState, asStatus: string): Members {
  if (!isScheduled(model) || asStatus === status) return {}
  return asStatus === 'archived' ? { publishAt: null, unpublishAt: null } : asStatus === 'active' ? { publishAt: null } : {}
}

/** The document as it would be stored now. */
export function documentOf(state: EditorState, form: FormValue): Members {
  const stored = state.stored?.document
  return withMembers(state.model, stored ?? {}, bodyOf(state, form) ?? { ...stored, ...form.own })
}

export function hasUnsaved(state: EditorState, form: FormValue): boolean {
  const current = bodyOf(state, form)
  return !state.isLeaving && (state.clean === undefined || current === undefined || !isSame(current, state.clean))
}

/** The time at which a draft is to be published by what the form says, where that is still to come. */
export function plannedAt({ model, status }: EditorState, { own: { publishAt } }: FormValue, now: number): string | undefined {
  const isPlan = status === FIRST_STATUS && isScheduled(model) && typeof publishAt === 'string' && Date.parse(publishAt) > now
  return isPlan ? publishAt : undefined
}

export function reduce(state: EditorState, event: EditorEvent, form: FormValue): Step {
  switch (event.kind) {
    case 'sent':
      return { state: { ...state, sent: event.body, typed: form.own, isSaving: true } }
    case 'accepted':
      return accepted(state, event.stored, form)
    case 'ended':
      return { state: { ...state, isSaving: false } }
    case 'takenOver':
      return takenOver(state, event, form)
    case 'adopted': {
      const { document } = event.theirs
      return { state: { ...state, stored: event.theirs, shown: document, status: String(document['status']) }, fill: document }
    }
    case 'filled':
      return { state: { ...state, clean: bodyOf(state, form) } }
    case 'left':
      return { state: { ...state, isLeaving: true } }
  }
}

/** What an editor does about a version that was stored elsewhere. */
export type Reaction =
  /** It is what is stored here. */
  | 'none'
  /** Only copies of other documents, or its turn in review, have changed: the reader need not decide. */
  | 'follow'
  /** What was written here was published as it was. */
  | 'published'
  | 'changed'
  | 'deleted'

/** `theirs` is undefined where it was deleted; it may come from a stream, which has numbers as doubles. */
export function reactionTo(theirs: Members | undefined, state: EditorState, form: FormValue): Reaction {
  const stored = state.stored?.document
  if (stored === undefined) return 'none'
  if (theirs === undefined) return 'deleted'
  const [before, now] = [asDoubles(stored), asDoubles(theirs)]
  if (isSame(before, now)) return 'none'
  const [were, are] = [sentMembers(state.model, before), sentMembers(state.model, now)]
  const isUnsaved = hasUnsaved(state, form)
  // Of another turn in review, a reader who is typing is told.
  const mayFollow = !isUnsaved || theirs['handedInAt'] === stored['handedInAt']
  if (mayFollow && hasOnlyFollowed(differences(were, were, are))) return 'follow'
  return !isUnsaved && isPublishedAs(were, are) ? 'published' : 'changed'
}

function asDoubles(document: Members): Members {
  return JSON.parse(JSON.stringify(document)) as Members
}

/** What was typed since it was sent is not stored. */
function accepted(state: EditorState, stored: StoredAny, { own }: FormValue): Step {
  const { sent, typed } = state
  const status = String(stored.document['status'])
  // A time that the new status leaves without meaning goes from the form as well, unless another one was typed since.
  const late = TIMES.filter((name) => sent[name] === null && own[name] != null && isSame(own[name], typed[name]))
  return {
    state: { ...state, stored, status, shown: sent, clean: { ...sent, status } },
    change: Object.fromEntries(late.map((name) => [name, null])),
  }
}

function takenOver(state: EditorState, { theirs, settled, mine }: Extract<EditorEvent, { kind: 'takenOver' }>, form: FormValue): Step {
  const sent = mine ?? state.sent
  const current = bodyOf(state, form, String(sent['status'])) ?? { ...sent, ...form.own }
  const status = String(settled['status'])
  return {
    state: { ...state, stored: theirs, shown: theirs.document, sent: settled, clean: undefined, status },
    fill: merged(current, differences(sent, current, settled), likelyChoice),
  }
}
