/** A list of choices as boxes to tick, in the order of the declaration. */
import { h } from '../dom.ts'
import { groupControl, type Control, type ControlOptions } from './control.ts'

/** `titleOf` names a choice. */
export function tickList(options: ControlOptions, values: readonly string[], titleOf: (value: string) => string) {
  let isTouched = false
  const change = (): void => {
    isTouched = true
    options.onChange(options.path)
  }
  const boxes = values.map((value) => h('input', { type: 'checkbox', value, on: { change } }))
  const value = (): readonly string[] => boxes.filter((box) => box.checked).map((box) => box.value)
  const control = groupControl(options, {
    content: h('div', { class: 'choices' }, boxes.map((box) => h('label', { class: 'tick' }, box, ' ', titleOf(box.value)))),
    controls: () => [],
    value,
    set: (given) => boxes.forEach((box) => (box.checked = Array.isArray(given) && given.includes(box.value))),
  })
  return { ...control, value, isTouched: () => isTouched } satisfies Control
}
