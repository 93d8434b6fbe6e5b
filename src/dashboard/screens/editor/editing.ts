/** A document in the editor: the form, its preview, and its actions. */
import { BadRequest, Conflict, PreconditionFailed } from '../../../client/client.ts'
import { isScheduled } from '../../../models/workflow.ts'
import type { Model } from '../../../models/schema.ts'
import type { Documents } from '../../any-documents.ts'
import { pathOf, valueTitle } from '../../model-titles.ts'
import { maySetStatus } from '../../review-duty.ts'
import { goTo, hrefTo, replaceHref } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { pause } from '../../timing.ts'
import { askToLeave } from '../../kit/dialog.ts'
import { h } from '../../kit/dom.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { errorText } from '../../kit/states.ts'
import { isPlanned } from '../../kit/status-tag.ts'
import { createDraft, type Draft } from './draft.ts'
import { editorActions, type EditorWork } from './editor-actions.ts'
import { editorForm } from './editor-form.ts'
import { editorFrame } from './editor-frame.ts'
import { editorNotes } from './editor-notes.ts'
import { FIRST_STATUS, type Beginning } from './editor-state.ts'
import { addPictureTools } from './picture-tools.ts'
import { editorViews } from './editor-views.ts'
import { openJson } from './json-dialog.ts'
import { liveDocument } from './live-document.ts'
import { liveProblems } from './live-problems.ts'
import { missingList } from './missing-list.ts'
import { neighbourLinks } from './neighbour-links.ts'
import { presenceLine } from './presence-line.ts'
import { previewOf } from './preview-card.ts'
import { statusOf, type PublishState, type PublishStep } from './publish-plan.ts'
import { removeAndLeave } from './remove-document.ts'
import { decideReplacement } from './replacement-dialog.ts'
import { askForTime } from './schedule-dialog.ts'
import { storeDocument, type StoredAny } from './store-document.ts'
import { undoSave } from './undo-save.ts'
import { unsavedInput } from './unsaved-input.ts'

/** How long a save can be taken back in its notice. */
const UNDO_MS = 8_000
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

  const draft = createDraft(model, beginning, { client, signal, user, onChange: changed })
  const problems = liveProblems({
    fields: draft.fields,
    body: () => draft.body(),
    check: documents.check,
    id: storedId,
    isDraft,
    onMissing: (paths) => missing.update(isDraft() ? paths : []),
    signal,
  })
  const missing = missingList(draft.focusField)
  const kept = unsavedInput({ userId: user.id, model: model.name, id: storedId, draft, signal, onTaken: () => changed('') })
  const saving = createSaving(model, documents, { draft, problems, update, onStored, undo })
  const preview = previewOf(model, signal)
  const form = editorForm({ model, draft, preview, missing: missing.element, onMoved: problems.moved })
  const live = liveDocument({ model, context, documents, draft, settled: saving.settle, onTaken: redraw, save: saving.begin })
  const views = editorViews({
    form: form.columns,
    onChosen: (isHistory) => frame.showTitle(isHistory),
    isHistory: context.screenUrl.query.get('view') === 'history',
    history() {
      const id = storedId()
      return id === undefined || model.access.replace === 'unsupported' ? undefined : { model, context, documents, id, restore, maySetStatus: (to) => maySetStatus(model, user, { from: draft.status(), to }) }
    },
  })
  const work: EditorWork = {
    run: (step) => void run(step),
    duplicate: () => goTo(hrefTo([path, 'new'], { from: storedId() })),
    remove: () => void remove(),
    showJson: () => openJson(frame.title(), draft.document()),
  }
  const usage = h('div', { class: 'usage' })
  const presence = presenceLine(model.name, context)
  const steps = neighbourLinks(model, signal)
  const frame = editorFrame({
    ...work,
    model,
    user,
    signal,
    form,
    live: live.element,
    steps: steps.element,
    presence: presence.element,
    usage,
    views,
    problems: h('div', { class: 'editor-notes' }, kept.element, problems.element),
  })
  const showPictureTools = addPictureTools(form.columns, frame.element, { model, client: context.client, signal })
  const notes = editorNotes({ model, documents, context, usage, id: storedId, draft, saving, problems, redraw, frame: frame.element })
  redraw()
  problems.begin()
  views.begin()

  function isDraft(): boolean {
    return draft.status() === FIRST_STATUS
  }

  function storedId(): string | undefined {
    return draft.stored()?.document.id
  }

  function changed(at: string): void {
    problems.changed(at)
    kept.changed()
    update()
  }

  function update(): void {
    frame.mark({ isUnsaved: draft.hasUnsaved(), isSaving: draft.isSaving(), publishing: publishing() })
    preview?.update(draft.document())
    showPictureTools()
  }

  function redraw(): void {
    frame.draw(draft.stored()?.document)
    notes.show(storedId())
    presence.update(storedId())
    steps.update(storedId())
    views.draw()
    document.title = `${frame.title()} · Dateline`
    update()
  }

  function publishing(): PublishState {
    const stored = draft.stored()?.document
    return {
      status: stored && draft.status(),
      storedAt: stored && isPlanned(stored) ? stored.publishAt : undefined,
      plannedAt: draft.plannedAt(),
      isScheduled: isScheduled(model),
      maySet: (to) => maySetStatus(model, user, { from: stored && draft.status(), to }),
    }
  }

  /** Does what a step of the publish control says. A time is a member like others: it is in the form, and saved with it. */
  async function run(step: PublishStep): Promise<void> {
    if (step === 'publishNow' || step === 'unschedule') plan(null)
    if (step === 'schedule' || step === 'changeTime') {
      const at = await askForTime(draft.plannedAt())
      if (at === undefined || signal.aborted) return
      plan(at)
    }
    saving.begin(statusOf(step, publishing().status) ?? 'active')
  }

  function plan(at: string | null): void {
    draft.plan(at)
    changed('publishAt')
  }

  function onStored(id: string, isNew: boolean): void {
    kept.settled(isNew ? undefined : id)
    if (signal.aborted) return
    live.hide()
    if (isNew) replaceHref(hrefTo([path, id]))
    redraw()
  }

  /** Of a save, also from another screen. What was typed since is lost only where the reader agrees. */
  async function undo(saved: StoredAny): Promise<void> {
    const { id } = saved.document
    const isHere = (): boolean => !signal.aborted && storedId() === id
    try {
      if (isHere() && !(await mayLeave())) return
      const back = await undoSave({ client, model, documents, stored: saved })
      if (back === undefined || !isHere()) return
      draft.adopt(back)
      problems.saved()
      live.hide()
      redraw()
    } catch (error) {
      notifyFailure(error)
    }
  }

  /** As a new version. Unsaved input is lost only where the reader agrees. */
  async function restore(seq: number): Promise<void> {
    const id = storedId()
    if (id === undefined || !(await mayLeave())) return
    try {
      draft.adopt(await documents.restore(id, { seq, ifMatch: draft.stored()?.etag }))
      problems.saved()
      live.hide()
      redraw()
      notify(t('history.done'), { kind: 'done' })
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) return notifyFailure(error)
      notify(t('bulk.meanwhile'), { kind: 'failed' })
      live.look()
      views.draw()
    }
  }

  async function mayLeave(): Promise<boolean> {
    await saving.settle()
    const mayGo = !draft.hasUnsaved() || (await askToLeave())
    if (mayGo) kept.settled(storedId())
    return mayGo
  }

  async function remove(): Promise<void> {
    const stored = draft.stored()
    if (stored === undefined || !(await mayLeave())) return
    const { document } = stored
    const decided = await decideReplacement({ model, documents, document, client, signal })
    if (decided === undefined || signal.aborted) return
    draft.take({ kind: 'left' })
    removeAndLeave(model, client, document, decided.replaceBy)
  }

  return {
    element: frame.element,
    hasUnsaved: draft.hasUnsaved,
    mayLeave,
    save: () => saving.begin(),
    step: steps.go,
    /** Nothing of it is to be kept: it became others. */
    giveUp(): void {
      draft.take({ kind: 'left' })
      kept.settled(storedId())
    },
    actions: () => editorActions({ ...work, model, user }, publishing()),
  }
}

interface SavingParts {
  readonly draft: Draft
  readonly problems: Pick<ReturnType<typeof liveProblems>, 'rejected' | 'saved'>
  /** Shows whether it is being saved. */
  readonly update: () => void
  readonly onStored: (id: string, isNew: boolean) => void
  /** Takes a save back. */
  readonly undo: (saved: StoredAny) => Promise<void>
}

/** Saves the draft, one time after the other. */
function createSaving(model: Model, documents: Documents, { draft, problems, update, onStored, undo }: SavingParts) {
  let saving = Promise.resolve()

  async function save(wanted = draft.status()): Promise<void> {
    const before = draft.stored()
    // With a time to come, a draft stays one until then.
    const as = wanted === 'active' && draft.plannedAt() !== undefined ? FIRST_STATUS : wanted
    const body = draft.body(as)
    const isPublishing = wanted !== FIRST_STATUS
    if (body === undefined) return problems.rejected(isPublishing)
    if (before !== undefined && as === draft.status() && !draft.hasUnsaved()) return tellSaved(as)
    draft.take({ kind: 'sent', body })
    update()
    try {
      const stored = await storeDocument({ model, documents, before, body, onSettled: (theirs, settled) => draft.take({ kind: 'takenOver', theirs, settled }) })
      if (stored !== undefined) accept(stored)
    } catch (error) {
      if (error instanceof BadRequest || error instanceof Conflict) problems.rejected(isPublishing, error)
      else notify(t('editor.notSaved', { reason: errorText(error) }), { kind: 'failed' })
    } finally {
      draft.take({ kind: 'ended' })
      update()
    }
  }

  function accept(stored: StoredAny): void {
    const { id } = stored.document
    const isNew = draft.stored()?.document.id !== id
    const before = draft.status()
    draft.take({ kind: 'accepted', stored })
    problems.saved()
    onStored(id, isNew)
    tellSaved(isNew ? '' : before, isNew ? undefined : stored)
  }

  function tellSaved(before: string, saved?: StoredAny): void {
    const status = draft.status()
    const planned = saved !== undefined && isPlanned(saved.document) ? t('status.scheduled') : undefined
    const words = planned ?? (status === before ? undefined : valueTitle(status))
    const action = saved && { shownMs: UNDO_MS, action: { label: t('undo'), run: () => void undo(saved) } }
    notify(words === undefined ? t('saved') : `${t('saved')} · ${words}`, { kind: 'done', ...action })
  }

  return {
    begin(as?: string): void {
      if (!draft.isSaving()) saving = save(as)
    },
    /** Waits a moment for what is being saved. */
    settle: () => Promise.race([saving, pause(SAVING_MS)]),
  }
}
