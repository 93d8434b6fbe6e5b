/** Choosing a role: each says what it may do. */
import { fieldTitle, valueTitle } from '../../model-words.ts'
import { textOr } from '../../texts.ts'
import { h } from '../../kit/dom.ts'

export interface RoleSelect {
  readonly element: HTMLElement
  readonly select: HTMLSelectElement
}

export interface RoleSelectOptions {
  /** The field of the user: `appRole`. */
  readonly name: string
  readonly values: readonly string[]
  readonly value: string
  /** The id of what tells a problem with it. */
  readonly describedBy?: string
  readonly onChange?: () => void
}

export function roleSelect({ name, values, value, describedBy, onChange }: RoleSelectOptions): RoleSelect {
  const options = values.map((one) => {
    const meaning = textOr(`role.${one}`, '')
    return h('option', { value: one }, meaning === '' ? valueTitle(one) : `${valueTitle(one)} – ${meaning}`)
  })
  const select = h(
    'select',
    { name, value, 'aria-describedby': describedBy, on: { change: () => onChange?.() } },
    options,
  )
  return { select, element: h('label', { class: 'field' }, h('span', {}, fieldTitle(name)), select) }
}
