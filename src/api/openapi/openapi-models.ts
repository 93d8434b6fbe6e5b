/** What the schema of a model cannot say: who may do what with its documents, and which queries of them are fast. */
import { assertNever } from '../../base/failure.ts'
import type { JsonSchema } from '../../base/json-schema.ts'
import { MODELS } from '../../models/registry.ts'
import type { Grant, Model, Operation } from '../../models/schema.ts'
import { bodySchemaName, schemaName } from './openapi-schema.ts'

/** For `x-dateline-models`: one entry for each model, in the order of the registry. */
export function describedModels(): readonly JsonSchema[] {
  return MODELS.map((model: Model) => {
    const { name, access, search, singleton, unique, extras } = model
    return {
      name,
      about: model.description,
      schema: schemaName(model),
      createBody: bodySchemaName(model, 'create') ?? null,
      replaceBody: bodySchemaName(model, 'replace') ?? null,
      access: Object.fromEntries(
        Object.entries(access).map(([operation, grant]) => [operation, { grant, who: whoMay(grant) }]),
      ),
      search,
      indexes: model.indexes.map((index) => ({
        fields: index.filter((path) => !path.startsWith('+')),
        beside: index.filter((path) => path.startsWith('+')).map((path) => path.slice(1)),
      })),
      unique: unique ?? null,
      singleton: singleton ?? null,
      isOwned: model.owned === true,
      keepsOtherMembers: extras === 'keep',
    }
  })
}

export function whoMayText(operation: Operation): string {
  const byGrant = Map.groupBy(MODELS, (model: Model) => model.access[operation])
  const parts = [...byGrant].map(([grant, models]) => `${whoMay(grant)}: ${models.map(({ name }) => name).join(', ')}`)
  return parts.join('; ')
}

export function whoMay(grant: Grant): string {
  switch (grant) {
    case 'everybody':
      return 'every signed-in user'
    case 'publisher':
      return 'publishers and administrators'
    case 'owner':
      return 'its owner and administrators'
    case 'admin':
      return 'administrators'
    case 'unsupported':
      return 'not supported'
    default:
      return assertNever(grant)
  }
}
