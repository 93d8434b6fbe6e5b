/** The editor of one document: at `/headlines/ID`, and of a new one at `/headlines/new`, maybe with values of another. */
import type { Model } from '../../../models/schema.ts'
import { documentsOf, labelOf } from '../../any-documents.ts'
import { sentMembers } from './document-members.ts'
import { editorCrumb, newTitle } from './editor-frame.ts'
import { openEditing, type Editing } from './editing.ts'
import type { StoredAny } from './store-document.ts'
import { modelTitle } from '../../model-titles.ts'
import { isBeingRemoved, onDocumentsChanged } from '../../removal.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { fill, h } from '../../kit/dom.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState } from '../../kit/states.ts'

export function documentEditor(model: Model, context: ScreenContext): Screen {
  const { client, screenUrl, signal } = context
  const documents = documentsOf(client, model)
  const id = screenUrl.segments[1] === 'new' ? undefined : screenUrl.segments[1]
  const title = id === undefined ? newTitle(model) : modelTitle(model)
  const body = h('div')
  const element = h('section', { class: 'editor' }, editorCrumb(model), h('h1', {}, title), body)
  let editing: Editing | undefined
  let isGone = false

  const { load } = readInto(context, {
    element: body,
    lines: 12,
    async read(options) {
      const from = id ?? screenUrl.query.get('from')
      return from === null ? undefined : documents.get(from, options)
    },
    show,
  })
  onDocumentsChanged(() => {
    if (isGone) load()
  }, signal)

  function show(found: StoredAny | undefined): HTMLElement | null {
    isGone = id !== undefined && isBeingRemoved({ id })
    // It can still be brought back, and then it is here again.
    if (isGone) return emptyState('trash', t('removal.done', { label: labelOf(found?.document ?? {}) }))
    const copied = found && sentMembers(model, found.document)
    editing = openEditing({ model, context, documents, ...(id === undefined ? { copied } : { stored: found }) })
    fill(element, editing.element)
    return null
  }

  return {
    title,
    element,
    hasUnsaved: () => editing?.hasUnsaved() === true,
    mayLeave: async () => editing === undefined || editing.mayLeave(),
    save: () => editing?.save(),
  }
}
