/**
 * The schemas of bodies, tried on the service: their examples are taken, and what lacks a member that they require is refused.
 * What else they allow is sent by `npm run conformance -- openapi`.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openApiDocument } from '../../src/api/openapi/openapi.ts'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { MODELS } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { withOwnCode } from '../../scripts/tools/data-bodies.ts'
import { compileSchema } from '../support/schema/json-schema.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSite } from '../support/service/site.ts'

type Schemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>
interface DescribedModel {
  readonly name: string
  readonly schema: string
  readonly createBody: string | null
  readonly replaceBody: string | null
}

const document = openApiDocument({ version: '0.0.0' })
const components = document['components'] as { schemas: Schemas; examples: Readonly<Record<string, { value: Json }>> }
const described = document['x-dateline-models'] as readonly DescribedModel[]
const { service, admin, create, replace, remove } = await startSite()
let users = 0

/** The example of a body, with a code or an address that no other document has. */
function exampleOf(model: string, body: string): JsonObject {
  const example = withOwnCode(model, components.examples[body]?.value as JsonObject)
  return model === 'user' ? { ...example, email: `example-${++users}@example.org`, dashboardRole: 'none' } : example
}

const modelNamed = (name: string): Model => (MODELS as readonly Model[]).find((one) => one.name === name) as Model

// What the examples refer to.
for (const name of ['language', 'country', 'topic', 'source', 'headline']) {
  const { schema = '' } = described.find((one) => one.name === name) ?? {}
  const value = withOwnCode(name, (components.examples[schema]?.value as { data: JsonObject }).data)
  assert.equal(await service.app.services.store.as(SYSTEM).insert(modelNamed(name), { id: String(value['id']), value }), 'inserted')
}

/** The body without one member that is required, for each of them, at any depth. */
function* lackingOne(schema: Readonly<Record<string, unknown>>, value: Json): Generator<[name: string, body: Json]> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const members = value as JsonObject
  for (const name of (schema['required'] ?? []) as readonly string[]) {
    const { [name]: _lacking, ...rest } = members
    yield [name, rest]
  }
  for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as Schemas)) {
    if (members[name] === undefined) continue
    for (const [lacking, body] of lackingOne(inner, members[name])) yield [lacking, { ...members, [name]: body }]
  }
}

describe('the example of a body is taken, and nothing that lacks a member:', () => {
  for (const { name, createBody, replaceBody } of described) {
    const { owned, singleton } = modelNamed(name)
    const only = owned === true ? admin.id : singleton
    const assertRefused = async (body: string, send: (body: Json) => Promise<ApiResponse>): Promise<void> => {
      const check = compileSchema(document, { pointer: `#/components/schemas/${body}` })
      const wrong = [...lackingOne(components.schemas[body] ?? {}, exampleOf(name, body))]
      for (const [lacking, lessened] of wrong) {
        assert.notDeepEqual(check(lessened), [])
        const response = await send(lessened)
        assert.equal(response.status, 400, `${lacking}: ${response.text}`)
        assert.match(response.error, new RegExp(`^invalidInput: .*${lacking}`))
      }
    }

    if (createBody === null) continue
    it(createBody, async () => {
      if (only !== undefined) await remove(name, only)
      const taken = await create(name, exampleOf(name, createBody))
      assert.equal(taken.status, 201, taken.text)
      await assertRefused(createBody, (body) => create(name, body))
      const id = only ?? taken.at('data.id')
      if (replaceBody === null) return
      const replaced = await replace(name, id, exampleOf(name, replaceBody))
      assert.equal(replaced.status, 200, replaced.text)
      await assertRefused(replaceBody, (body) => replace(name, id, body))
    })
  }
})
