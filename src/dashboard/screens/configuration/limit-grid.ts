/** Limits of users as a table: what is limited, by who has the limit. */
import type { Json } from '../../../client/client.ts'
import type { Field, RecordField } from '../../../models/schema.ts'
import { isMembers, memberOf } from '../../any-documents.ts'
import { groupControl, type Control, type ControlOptions } from '../../kit/form/control.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import { cellControl, gridTable } from './grid-element.ts'
import { LIMITED, readLimitName, type LimitName } from './limit-names.ts'

/** Whether a record has limits of users, which have names in two parts. */
export function hasLimits({ fields }: RecordField): boolean {
  return Object.keys(fields).some((name) => readLimitName(name) !== undefined)
}

/** `other` makes the controls of fields that are no limits. */
export function limitGrid(
  { fields }: RecordField,
  options: ControlOptions,
  other: (path: string, field: Field) => Control,
): Control {
  const controls = new Map<string, Control>()
  const below: HTMLElement[] = []
  const what = new Set<string>()
  for (const [name, field] of Object.entries(fields)) {
    const path = `${options.path}.${name}`
    const limit = readLimitName(name)
    if (limit === undefined) {
      const control = other(path, field)
      controls.set(name, control)
      below.push(control.element)
    } else {
      what.add(limit.what)
      controls.set(name, cellControl(field, { path, label: limitTitle(limit), onChange: options.onChange }))
    }
  }
  const who = Object.keys(LIMITED) as LimitName['who'][]
  const heads = who.map((by) => valueTitle(LIMITED[by]))
  const rows = [...what].map((one) => ({
    title: fieldTitle(one),
    cells: who.map((by) => controls.get(`${by}${one}`)),
  }))
  let original: Json | undefined
  return groupControl(options, {
    content: [gridTable(options.label, heads, rows), below],
    controls: () => [...controls.values()],
    value() {
      // A limit that is missing is rejected; the server says so where it is missing.
      const filled = [...controls].map(([name, control]) => [name, control.value() ?? ''] as const)
      return { ...(isMembers(original) ? original : {}), ...Object.fromEntries(filled) }
    },
    set(value) {
      original = value
      for (const [name, control] of controls) control.set(memberOf(value, name))
    },
  })
}

export function limitTitle({ who, what }: LimitName): string {
  return `${fieldTitle(what)}: ${valueTitle(LIMITED[who])}`
}
