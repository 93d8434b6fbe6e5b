/** The rules for the items of all feeds. */
import { PreconditionFailed } from '../../../client/client.ts'
import { isAdmin } from '../../../models/caller.ts'
import { feedRules } from '../../../models/feed-model.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { documentsOf } from '../../any-documents.ts'
import { t } from '../../texts.ts'
import { button, h } from '../../kit/dom.ts'
import { whileBusy } from '../../kit/focus.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { askToLeave } from '../../kit/unsaved.ts'
import { feedsCrumb } from './feeds-crumb.ts'
import { rulesEditor, type RulesEditor } from './rules-editor.ts'

export function sharedRulesScreen(context: ScreenContext): Screen {
  const { client, signal, user } = context
  const documents = documentsOf(client, feedRules)
  const id = feedRules.singleton ?? ''
  const title = t('feeds.sharedRules')
  const mayWrite = isAdmin(user)
  const body = h('div')
  let [isUnsaved, etag]: [boolean, string | undefined] = [false, undefined]
  let editor: RulesEditor | undefined
  const saveButton: HTMLButtonElement = button(t('save'), save, { class: 'primary', disabled: true })
  readInto(context, {
    element: body,
    lines: 8,
    async read(options) {
      // There are none until the first are saved.
      const { items } = await documents.list({ limit: 1 }, options)
      return items.length === 0 ? undefined : documents.get(id, options)
    },
    show(stored) {
      etag = stored?.etag
      editor = rulesEditor(stored?.document['rules'], context, { feed: undefined, onChange: () => mark(true), isReadOnly: !mayWrite })
      return h('div', { class: 'card' }, editor.element)
    },
  })

  function mark(unsaved: boolean): void {
    isUnsaved = unsaved
    saveButton.disabled = !unsaved
  }

  function save(): void {
    if (editor === undefined || saveButton.disabled || editor.showUnfinished()) return
    const own = editor
    void whileBusy(saveButton, async () => {
      try {
        const sent = own.value()
        etag = (await documents.replace(id, { rules: sent }, { signal, ...(etag !== undefined && { ifMatch: etag }) })).etag
        notify(t('feeds.saved'), { kind: 'done' })
        isUnsaved = false
      } catch (error) {
        if (error instanceof PreconditionFailed) notify(t('feeds.changedElsewhere'), { kind: 'failed' })
        else notifyFailure(error)
      }
    }).finally(() => mark(isUnsaved))
  }

  return {
    title,
    element: h(
      'section',
      { class: 'feeds narrow-screen' },
      feedsCrumb(),
      h('div', { class: 'screen-head' }, h('h1', {}, title), mayWrite && saveButton),
      h('p', { class: 'soft about' }, t('rules.about')),
      body,
    ),
    hasUnsaved: () => isUnsaved,
    mayLeave: async () => !isUnsaved || askToLeave(),
    save,
  }
}
