/** A document while it is edited: its form, and the state of the editor, which each event moves on. */
import type { Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'
import { handsIn } from '../../review-duty.ts'
import { now } from '../../timing.ts'
import { inputControl } from '../../kit/form/control.ts'
import { formFor } from '../../kit/form/form.ts'
import { growingText } from '../../kit/form/input-kinds.ts'
import { pickerControl, type PickerParts } from '../../kit/form/picker.ts'
import { creationBy } from './create-dialog.ts'
import { extrasOf, formFields } from './document-members.ts'
import { editorParts } from './editor-parts.ts'
import { beginning, bodyOf, documentOf, hasUnsaved, plannedAt, reactionTo, reduce, type Beginning, type EditorEvent, type FormValue } from './editor-state.ts'
import { extrasField } from './extras-field.ts'
import { proposals } from './field-proposals.ts'
import type { StoredAny } from './store-document.ts'

export type Draft = ReturnType<typeof createDraft>

export function createDraft(
  model: Model,
  { stored, copied }: Beginning,
  { user, onChange, ...parts }: PickerParts & { readonly user: Caller; readonly onChange: (path: string) => void },
) {
  const begun = stored?.document ?? copied ?? {}
  // A publisher under review can take a time away that an administrator has set, and set none.
  const hidden = handsIn(model, user) && typeof begun['publishAt'] !== 'string' ? ['publishAt'] : []
  const { title, lead } = editorParts(model)
  const propose = proposals(model)
  const form = formFor(formFields(model, hidden), begun, {
    onChange(path) {
      const proposed = propose(path, form.value())
      if (proposed !== undefined) form.change(proposed)
      onChange(path)
    },
    instead(path, _field, options) {
      if (path !== title && path !== lead) return undefined
      return inputControl(options, growingText(options.label, path === title ? 1 : 2))
    },
    picker: (other, options) => pickerControl(other, options, { ...parts, create: creationBy(user, parts) }),
  })
  const extras = model.extras === 'keep' ? extrasField(model, onChange) : undefined
  extras?.set(extrasOf(model, begun))
  const formValue = (): FormValue => ({ own: form.value(), further: extras === undefined ? {} : extras.read() })
  let state = beginning(model, { stored, copied }, formValue())

  function take(event: EditorEvent): void {
    const value = formValue()
    const { state: next, fill, change } = reduce(state, event, value)
    state = next
    if (change !== undefined && Object.keys(change).length > 0) form.change(change)
    if (fill === undefined) return
    form.set(fill)
    // Text that is not JSON yet stays to be corrected.
    if (value.further !== undefined || event.kind === 'adopted') extras?.set(extrasOf(model, fill))
  }

  return {
    elements: form.elements,
    extras: extras?.element,
    fields: extras === undefined ? [form] : [form, extras],
    take,
    body: (asStatus?: string) => bodyOf(state, formValue(), asStatus),
    /** Goes to the field of a path. */
    focusField: (path: string): void => form.focusField(path),
    stored: () => state.stored,
    status: () => state.status,
    isSaving: () => state.isSaving,
    document: () => documentOf(state, formValue()),
    hasUnsaved: () => hasUnsaved(state, formValue()),
    plannedAt: () => plannedAt(state, formValue(), now()),
    reactionTo: (theirs: Members | undefined) => reactionTo(theirs, state, formValue()),
    /** Puts members into the form as if they were typed. */
    fill(members: Members): void {
      form.set(members)
      extras?.set(extrasOf(model, members))
    },
    /** Sets the time at which a draft is to be published, as if it was typed; null takes it away. */
    plan: (publishAt: string | null): void => form.change({ publishAt }),
    /** Shows another version, where nothing was typed. */
    adopt(theirs: StoredAny): void {
      take({ kind: 'adopted', theirs })
      take({ kind: 'filled' })
    },
  }
}
