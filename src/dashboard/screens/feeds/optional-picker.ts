/** A picker whose choice can be taken back, for a reference that may be none. */
import type { Model } from '../../../models/schema.ts'
import { t } from '../../texts.ts'
import { button } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import type { Control, ControlOptions } from '../../kit/form/control.ts'
import { pickerControl, type PickerParts } from '../../kit/form/picker.ts'

export function optionalPicker(model: Model, options: ControlOptions, parts: PickerParts): Control {
  const { path, label, onChange } = options
  const own = pickerControl(model, { ...options, onChange: changed }, parts)
  const input = own.element.querySelector('input')
  const clear = button(icon('close'), take, { class: 'plain small picker-clear', 'aria-label': t('feeds.clear', { name: label }), hidden: true })
  own.element.querySelector('.picker')?.append(clear)

  function changed(at: string): void {
    update()
    onChange(at)
  }

  function take(): void {
    own.set(null)
    update()
    input?.focus()
    onChange(path)
  }

  function update(): void {
    clear.hidden = (own.value() ?? null) === null
  }

  return {
    ...own,
    value: () => own.value() ?? null,
    set(value) {
      own.set(value)
      update()
    },
  }
}
