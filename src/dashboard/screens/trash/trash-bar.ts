/** What can be done with the chosen documents of the trash. */
import type { Model } from '../../../models/schema.ts'
import { draftsOf } from '../../any-documents.ts'
import { countTitle } from '../../model-titles.ts'
import { documentsChanged } from '../../changed-documents.ts'
import { bringBack } from '../../removal.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { ask, openDialog } from '../../kit/dialog.ts'
import { hasFocus } from '../../kit/focus.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { historyPanel } from '../editor/history-panel.ts'
import { bulkAction, selectionBar, type SelectionBarOptions } from '../../kit/table/bulk-work.ts'

export interface TrashBarOptions extends Omit<SelectionBarOptions, 'actions'> {
  readonly model: Model
  readonly context: ScreenContext
}

export function trashBar({ model, context, ...given }: TrashBarOptions) {
  const { selection } = given
  const { client } = context
  const history = bulkAction(t('history.title'), 'docs', showHistory)
  const bar = selectionBar({
    ...given,
    actions: [
      history,
      bulkAction(t('restore.button'), 'refresh', () => void restore()),
      bulkAction(t('trash.purge'), 'trash', () => void purge()),
    ],
  })

  /** Of the one that is chosen. */
  function showHistory(): void {
    const [id = ''] = selection.ids()
    const panel = historyPanel({ model, context, documents: draftsOf(client, model), id, restore: () => Promise.resolve(), maySetStatus: () => false })
    openDialog({ title: t('history.title'), body: panel.element, wide: true })
  }

  async function restore(): Promise<void> {
    const [ids, hadFocus] = [selection.ids(), hasFocus(bar.element)]
    const back = new Set(await bar.run(ids.length, (onProgress) => bringBack({ client, model, ids, onProgress })))
    bar.letGo(ids.filter((id) => !back.has(id)), hadFocus)
    if (back.size > 0) notify(t('bulk.undone', { items: countTitle(model, back.size) }), { kind: 'done' })
  }

  async function purge(): Promise<void> {
    const [ids, hadFocus] = [selection.ids(), hasFocus(bar.element)]
    const items = countTitle(model, ids.length)
    if (!(await ask({ title: t('trash.purgeTitle'), text: t('trash.purgeText', { items }), confirm: t('trash.purge'), isDangerous: true }))) return
    let done = 0
    try {
      await bar.run(ids.length, async (onProgress) => {
        for (const id of ids) {
          await draftsOf(client, model).eraseTrashed(id)
          onProgress(++done)
        }
      })
      notify(t('trash.purged', { items }), { kind: 'done' })
    } catch (error) {
      notifyFailure(error)
    }
    bar.letGo(ids.slice(done), hadFocus)
    documentsChanged()
  }

  return {
    ...bar,
    show(): void {
      history.hidden = selection.size !== 1
      bar.show()
    },
  }
}
