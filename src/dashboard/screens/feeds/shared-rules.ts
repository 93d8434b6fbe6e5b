/** The rules for the items of all feeds. */
import { isAdmin } from '../../../models/caller.ts'
import { feedRules } from '../../../models/feed-model.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { FEEDS, hrefTo } from '../../screen-url.ts'
import { documentsOf } from '../../any-documents.ts'
import { t } from '../../texts.ts'
import { askToLeave } from '../../kit/dialog.ts'
import { fill, h } from '../../kit/dom.ts'
import { crumb, screenHead } from '../../kit/elements.ts'
import { notifyFailure } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { saveButton, type SaveButton } from '../../kit/save-button.ts'
import { rulesEditor } from './rules-editor.ts'

export function sharedRulesScreen(context: ScreenContext): Screen {
  const { client, signal, user } = context
  const documents = documentsOf(client, feedRules)
  const id = feedRules.singleton ?? ''
  const title = t('feeds.sharedRules')
  const mayWrite = isAdmin(user)
  const [body, saving] = [h('div'), h('div', { class: 'buttons' })]
  let save: SaveButton | undefined
  readInto(context, {
    element: body,
    lines: 8,
    async read(options) {
      // There are none until the first are saved.
      const { items } = await documents.list({ limit: 1 }, options)
      return items.length === 0 ? undefined : documents.get(id, options)
    },
    show(stored) {
      const editor = rulesEditor(stored?.document['rules'], context, { feed: undefined, onChange: () => save?.changed(), isReadOnly: !mayWrite })
      save = saveButton({
        ...{ documents, id, etag: stored?.etag, signal },
        body: () => ({ rules: editor.value() }),
        isComplete: () => !editor.showUnfinished(),
        tell: notifyFailure,
      })
      fill(saving, mayWrite && save.element)
      return h('div', { class: 'card' }, editor.element)
    },
  })

  return {
    title,
    element: h(
      'section',
      { class: 'feeds narrow-screen' },
      crumb(hrefTo([FEEDS]), t('models.feed')),
      screenHead(title, saving),
      h('p', { class: 'soft about' }, t('rules.about')),
      body,
    ),
    hasUnsaved: () => save?.hasUnsaved() === true,
    mayLeave: askToLeave,
    save: () => save?.save(),
  }
}
