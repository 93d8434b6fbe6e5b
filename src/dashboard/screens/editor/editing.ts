/** A document in the editor: the form, its preview, and its actions. */
import { BadRequest, Conflict } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import type { Documents } from '../../any-documents.ts'
import { pathOf, valueTitle } from '../../model-titles.ts'
import { goTo, hrefTo, replaceHref } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { after } from '../../timing.ts'
import { h } from '../../kit/dom.ts'
import { notify } from '../../kit/notices.ts'
import { errorText } from '../../kit/states.ts'
import { askToLeave } from '../../kit/unsaved.ts'
import { openJson } from './document-facts.ts'
import { createDraft, type Beginning } from './draft.ts'
import { editorFrame } from './editor-frame.ts'
import { liveProblems } from './live-problems.ts'
import { previewOf } from './preview-card.ts'
import { removeAndLeave } from './remove-document.ts'
import { storeDocument, type StoredAny } from './store-document.ts'

/** How long a wait stays silent. */
const SAVING_MS = 2_000

export interface EditingOptions extends Beginning {
  readonly model: Model
  readonly context: ScreenContext
  readonly documents: Documents
}

export type Editing = ReturnType<typeof openEditing>

export function openEditing({ model, context, documents, ...beginning }: EditingOptions) {
  const { client, signal, user } = context
  const path = pathOf(model)
  let isLeaving = false

  const draft = createDraft(model, beginning, { client, signal, onChange: changed })
  const problems = liveProblems({
    fields: draft.fields,
    body: () => draft.body(),
    check: documents.check,
    id: storedId,
    signal,
  })
  const saving = createSaving(model, documents, { draft, problems, update, onStored })
  const preview = previewOf(model)
  const frame = editorFrame({
    model,
    user,
    fields: h('div', { class: 'card form', on: { focusout: problems.moved } }, draft.elements),
    problems: problems.element,
    preview: preview?.element,
    save: saving.begin,
    duplicate: () => goTo(hrefTo([path, 'new'], { from: storedId() })),
    remove: () => void remove(),
    showJson: () => openJson(frame.title(), draft.document()),
  })
  redraw()

  function storedId(): string | undefined {
    return draft.stored()?.document.id
  }

  function changed(at: string): void {
    problems.changed(at)
    update()
  }

  function hasUnsaved(): boolean {
    return !isLeaving && draft.hasUnsaved()
  }

  function update(): void {
    frame.mark({ isUnsaved: hasUnsaved(), isSaving: saving.isSaving() })
    preview?.update(draft.document())
  }

  function redraw(): void {
    frame.draw(draft.stored()?.document, draft.status())
    document.title = `${frame.title()} · Dateline`
    update()
  }

  function onStored(id: string, isNew: boolean): void {
    if (signal.aborted) return
    if (isNew) replaceHref(hrefTo([path, id]))
    redraw()
  }

  async function mayLeave(): Promise<boolean> {
    await saving.settle()
    return !hasUnsaved() || askToLeave()
  }

  async function remove(): Promise<void> {
    const stored = draft.stored()
    if (stored === undefined || !(await mayLeave())) return
    isLeaving = true
    removeAndLeave(model, documents, stored.document)
  }

  return { element: frame.element, hasUnsaved, mayLeave, save: () => saving.begin() }
}

interface SavingParts {
  readonly draft: ReturnType<typeof createDraft>
  readonly problems: Pick<ReturnType<typeof liveProblems>, 'rejected' | 'saved'>
  /** Shows whether it is being saved. */
  readonly update: () => void
  readonly onStored: (id: string, isNew: boolean) => void
}

/** Saves the draft, one time after the other. */
function createSaving(model: Model, documents: Documents, { draft, problems, update, onStored }: SavingParts) {
  let isSaving = false
  let saving = Promise.resolve()

  async function save(as = draft.status()): Promise<void> {
    const before = draft.stored()
    const body = draft.body(as)
    if (body === undefined) return problems.rejected()
    if (before !== undefined && as === draft.status() && !draft.hasUnsaved()) return tellSaved(as)
    draft.send(body)
    isSaving = true
    update()
    try {
      const stored = await storeDocument({ model, documents, before, body, onSettled: draft.takeOver })
      if (stored !== undefined) accept(stored)
    } catch (error) {
      if (error instanceof BadRequest || error instanceof Conflict) problems.rejected(error)
      else notify(t('editor.notSaved', { reason: errorText(error) }), { kind: 'failed' })
    } finally {
      isSaving = false
      update()
    }
  }

  function accept(stored: StoredAny): void {
    const { id } = stored.document
    const isNew = draft.stored()?.document.id !== id
    const before = draft.status()
    draft.accept(stored)
    problems.saved()
    onStored(id, isNew)
    tellSaved(isNew ? '' : before)
  }

  function tellSaved(before: string): void {
    const status = draft.status()
    notify(status === before ? t('saved') : `${t('saved')} · ${valueTitle(status)}`, { kind: 'done' })
  }

  return {
    isSaving: () => isSaving,
    begin(as?: string): void {
      if (!isSaving) saving = save(as)
    },
    /** Waits a moment for what is being saved. */
    settle: () => Promise.race([saving, new Promise<void>((resolve) => after(SAVING_MS, resolve))]),
  }
}
