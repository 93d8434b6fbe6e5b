/** Documents as releases before the checks of links and codes stored them: they are read and edited ever since. */
import type { JsonObject } from '../../../src/base/json.ts'
import { modelNamed } from '../../../src/models/registry.ts'
import { OPERATOR } from '../../../src/store/actor.ts'
import type { TestService } from './service.ts'

let count = 0

/** Stores the document past the checks of today, and returns it. Embedded documents are whole. */
export async function storeEarlier(service: TestService, name: string, body: JsonObject): Promise<JsonObject> {
  const model = modelNamed(name)
  if (model === undefined) throw new Error(`No model ${name}`)
  const date = new Date(service.now()).toISOString()
  const id = String(++count).padStart(24, '0')
  const type = model.fields['type'] === undefined ? {} : { type: name }
  const value = { status: 'active', ...(name === 'source' ? { logoUrl: '' } : {}), ...body, id, createdAt: date, updatedAt: date, ...type }
  const outcome = await service.app.services.store.as(OPERATOR).insert(model, { id, value })
  if (outcome !== 'inserted') throw new Error(`The ${name} is not stored: ${outcome}`)
  return value
}
