/** A group of controls as a table, whose heads say what each is, and the control of one cell. */
import type { Field } from '../../../models/schema.ts'
import { inputControl, type Control, type ControlOptions } from '../../kit/form/control.ts'
import { booleanInput, choiceInput, wholeInput } from '../../kit/form/input-kinds.ts'
import { h, type Child } from '../../kit/dom.ts'

export interface GridRow {
  readonly title: string
  readonly cells: readonly (Control | undefined)[]
}

export function gridTable(label: string, heads: readonly Child[], rows: readonly GridRow[]): HTMLElement {
  const head = h('tr', {}, [h('td', {}), ...heads.map((title) => h('th', { scope: 'col' }, title))])
  const body = rows.map(({ title, cells }) => {
    return h('tr', {}, [h('th', { scope: 'row' }, title), ...cells.map((cell) => h('td', {}, cell?.element))])
  })
  return h(
    'div',
    { class: 'grid-scroll' },
    h('table', { class: 'grid', 'aria-label': label }, h('thead', {}, head), h('tbody', {}, body)),
  )
}

/** A cell may be empty, whatever the field says: what that means is decided by all cells of its row. */
export function cellControl(field: Field, options: ControlOptions): Control {
  const inner = field.kind === 'nullable' ? field.of : field
  if (inner.kind === 'boolean') return inputControl(options, booleanInput())
  if (inner.kind === 'choice') return inputControl(options, choiceInput(inner.values, true))
  return inputControl(options, wholeInput(true))
}
