/**
 * What declarations say to people: the path of a model's screen, its names, and those of its fields and values.
 *
 * A text table may have better words under `model.NAME`, `models.NAME`, `count.NAME`, `field.NAME` or `value.NAME`; what
 * is new in a declaration and in no table yet is shown by its own name, so that nothing has to be done here for it.
 */
import type { Model } from '../models/schema.ts'
import { t, textOr } from './texts.ts'

/** `country` is at `/countries`. */
export function pathOf(model: Model): string {
  return plural(model.name.replaceAll('_', '-'))
}

export function modelTitle(model: Model): string {
  return textOr(`model.${model.name}`, humanized(model.name))
}

/** What the page calls a document that is not stored yet. */
export function newTitle(model: Model): string {
  const name = modelTitle(model)
  return t('editor.new', { model: name, lower: name.toLowerCase() })
}

export function modelsTitle(model: Model): string {
  return textOr(`models.${model.name}`, plural(humanized(model.name)))
}

/** How many documents of a model, such as `4 headlines`. */
export function countTitle(model: Model, count: number): string {
  return textOr(`count.${model.name}`, t('pair', { name: modelsTitle(model), value: count }), { count })
}

/** The name of a field, or of a key of a map, by the last part of its path. */
export function fieldTitle(path: string): string {
  const name = path.split('.').at(-1) ?? path
  return textOr(`field.${path}`, textOr(`field.${name}`, valueTitle(name)))
}

/** One of the texts of a choice. */
export function valueTitle(value: string): string {
  return textOr(`value.${value}`, humanized(value))
}

/** `iosUpdateUrl` is `Ios update url`. */
export function humanized(name: string): string {
  const words = name
    .replaceAll(/[_-]/g, ' ')
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function plural(word: string): string {
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`
}
