/** The menus over a list: what each opens is fetched when the reader comes near it, or opens it before. */
import type { Model } from '../../../models/schema.ts'
import type { StoredDocument } from '../../any-documents.ts'
import type { ScreenContext } from '../../screen.ts'
import { t, withScreenTexts } from '../../texts.ts'
import { dropDown } from '../../kit/drop-down.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { hasFocus } from '../../kit/focus.ts'
import { icon, type IconName } from '../../kit/icons.ts'
import { notifyFailure } from '../../kit/notices.ts'
import type { TableColumn } from '../../kit/table/table-column.ts'
import type { ListView } from './list-view.ts'

export interface ListMenusOptions {
  readonly model: Model
  readonly context: ScreenContext
  readonly view: ListView
  readonly columns: readonly TableColumn<StoredDocument>[]
  /** Called when others are to be shown. */
  readonly onColumns: () => void
}

export function listMenus({ model, context, view, columns, onColumns }: ListMenusOptions): readonly HTMLElement[] {
  const { signal } = context
  return [
    laterMenu(t('list.filter'), 'filter', signal, async () => {
      const { filterPanel } = await withScreenTexts(import('./filter-panel.ts'))
      return () => filterPanel(view)
    }),
    laterMenu(t('list.views'), 'view', signal, async () => {
      const { viewsPanel } = await withScreenTexts(import('./views-panel.ts'))
      return (close) => viewsPanel(model, context, { view, close })
    }),
    laterMenu(t('list.columns'), 'columns', signal, async () => {
      const { columnPanel } = await import('./column-panel.ts')
      return () => columnPanel(columns, view, onColumns)
    }),
    laterMenu(t('list.export'), 'download', signal, async () => {
      const { exportPanel } = await withScreenTexts(import('./export-panel.ts'))
      return (close) => exportPanel(model, context, { query: view.query, close })
    }),
  ]
}

/** Makes the content of a panel, which `close` closes. */
type MakePanel = (close: () => void) => Child

function laterMenu(label: string, iconName: IconName, signal: AbortSignal, load: () => Promise<MakePanel>): HTMLElement {
  let make: MakePanel | undefined
  const fetchPanel = async (): Promise<MakePanel> => (make ??= await load())
  const { element, close } = dropDown({
    label: [icon(iconName), h('span', {}, label)],
    name: label,
    content: () => make?.(close) ?? contentLater(),
    signal,
  })
  // A failure is told when the menu is opened.
  const comeNear = (): void => void fetchPanel().catch(() => {})
  element.addEventListener('pointerenter', comeNear)
  element.addEventListener('focusin', comeNear)

  function contentLater(): HTMLElement {
    const place = h('div', { 'aria-busy': 'true' })
    fetchPanel()
      .then((makePanel) => {
        // Meanwhile it may have been closed.
        if (!place.isConnected) return
        fill(place, makePanel(close)).removeAttribute('aria-busy')
        if (hasFocus(element)) place.querySelector<HTMLElement>('input, button')?.focus()
      })
      .catch((error: unknown) => {
        close()
        notifyFailure(error)
      })
    return place
  }

  return element
}
