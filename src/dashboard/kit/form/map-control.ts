/** A keyed map: a group for each key that is there, and a way to add those that are not. */
import type { Json } from '../../../client/client.ts'
import { isMembers } from '../../any-documents.ts'
import { valueTitle } from '../../model-words.ts'
import { t } from '../../texts.ts'
import { fill, h } from '../dom.ts'
import { icon } from '../icons.ts'
import { groupControl, type Control, type ControlOptions } from './control.ts'

/** `entry` makes the control of a key's value. */
export function mapControl(
  keys: readonly string[],
  { path, label, about, onChange }: ControlOptions,
  entry: (key: string) => Control,
): Control {
  const present = new Map<string, Control>()
  const body = h('div', { class: 'form' })
  const absent = h('div', { class: 'buttons' })
  const add = (key: string, value: Json | undefined): void => {
    const control = entry(key)
    control.set(value)
    present.set(key, control)
  }
  const draw = (): void => {
    const inOrder = keys.filter((key) => present.has(key))
    fill(
      body,
      inOrder.map((key) => h('div', { class: 'entry' }, present.get(key)?.element, removeButton(key))),
    )
    fill(
      absent,
      keys
        .filter((key) => !present.has(key))
        .map((key) =>
          h(
            'button',
            { type: 'button', class: 'small', on: { click: () => change(key, () => add(key, undefined)) } },
            icon('plus'),
            valueTitle(key),
          ),
        ),
    )
  }
  /** The button that was pressed goes: the focus moves on to what has come in its place. */
  const change = (key: string, run: () => void): void => {
    run()
    draw()
    const next = present.get(key)?.element ?? absent
    next.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
    onChange(path)
  }
  const removeButton = (key: string): HTMLElement =>
    h(
      'button',
      {
        type: 'button',
        class: 'plain small',
        'aria-label': t('form.removeKey', { key: valueTitle(key) }),
        on: { click: () => change(key, () => present.delete(key)) },
      },
      icon('trash'),
    )
  draw()
  return groupControl({
    path,
    element: h(
      'fieldset',
      { class: 'group', 'data-path': path },
      h('legend', {}, label),
      about === undefined ? null : h('p', { class: 'field-about' }, about),
      body,
      absent,
    ),
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
