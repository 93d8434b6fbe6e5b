/** The menus over a list, and the switch of its pictures. */
import type { Model } from '../../../models/schema.ts'
import { fieldTitle } from '../../model-titles.ts'
import { arePicturesShown, maySwitchPictures, pictureField, showPictures } from '../../pictures.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { dropDown } from '../../kit/drop-down.ts'
import { button, h, type Child } from '../../kit/dom.ts'
import { icon, type IconName } from '../../kit/icons.ts'
import { exportPanel } from './export-panel.ts'
import { filterPanel } from './filter-panel.ts'
import { COLUMNS_MAX } from './list-state.ts'
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

/** Shows pictures in lists, for a reader who may decide. Null where there is nothing to decide. */
export function pictureSwitch(model: Model, onChange: () => void): HTMLElement | null {
  if (!maySwitchPictures() || pictureField(model) === undefined) return null
  const change = (): void => {
    showPictures(!arePicturesShown())
    mark()
    onChange()
  }
  const mark = (): void => element.setAttribute('aria-pressed', String(arePicturesShown()))
  const element = button([icon('picture'), h('span', {}, t('list.pictures'))], change)
  mark()
  return element
}

/** Choosing the columns. The first names the row and stays. */
function columnPanel({ columns, rules, tickColumns }: Pick<ListView, 'columns' | 'rules' | 'tickColumns'>, onChange: () => void): HTMLElement {
  const shown = columns()
  const boxes = rules.columns.map((one) => h('input', { type: 'checkbox', value: one.name, checked: shown.includes(one), on: { change } }))
  limit()
  return h(
    'ul',
    {},
    boxes.map((box) => h('li', {}, h('label', { class: 'tick' }, box, fieldTitle(box.value)))),
  )

  function change(): void {
    tickColumns(boxes.filter(({ checked }) => checked).map(({ value }) => value))
    onChange()
    limit()
  }

  function limit(): void {
    const isFull = columns().length >= COLUMNS_MAX
    for (const [i, box] of boxes.entries()) box.disabled = i === 0 || (isFull && !box.checked)
  }
}
