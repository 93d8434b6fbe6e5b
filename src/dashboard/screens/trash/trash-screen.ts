/** What was deleted, model by model, the latest first: restored or deleted for good, one or many at a time. */
import type { Model } from '../../../models/schema.ts'
import { draftsOf, labelOf, type Members, type TrashItem } from '../../any-documents.ts'
import { countTitle, modelsTitle } from '../../model-titles.ts'
import { trashedModels } from '../../permissions.ts'
import { hrefTo } from '../../screen-url.ts'
import type { OpenScreen, ScreenContext } from '../../screen.ts'
import { documentsChanged, onDocumentsChanged } from '../../changed-documents.ts'
import { t } from '../../texts.ts'
import { actorName } from '../../people.ts'
import { bringBack } from '../../removal.ts'
import { historyPanel } from '../editor/history-panel.ts'
import { h } from '../../kit/dom.ts'
import { screenHead } from '../../kit/elements.ts'
import { partLinks } from '../../kit/part-links.ts'
import { ago } from '../../kit/moments.ts'
import { emptyState } from '../../kit/states.ts'
import { dataTable, type TableMemory } from '../../kit/table/data-table.ts'
import { PAGE_ROWS } from '../../kit/table/page-list.ts'
import { createRowSelection } from '../../kit/table/row-selection.ts'
import type { TableColumn } from '../../kit/table/table-column.ts'
import { ask, openDialog } from '../../kit/dialog.ts'
import { hasFocus } from '../../kit/focus.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { bulkAction, selectionBar, type SelectionBarOptions } from '../../kit/table/bulk-work.ts'

/** A row with the name of who deleted it. */
export type TrashRow = TrashItem & { readonly label: string; readonly who: string }

const memory: TableMemory = {}

export const trashScreen: OpenScreen = (context) => {
  const { user, screenUrl, live, signal } = context
  const title = t('trash.title')
  const models = trashedModels(user)
  const wanted = screenUrl.query.get('model')
  const model = models.find(({ name }) => name === wanted) ?? models[0]
  const head = screenHead(title)
  if (model === undefined) return { title, element: h('section', {}, head, emptyState('trash', t('trash.empty'))) }

  const selection = createRowSelection(() => {
    table.showChosen()
    bar.show()
  })
  const table = dataTable<TrashRow>({
    label: title,
    columns: columns(),
    load: (cursor, ended) => readTrash(model, context, cursor, ended),
    labelOf: ({ label }) => label,
    empty: () => emptyState('trash', t('trash.empty')),
    selection,
    memory,
    key: () => `${user.id} trash ${model.name}`,
    signal,
  })
  const bar = trashBar({ model, context, selection, focusRows: () => table.focus() })
  onDocumentsChanged(() => table.sift(), signal)
  live.watch(() => table.sift(), signal, (change) => change.model === model.name)
  return {
    title,
    keys: table.keys,
    element: h(
      'section',
      { class: 'list' },
      head,
      h('p', { class: 'soft' }, t('trash.about')),
      tabs(models, model),
      table.element,
      bar.element,
    ),
  }
}

/** One tab for each model. */
function tabs(models: readonly Model[], shown: Model): HTMLElement {
  const links = models.map((model) => {
    const href = hrefTo(['trash'], { model: model.name })
    return h('li', {}, h('a', { href, 'aria-current': model === shown && 'page' }, modelsTitle(model)))
  })
  return partLinks(t('trash.models'), links).element
}

async function readTrash(model: Model, { client, user }: ScreenContext, cursor: string | undefined, signal: AbortSignal) {
  const page = await draftsOf(client, model).trash({ limit: PAGE_ROWS, cursor }, { signal })
  const items = page.items.map((item): TrashRow => ({ ...item, label: labelOf(item.document as Members), who: actorName(item.actor, user) }))
  return { ...page, items }
}

function columns(): readonly TableColumn<TrashRow>[] {
  return [
    { key: 'label', title: t('trash.document'), width: 'minmax(0, 3fr)', cell: ({ label }) => h('bdi', { title: label }, label) },
    { key: 'who', title: t('trash.by'), width: 'minmax(0, 1.3fr)', cell: ({ who }) => h('bdi', { title: who }, who) },
    { key: 'deletedAt', title: t('trash.when'), width: '8.5rem', cell: ({ deletedAt }) => ago(deletedAt) },
    { key: 'erasedAt', title: t('trash.until'), width: '8.5rem', isDetail: true, cell: erasure },
  ]
}

/** A card has no head of columns that says what the date is. */
function erasure({ erasedAt }: TrashRow): HTMLElement {
  return h('span', {}, h('span', { class: 'of-card' }, `${t('trash.until')} `), ago(erasedAt))
}

interface TrashBarOptions extends Omit<SelectionBarOptions, 'actions'> {
  readonly model: Model
  readonly context: ScreenContext
}

function trashBar({ model, context, ...given }: TrashBarOptions) {
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
