/** The flags `--model` and `--format` of commands that work on what is stored. */
import { describe } from '../../base/failure.ts'
import { didYouMean } from '../../base/nearest.ts'
import { STORED_MODELS, storedModelNamed } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { UsageError } from '../command.ts'
import { FORMATS, type Format } from '../import/transfer-file.ts'

/** Throws UsageError for a name that no stored model has, or none. */
export function readStoredModel(name: string | undefined): Model {
  const model = name === undefined ? undefined : storedModelNamed(name)
  if (model !== undefined) return model
  const names = STORED_MODELS.map((one) => one.name)
  const hint = name === undefined ? '' : didYouMean(name, names)
  throw new UsageError(`Cannot read --model ${describe(name)}${hint || `: expected one of ${names.join(', ')}`}`)
}

/** The same for a model that can be imported, which the audit trail is not. */
export function readImportedModel(name: string | undefined): Model {
  const model = readStoredModel(name)
  if (model.access.create !== 'unsupported') return model
  throw new UsageError(`Cannot import ${model.name}: the service alone writes it`)
}

/** Throws UsageError for a format that we do not have. */
export function readFormat(name: string): Format {
  const format = FORMATS.find((one) => one === name)
  if (format !== undefined) return format
  throw new UsageError(`Cannot read --format ${describe(name)}: expected one of ${FORMATS.join(', ')}`)
}
