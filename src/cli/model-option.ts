/** The option `--model`. */
import { describe } from '../base/failure.ts'
import { MODELS, modelNamed } from '../models/registry.ts'
import type { Model } from '../models/schema.ts'
import { UsageError } from './command.ts'

/** Throws a UsageError for a name that no model has. */
export function readModelOption(name: string | undefined): Model | undefined {
  const model = name === undefined ? undefined : modelNamed(name)
  if (name === undefined || model !== undefined) return model
  const known = MODELS.map((one) => one.name).join(', ')
  throw new UsageError(`Cannot read --model ${describe(name)}: expected one of ${known}`)
}
