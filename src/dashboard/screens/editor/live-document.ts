/**
 * Tells the reader of an editor that the document was changed or deleted elsewhere, as soon as it is. What is typed stays:
 * the reader decides when to look, and field by field which of both it shall be.
 */
import type { Model } from '../../../models/schema.ts'
import type { Documents } from '../../any-documents.ts'
import type { Change } from '../../live-changes.ts'
import { personName } from '../../people.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { keepFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { askToSettle } from './conflict-dialog.ts'
import { sentMembers } from './document-members.ts'
import type { Draft } from './draft.ts'
import { currentOf, type StoredAny } from './store-document.ts'
import { differences } from './three-way.ts'

export interface LiveDocumentOptions {
  readonly model: Model
  readonly context: ScreenContext
  readonly documents: Documents
  readonly draft: Draft
  /** Waits for what is being saved, which comes back as a change. */
  readonly settled: () => Promise<void>
  /** After the editor continues from another version. */
  readonly onTaken: () => void
  /** After the reader has decided what the document shall be. */
  readonly save: () => void
}

export function liveDocument({ model, context, documents, draft, settled, onTaken, save }: LiveDocumentOptions) {
  const { live, signal } = context
  const element = h('div', { class: 'live', role: 'status' })
  let newest: Change | undefined
  live.follow(
    {
      changed(changes) {
        const id = draft.stored()?.document.id
        const own = changes.findLast((one) => one.model === model.name && one.id === id)
        if (own === undefined) return
        newest = own
        void look(own)
      },
      missed() {
        const id = draft.stored()?.document.id
        if (id !== undefined) void compare(id)
      },
    },
    signal,
  )

  /** What was not told may have been a change of this document. */
  async function compare(id: string): Promise<void> {
    const before = draft.stored()
    const now = await currentOf(documents, id).catch(() => before)
    const change = { model: model.name, id, by: '', ...(now && { document: now.document }) }
    // What was saved here meanwhile is newer.
    if (before?.document.id === id && draft.stored() === before) await look((newest = change))
  }

  async function look(change: Change): Promise<void> {
    await settled()
    const name = await personName(change.by, context)
    if (signal.aborted || change !== newest) return
    const reaction = draft.reactionTo(change.document)
    if (reaction === 'none') return hide()
    if (reaction === 'follow') return void follow(change.id)
    if (reaction === 'published') {
      const isTaken = await follow(change.id)
      if (isTaken) return tellPublished(name)
      if (signal.aborted || change !== newest) return
    }
    const isGone = reaction === 'deleted'
    const words = h('span', {}, t(isGone ? 'editor.deletedBy' : 'editor.changedBy', { name }))
    fill(
      element,
      h('div', { class: 'banner' }, icon('warning'), words, !isGone && button(t('editor.review'), () => void review(), { class: 'small' })),
    )
  }

  /** What was written here is published as it was: nothing is to be decided. */
  function tellPublished(name: string): void {
    fill(element, h('div', { class: 'banner' }, icon('check'), h('span', {}, t('review.publishedBy', { name }))))
  }

  /**
   * Takes the newest version over, where nothing is typed; else what is typed goes on from there when it is saved: only copies of
   * other documents, or what the reader has not written, have changed. Whether it was taken over.
   */
  async function follow(id: string): Promise<boolean> {
    hide()
    const now = draft.hasUnsaved() ? undefined : await currentOf(documents, id).catch(() => undefined)
    if (now === undefined || signal.aborted || draft.hasUnsaved() || draft.stored()?.document.id !== id) return false
    draft.adopt(now)
    onTaken()
    return true
  }

  function hide(): void {
    keepFocus(element, () => fill(element))
  }

  async function review(): Promise<void> {
    const before = draft.stored()
    if (before === undefined) return
    try {
      const theirs = await currentOf(documents, before.document.id)
      if (theirs !== undefined && !signal.aborted && (await take(before, theirs))) {
        hide()
        onTaken()
        if (draft.hasUnsaved()) save()
      }
    } catch (error) {
      notifyFailure(error)
    }
  }

  /** False where the reader has decided nothing. */
  async function take(before: StoredAny, theirs: StoredAny): Promise<boolean> {
    const mine = draft.body()
    if (mine === undefined || !draft.hasUnsaved()) {
      if (mine === undefined) return false
      draft.adopt(theirs)
      notify(t('editor.takenOver'), { kind: 'done' })
      return true
    }
    const different = differences(sentMembers(model, before.document), mine, sentMembers(model, theirs.document))
    const members = different.length === 0 ? mine : await askToSettle({ mine, different, theirs: theirs.document })
    if (members === undefined || signal.aborted) return false
    draft.take({ kind: 'takenOver', theirs, settled: members, mine })
    return true
  }

  return {
    element,
    hide,
    /** After the service said that the document is another by now. */
    look: (): void => void compare(draft.stored()?.document.id ?? ''),
  }
}
