/** The form of the configuration: made from its declaration, with grids where its values are tables in truth. */
import type { Field } from '../../../models/schema.ts'
import { remoteConfig } from '../../../models/remote-config.ts'
import type { Members } from '../../any-documents.ts'
import type { Control, ControlOptions } from '../../kit/form/control.ts'
import { controlOf, formFor, type Form, type FormOptions } from '../../kit/form/form.ts'
import { pickerControl, type PickerParts } from '../../kit/form/picker.ts'
import { textOr } from '../../texts.ts'
import { columnsOf } from './grid-shape.ts'
import { hasLimits, limitGrid } from './limit-grid.ts'
import { mapGrid } from './map-grid.ts'

export function configurationForm(value: Members, onChange: () => void, parts: PickerParts): Form {
  const options: FormOptions = {
    onChange,
    picker: (model, given) => pickerControl(model, given, parts),
    about: (path) => textOr(`about.${path}`, '') || undefined,
    instead,
  }
  return formFor(remoteConfig.fields, value, options)

  function instead(_path: string, field: Field, given: ControlOptions): Control | undefined {
    if (field.kind === 'record' && hasLimits(field)) {
      return limitGrid(field, given, (path, inner) => controlOf(inner, path, options))
    }
    if (field.kind !== 'map') return undefined
    const columns = columnsOf(field)
    return columns && mapGrid(field, columns, given)
  }
}
