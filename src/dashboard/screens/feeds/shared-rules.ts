/** The rules for the items of all feeds. */
import { isAdmin } from '../../../models/caller.ts'
import { feedRules } from '../../../models/feed-model.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { FEEDS, hrefTo } from '../../screen-url.ts'
import { documentsOf } from '../../any-documents.ts'
import { t } from '../../texts.ts'
import { askToLeave } from '../../kit/dialog.ts'
import { h } from '../../kit/dom.ts'
import { crumb, screenHead } from '../../kit/elements.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { saveButton } from '../../kit/save-button.ts'
import { rulesEditor, type RulesEditor } from './rules-editor.ts'

export function sharedRulesScreen(context: ScreenContext): Screen {
  const { client, signal, user } = context
  const documents = documentsOf(client, feedRules)
  const id = feedRules.singleton ?? ''
  const title = t('feeds.sharedRules')
  const mayWrite = isAdmin(user)
  const body = h('div')
  let etag: string | undefined
  let editor: RulesEditor | undefined
  const save = saveButton({
    isComplete: () => editor?.showUnfinished() === false,
    store: () => documents.replace(id, { rules: editor?.value() ?? [] }, { signal, ifMatch: etag }),
    onStored(stored) {
      etag = stored.etag
      notify(t('feeds.saved'), { kind: 'done' })
    },
    tell: notifyFailure,
  })
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
      editor = rulesEditor(stored?.document['rules'], context, { feed: undefined, onChange: save.changed, isReadOnly: !mayWrite })
      return h('div', { class: 'card' }, editor.element)
    },
  })

  return {
    title,
    element: h(
      'section',
      { class: 'feeds narrow-screen' },
      crumb(hrefTo([FEEDS]), t('models.feed')),
      screenHead(title, mayWrite && save.element),
      h('p', { class: 'soft about' }, t('rules.about')),
      body,
    ),
    hasUnsaved: save.hasUnsaved,
    mayLeave: askToLeave,
    save: save.save,
  }
}
