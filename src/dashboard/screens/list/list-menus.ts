/** The menus over a list. */
import type { Model } from '../../../models/schema.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { dropDown } from '../../kit/drop-down.ts'
import { h, type Child } from '../../kit/dom.ts'
import { icon, type IconName } from '../../kit/icons.ts'
import { columnPanel } from './column-panel.ts'
import { exportPanel } from './export-panel.ts'
import { filterPanel } from './filter-panel.ts'
import type { ListView } from './list-view.ts'
import { viewsPanel } from './views-panel.ts'

export interface ListMenusOptions {
  readonly model: Model
  readonly context: ScreenContext
  readonly view: ListView
  /** Called when others are to be shown. */
  readonly onColumns: () => void
}

export function listMenus({ model, context, view, onColumns }: ListMenusOptions): readonly HTMLElement[] {
  return [
    menu(t('list.filter'), 'filter', () => filterPanel(view)),
    menu(t('list.views'), 'view', (close) => viewsPanel(model, context, { view, close })),
    menu(t('list.columns'), 'columns', () => columnPanel(view, onColumns)),
    menu(t('list.export'), 'download', (close) => exportPanel(model, context, { query: view.query, close })),
  ]

  /** `panel` makes what is in it, and may close it. */
  function menu(label: string, iconName: IconName, panel: (close: () => void) => Child): HTMLElement {
    const { element, close } = dropDown({
      label: [icon(iconName), h('span', {}, label)],
      name: label,
      content: () => panel(close),
      signal: context.signal,
    })
    return element
  }
}
