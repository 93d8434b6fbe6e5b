/** A map of short values as a table: a row for each key, whether it is there or not. */
import type { Json } from '../../../client/client.ts'
import type { MapField } from '../../../models/schema.ts'
import { memberOf } from '../../any-documents.ts'
import { groupControl, type Control, type ControlOptions } from '../../kit/form/control.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import { h } from '../../kit/dom.ts'
import { cellControl, gridTable } from './grid-element.ts'
import { valueFromCells, type Column } from './grid-shape.ts'

export function mapGrid(field: MapField, columns: readonly Column[], options: ControlOptions): Control {
  const { path, onChange } = options
  const cells = new Map<string, Control>()
  let original: Json | undefined
  const rows = field.keys.map((key) => ({
    title: valueTitle(key),
    cells: columns.map((column) => {
      const steps = [key, ...column.steps].join('.')
      const label = `${valueTitle(key)}: ${titlesOf(column).join(', ')}`
      const control = cellControl(column.field, { path: `${path}.${steps}`, label, onChange })
      cells.set(steps, control)
      return control
    }),
  }))
  const heads = columns.map((column) => {
    const [first, ...more] = titlesOf(column)
    return [first, more.map((title) => h('span', {}, title))]
  })
  return groupControl(options, {
    content: gridTable(options.label, heads, rows),
    controls: () => [...cells.values()],
    value: () => valueFromCells(field, { original, cell: (steps) => cells.get(steps.join('.'))?.value() }) ?? {},
    set(value) {
      original = value
      for (const [steps, control] of cells) control.set(steps.split('.').reduce(memberOf, value))
    },
  })
}

function titlesOf({ keys, member }: Column): readonly string[] {
  return [...keys.map(valueTitle), ...(member === undefined ? [] : [fieldTitle(member)])]
}
