/**
 * A document while it is edited: what is stored, and what the form holds. Nothing that is typed is taken away by what
 * the server answers.
 */
import type { Caller } from '../../../models/caller.ts'
import { isScheduled } from '../../../models/scheduled.ts'
import type { Model } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'
import { isSame } from '../../document-difference.ts'
import { handsIn } from '../../review-duty.ts'
import { now } from '../../timing.ts'
import { inputControl } from '../../kit/form/control.ts'
import { formFor } from '../../kit/form/form.ts'
import { growingText } from '../../kit/form/growing-text.ts'
import { pickerControl, type PickerParts } from '../../kit/form/picker.ts'
import { creationBy } from './create-dialog.ts'
import { extrasOf, formFields, withMembers } from './document-members.ts'
import { editorParts } from './editor-parts.ts'
import { extrasField } from './extras-field.ts'
import { proposals } from './field-proposals.ts'
import type { StoredAny } from './store-document.ts'
import { differences, likelyChoice, merged } from './three-way.ts'

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

export function createDraft(
  model: Model,
  { stored, copied }: Beginning,
  { user, onChange, ...parts }: PickerParts & { readonly user: Caller; readonly onChange: (path: string) => void },
) {
  let base = stored
  /** What the form holds, but for what was typed since. */
  let shown: Members = stored?.document ?? {}
  let status = String(stored?.document['status'] ?? FIRST_STATUS)
  /** What was sent to be stored last. */
  let sent: Members = {}
  /** What the form held then. */
  let typed: Members = {}
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
  /** The body while it was the same as what is stored; undefined where it never was. */
  let clean = copied === undefined ? body() : undefined

  /** What would be sent; undefined while the further members are no JSON. */
  function body(asStatus = status): Members | undefined {
    const further = extras === undefined ? {} : extras.read()
    return further === undefined ? undefined : { ...further, ...ownMembers(), ...overtaken(asStatus), status: asStatus }
  }

  /** An empty date that the form did not have is none: null would take away what is stored, such as by the service meanwhile. */
  function ownMembers(): Members {
    const isUnset = (name: string): boolean => model.fields[name]?.kind === 'optional' && !Object.hasOwn(shown, name)
    return Object.fromEntries(Object.entries(form.value()).filter(([name, value]) => value !== null || !isUnset(name)))
  }

  /** The times of a schedule that a status leaves without meaning. */
  function overtaken(asStatus: string): Members {
    if (!isScheduled(model) || asStatus === status) return {}
    return asStatus === 'archived' ? { publishAt: null, unpublishAt: null } : asStatus === 'active' ? { publishAt: null } : {}
  }

  return {
    elements: form.elements,
    extras: extras?.element,
    fields: extras === undefined ? [form] : [form, extras],
    body,
    /** Goes to the field of a path. */
    focusField: (path: string): void => form.focusField(path),
    stored: () => base,
    status: () => status,
    /** The document as it would be stored now. */
    document(): Members {
      return withMembers(model, base?.document ?? {}, body() ?? { ...base?.document, ...form.value() })
    },
    /** Puts members into the form as if they were typed. */
    fill(members: Members): void {
      form.set(members)
      extras?.set(extrasOf(model, members))
    },
    hasUnsaved(): boolean {
      const current = body()
      return clean === undefined || current === undefined || !isSame(current, clean)
    },
    /** The time at which a draft is to be published by what the form says, where that is still to come. */
    plannedAt(): string | undefined {
      const { publishAt } = form.value()
      const isPlan = status === FIRST_STATUS && isScheduled(model) && typeof publishAt === 'string' && Date.parse(publishAt) > now()
      return isPlan ? publishAt : undefined
    },
    /** Sets the time at which a draft is to be published, as if it was typed; null takes it away. */
    plan: (publishAt: string | null): void => form.change({ publishAt }),
    send(members: Members): void {
      sent = members
      typed = form.value()
    },
    /** Continues with what two users made of it, and with what was typed since that was sent. It is not saved yet. */
    takeOver(theirs: StoredAny, settled: Members): void {
      const current = body(String(sent['status'])) ?? { ...sent, ...form.value() }
      const next = merged(current, differences(sent, current, settled), likelyChoice)
      base = theirs
      shown = theirs.document
      sent = settled
      clean = undefined
      status = String(settled['status'])
      form.set(next)
      // Text that is not JSON yet stays to be corrected.
      if (extras?.read() !== undefined) extras.set(extrasOf(model, next))
    },
    /** Shows another version, where nothing was typed. */
    adopt(theirs: StoredAny): void {
      base = theirs
      shown = theirs.document
      status = String(theirs.document['status'])
      form.set(theirs.document)
      extras?.set(extrasOf(model, theirs.document))
      clean = body()
    },
    /** What was sent is stored. What was typed since is not. */
    accept(next: StoredAny): void {
      base = next
      status = String(next.document['status'])
      shown = sent
      // A time that the new status leaves without meaning goes from the form as well, unless another one was typed since.
      const late = TIMES.filter((name) => sent[name] === null && isSame(form.value()[name], typed[name]))
      form.change(Object.fromEntries(late.filter((name) => form.value()[name] != null).map((name) => [name, null])))
      clean = { ...sent, status }
    },
  }
}
