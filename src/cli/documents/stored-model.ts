/** The flag `--model` of commands that work on what is stored. */
import { describe } from '../../base/failure.ts'
import { didYouMean } from '../../base/nearest.ts'
import { STORED_MODELS, storedModelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { UsageError } from '../command.ts'

/** Throws UsageError for a name that no stored model has, or none. */
export function readStoredModel(name: string | undefined): Model {
  const model = name === undefined ? undefined : storedModelNamed(name)
  if (model !== undefined) return model
  const names = STORED_MODELS.map((one) => one.name)
  const expected = `expected one of ${names.join(', ')}`
  if (name === undefined) throw new UsageError(`Cannot read --model: ${expected}, found nothing`)
  throw new UsageError(`Cannot read --model ${describe(name)}${didYouMean(name, names) || `: ${expected}`}`)
}
