/**
 * A document in the editor: the form, its preview, and its actions.
 *
 * `base` is what is stored, `clean` what the form held when it was the same as that. Nothing that is typed is taken
 * away by what the server answers.
 */
import { BadRequest, Conflict } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import type { Documents, Members } from '../../any-documents.ts'
import { isSame } from '../../document-difference.ts'
import { formFor } from '../../kit/form/form.ts'
import { pickerControl } from '../../kit/form/picker.ts'
import { pathOf, valueTitle } from '../../model-words.ts'
import { goTo, hrefTo, noteHref } from '../../places.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { after } from '../../timing.ts'
import { h } from '../../kit/dom.ts'
import { notify } from '../../kit/notices.ts'
import { wordsOf } from '../../kit/states.ts'
import { askToLeave } from '../../kit/unsaved.ts'
import { extrasOf, formFields, withMembers } from './document-members.ts'
import { openJson } from './document-facts.ts'
import { editorFrame } from './editor-frame.ts'
import { extrasField } from './extras-field.ts'
import { liveProblems } from './live-problems.ts'
import { previewOf } from './preview-card.ts'
import { removeAndLeave } from './remove-document.ts'
import { storeDocument, type StoredAny } from './store-document.ts'
import { differences, likelyChoice, merged } from './three-way.ts'

/** How long a wait stays silent. */
const SAVING_MS = 2_000
/** The status of a new document until it is published. */
const FIRST_STATUS = 'draft'

export interface EditingOptions {
  readonly model: Model
  readonly context: ScreenContext
  readonly documents: Documents
  /** What is stored; undefined for a new document. */
  readonly start?: StoredAny | undefined
  /** What a new document begins with. */
  readonly copied?: Members
}

export interface Editing {
  readonly element: HTMLElement
  hasUnsaved(): boolean
  mayLeave(): Promise<boolean>
  save(): void
}

export function openEditing({ model, context, documents, start, copied }: EditingOptions): Editing {
  const { client, signal, user } = context
  const path = pathOf(model)
  let base = start
  let status = String(start?.document['status'] ?? FIRST_STATUS)
  let sent: Members = {}
  let isSaving = false
  let saving = Promise.resolve()
  let isLeaving = false

  const begun: Members = start?.document ?? copied ?? {}
  const form = formFor(formFields(model), begun, {
    onChange: changed,
    picker: (other, options) => pickerControl(other, options, { client, signal }),
  })
  const extras = model.extras === 'keep' ? extrasField(model, changed) : undefined
  extras?.set(extrasOf(model, begun))
  let clean = copied === undefined ? bodyAs(status) : undefined

  const problems = liveProblems({
    places: extras === undefined ? [form] : [form, extras],
    body: () => bodyAs(status),
    check: documents.check,
    id: () => base?.document.id,
    signal,
  })
  const preview = previewOf(model)
  const frame = editorFrame({
    model,
    user,
    fields: h('div', { class: 'card form', on: { focusout: problems.moved } }, form.element, extras?.element),
    problems: problems.element,
    preview: preview?.element,
    save: begin,
    duplicate: () => goTo(hrefTo([path, 'new'], { from: base?.document.id })),
    remove: () => void remove(),
    showJson: () => openJson(frame.title(), document()),
  })
  redraw()

  /** What would be sent; undefined while the further members are no JSON. */
  function bodyAs(asStatus: string): Members | undefined {
    const further = extras === undefined ? {} : extras.read()
    return further === undefined ? undefined : { ...further, ...form.value(), status: asStatus }
  }

  /** The document as it would be stored now. */
  function document(): Members {
    return withMembers(model, base?.document ?? {}, bodyAs(status) ?? { ...base?.document, ...form.value() })
  }

  function changed(at: string): void {
    problems.changed(at)
    update()
  }

  function hasUnsaved(): boolean {
    if (isLeaving) return false
    const body = bodyAs(status)
    return clean === undefined || body === undefined || !isSame(body, clean)
  }

  function update(): void {
    frame.mark({ isUnsaved: hasUnsaved(), isSaving })
    preview?.update(document())
  }

  /** After what is stored has changed. */
  function redraw(): void {
    frame.draw(base?.document, status)
    window.document.title = `${frame.title()} · Dateline`
    update()
  }

  function begin(as?: string): void {
    if (!isSaving) saving = save(as)
  }

  /** What is being saved is no longer unsaved in a moment. */
  async function mayLeave(): Promise<boolean> {
    await Promise.race([saving, new Promise<void>((resolve) => after(SAVING_MS, resolve))])
    return !hasUnsaved() || askToLeave()
  }

  async function save(as = status): Promise<void> {
    const body = bodyAs(as)
    if (body === undefined) return problems.refused()
    if (base !== undefined && as === status && !hasUnsaved()) return done(as)
    sent = body
    isSaving = true
    update()
    try {
      const stored = await storeDocument({ model, documents, before: base, body, onSettled: takeOver })
      if (stored !== undefined) took(stored)
    } catch (error) {
      if (error instanceof BadRequest || error instanceof Conflict) problems.refused(error)
      else notify(t('editor.notSaved', { reason: wordsOf(error) }), { kind: 'failed' })
    } finally {
      isSaving = false
      update()
    }
  }

  /** Goes on with what two people made of it, and with what was typed since that was sent. It is unsaved until saved. */
  function takeOver(theirs: StoredAny, body: Members): void {
    const now = bodyAs(String(sent['status'])) ?? { ...sent, ...form.value() }
    const next = merged(now, differences(sent, now, body), likelyChoice)
    base = theirs
    sent = body
    clean = undefined
    status = String(body['status'])
    form.set(next)
    // A text that is no JSON yet stays to be mended.
    if (extras?.read() !== undefined) extras.set(extrasOf(model, next))
  }

  function took(stored: StoredAny): void {
    const isNew = base?.document.id !== stored.document.id
    const before = status
    base = stored
    status = String(stored.document['status'])
    // What was typed since is not stored yet.
    clean = { ...sent, status }
    problems.saved()
    if (isNew && !signal.aborted) noteHref(hrefTo([path, stored.document.id]))
    if (!signal.aborted) redraw()
    done(isNew ? '' : before)
  }

  function done(before: string): void {
    notify(status === before ? t('saved') : `${t('saved')} · ${valueTitle(status)}`, { kind: 'done' })
  }

  async function remove(): Promise<void> {
    if (base === undefined || !(await mayLeave())) return
    isLeaving = true
    removeAndLeave(model, documents, base.document)
  }

  return { element: frame.element, hasUnsaved, mayLeave, save: () => begin() }
}
