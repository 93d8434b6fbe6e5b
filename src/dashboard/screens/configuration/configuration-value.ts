/** A value of the configuration in the words of the form: what can be chosen or ticked there by its names. */
import type { Json } from '../../../client/client.ts'
import { remoteConfig } from '../../../models/remote-config.ts'
import type { Field } from '../../../models/schema.ts'
import { valueTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'

/** `steps` are the names of members from the outside in. What is declared nowhere is shown as it is stored. */
export function valueText(steps: readonly string[], value: Json): string {
  const field = fieldAt(steps)
  if (field?.kind === 'boolean' && typeof value === 'boolean') return t(`configuration.${value ? 'yes' : 'no'}`)
  if (typeof value !== 'string' || value === '') return JSON.stringify(value)
  return field?.kind === 'choice' && field.values.includes(value) ? valueTitle(value) : value
}

function fieldAt(steps: readonly string[]): Field | undefined {
  const { fields } = remoteConfig
  return steps.reduce<Field | undefined>(stepInto, { kind: 'record', fields, extras: 'keep' })
}

function stepInto(field: Field | undefined, step: string): Field | undefined {
  switch (field?.kind) {
    case 'record':
      return Object.hasOwn(field.fields, step) ? field.fields[step] : undefined
    case 'map':
      return field.of
    case 'nullable':
      return stepInto(field.of, step)
    default:
      return undefined
  }
}
