/** The editor of one document: at `/headlines/ID`, and of a new one at `/headlines/new`, maybe with values of another. */
import type { Model } from '../../../models/schema.ts'
import { documentsOf, labelOf, type Members } from '../../any-documents.ts'
import { sentMembers } from './document-members.ts'
import { editorCrumb, newTitle } from './editor-frame.ts'
import { openEditing, type Editing } from './editing.ts'
import type { StoredAny } from './store-document.ts'
import { modelTitle } from '../../model-words.ts'
import { isBeingRemoved, onDocumentsChanged } from '../../removal.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { fill, h } from '../../kit/dom.ts'
import { emptyState, failureState, isAbort, skeleton } from '../../kit/states.ts'

export function documentEditor(model: Model, context: ScreenContext): Screen {
  const { client, place, signal } = context
  const documents = documentsOf(client, model)
  const id = place.segments[1] === 'new' ? undefined : place.segments[1]
  const element = h('section', { class: 'editor' })
  const title = id === undefined ? newTitle(model) : modelTitle(model)
  let editing: Editing | undefined
  let isGone = false

  async function load(): Promise<void> {
    fill(element, editorCrumb(model), h('h1', {}, title), skeleton(12))
    try {
      const from = id ?? place.query.get('from')
      const found = from === null ? undefined : await documents.get(from, { signal })
      isGone = id !== undefined && isBeingRemoved({ id })
      if (isGone)
        return void fill(element, editorCrumb(model), h('h1', {}, title), gone(labelOf(found?.document ?? {})))
      editing = openEditing({ model, context, documents, ...(id === undefined ? copied(found) : { start: found }) })
      fill(element, editing.element)
    } catch (error) {
      if (!isAbort(error))
        fill(
          element,
          editorCrumb(model),
          h('h1', {}, title),
          failureState(error, () => void load()),
        )
    }
  }

  function copied(original: StoredAny | undefined): { readonly copied?: Members } {
    return original === undefined ? {} : { copied: sentMembers(model, original.document) }
  }

  /** It can still be brought back, and then it is here again. */
  function gone(label: string): HTMLElement {
    return emptyState('trash', t('removal.done', { label }))
  }
  onDocumentsChanged(() => {
    if (isGone) void load()
  }, signal)

  void load()
  return {
    title,
    element,
    hasUnsaved: () => editing?.hasUnsaved() === true,
    mayLeave: async () => editing === undefined || editing.mayLeave(),
    save: () => editing?.save(),
  }
}
