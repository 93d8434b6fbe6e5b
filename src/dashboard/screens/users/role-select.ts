/** Choosing a role: each says what it may do. */
import { fieldTitle, valueTitle } from '../../model-words.ts'
import { textOr } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { labelled } from '../../kit/elements.ts'

export interface RoleSelectOptions {
  /** The field of the user: `appRole`. */
  readonly name: string
  readonly values: readonly string[]
  readonly value: string
  /** The id of what tells a problem with it. */
  readonly describedBy?: string
  readonly onChange?: () => void
}

export function roleSelect({ name, values, value, describedBy, onChange }: RoleSelectOptions) {
  const options = values.map((one) => {
    const meaning = textOr(`role.${one}`, '')
    return h('option', { value: one }, meaning === '' ? valueTitle(one) : `${valueTitle(one)} – ${meaning}`)
  })
  const change = (): void => onChange?.()
  const select = h('select', { name, value, 'aria-describedby': describedBy, on: { change } }, options)
  return { select, element: labelled(fieldTitle(name), select) }
}
