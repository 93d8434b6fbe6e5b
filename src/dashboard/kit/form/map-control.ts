/** A keyed map: a group for each key that is there, and a way to add those that are not. */
import type { Json } from '../../../client/client.ts'
import { isMembers } from '../../any-documents.ts'
import { valueTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { button, fill, h } from '../dom.ts'
import { icon } from '../icons.ts'
import { groupControl, type Control, type ControlOptions } from './control.ts'

/** `entry` makes the control of a key's value. */
export function mapControl(
  keys: readonly string[],
  options: ControlOptions,
  entry: (key: string) => Control,
): Control {
  const present = new Map<string, Control>()
  const body = h('div', { class: 'form' })
  const absent = h('div', { class: 'buttons' })

  function add(key: string, value: Json | undefined): void {
    const control = entry(key)
    control.set(value)
    present.set(key, control)
  }

  function draw(): void {
    const entries = keys.flatMap((key) => {
      const control = present.get(key)
      return control === undefined ? [] : [h('div', { class: 'entry' }, control.element, removeButton(key))]
    })
    fill(body, entries)
    fill(absent, keys.filter((key) => !present.has(key)).map(addButton))
  }

  /** The button that was pressed goes: the focus moves on to what has come in its place. */
  function change(key: string, run: () => void): void {
    run()
    draw()
    const next = present.get(key)?.element ?? absent
    next.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
    options.onChange(options.path)
  }

  function addButton(key: string): HTMLElement {
    return button([icon('plus'), valueTitle(key)], () => change(key, () => add(key, undefined)), { class: 'small' })
  }

  function removeButton(key: string): HTMLElement {
    return button(icon('trash'), () => change(key, () => present.delete(key)), {
      class: 'plain small',
      'aria-label': t('form.removeKey', { key: valueTitle(key) }),
    })
  }

  draw()
  return groupControl(options, {
    content: [body, absent],
    controls: () => [...present.values()],
    value: () =>
      Object.fromEntries(
        keys.flatMap((key): [string, Json][] => {
          const value = present.get(key)?.value()
          return value === undefined ? [] : [[key, value]]
        }),
      ),
    set(value) {
      present.clear()
      const members = isMembers(value) ? value : {}
      for (const key of keys) if (Object.hasOwn(members, key)) add(key, members[key])
      draw()
    },
  })
}
