/**
 * The schemas of bodies, tried on the service: what they allow is taken, what lacks a member that they require is
 * refused, and so are their examples.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openApiDocument } from '../../src/api/openapi/openapi.ts'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { MODELS } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { compileSchema } from '../support/schema/json-schema.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { seededRandom, seedOfRun } from '../../scripts/tools/random.ts'
import { withOwnCode } from '../../scripts/tools/data-bodies.ts'
import { valueFrom } from '../support/schema/schema-values.ts'
import type { ApiResponse } from '../support/service/service.ts'
import { startSuiteService } from '../support/service/suite-service.ts'
import { SYSTEM } from '../../src/store/actor.ts'

const BODIES = longRun(5, 40)

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
const service = await startSuiteService()
const { store } = service.app.services
const admin = await service.admin()
const random = seededRandom(seedOfRun())
let users = 0

/** What the service requires beyond the schema, with the reason why no schema says it, and how a body is made to fit. */
const BEYOND: Readonly<Record<string, (body: JsonObject) => JsonObject>> = {
  // An address that mail can go to, and that no other user has; so the user is no guest.
  user: (body) => ({ ...body, email: `random-${++users}@example.org`, ...(body['appRole'] === 'guestUser' ? { appRole: 'premiumUser' } : {}) }),
  // Codes that no other document has.
  country: (body) => withOwnCode('country', body),
  language: (body) => withOwnCode('language', body),
  // Times that are to come or the server's, and that fit the status.
  headline: ({ publishAt: _start, unpublishAt: _end, handedInAt: _ready, ...body }) => body,
  // Two members decide together whether an app that reads the document starts again.
  remote_config(body) {
    const config = structuredClone(body) as { appStatus: Record<string, Json>; feedDecoratorConfig: JsonObject }
    if (config.appStatus['isLatestVersionOnly'] === true) config.appStatus['latestAppVersion'] = '1.2.0'
    for (const card of Object.values(config.feedDecoratorConfig)) {
      const { enabled, category, itemsToDisplay = null } = card as JsonObject
      if (enabled === true && category === 'contentCollection' && itemsToDisplay === null) {
        ;(card as Record<string, Json>)['itemsToDisplay'] = 5
      }
    }
    return config
  },
}

// What the examples refer to.
for (const name of ['language', 'country', 'topic', 'source', 'headline']) {
  const model = modelNamed(name)
  const value = withOwnCode(name, exampleDocument(name))
  assert.equal(await store.as(SYSTEM).insert(model, { id: String(value['id']), value }), 'inserted')
}

function modelNamed(name: string): Model {
  const model = (MODELS as readonly Model[]).find((one) => one.name === name)
  assert.ok(model)
  return model
}

function exampleDocument(name: string): JsonObject {
  const { schema = '' } = described.find((one) => one.name === name) ?? {}
  return (components.examples[schema]?.value as { data: JsonObject }).data
}

/** The id of the document that is replaced: that of an owner, of a singleton, or of a document made for it. */
async function replaceable(model: Model, body: string): Promise<string> {
  if (model.singleton !== undefined) return model.singleton
  if (model.owned === true) return admin.id
  const made = await send('POST', model.name, '', randomBody(model.name, body))
  assert.equal(made.status, 201, made.text)
  return String(made.at('data.id'))
}

function send(method: string, model: string, target: string, body: JsonObject): Promise<ApiResponse> {
  return service.data(method, target, { model }, { token: admin.token, body })
}

function randomBody(model: string, schema: string): JsonObject {
  const body = valueFrom(components.schemas[schema] ?? {}, {
    random,
    schemas: components.schemas,
    idFor(copy) {
      const name = described.find((one) => `${one.schema}CopyBody` === copy)?.name ?? ''
      return String(exampleDocument(name)['id'])
    },
  }) as JsonObject
  return BEYOND[model]?.(body) ?? body
}

/** Creates, after what there can be only one of has gone. */
async function create(model: Model, body: JsonObject): Promise<ApiResponse> {
  const only = model.owned === true ? admin.id : model.singleton
  if (only !== undefined) await service.data('DELETE', `/${only}`, { model: model.name }, { token: admin.token })
  return send('POST', model.name, '', body)
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

describe(`bodies that the description allows are taken, and others refused (SEED=${random.seed}):`, () => {
  for (const { name, createBody, replaceBody } of described) {
    const model = modelNamed(name)
    if (createBody !== null) {
      const check = compileSchema(document, { pointer: `#/components/schemas/${createBody}` })
      it(`${createBody}, random`, async () => {
        for (let i = 0; i < BODIES; i++) {
          const body = randomBody(name, createBody)
          assert.deepEqual(check(body), [], JSON.stringify(body))
          const response = await create(model, body)
          assert.equal(response.status, 201, `${response.text} for ${JSON.stringify(body)}`)
        }
      })

      it(`${createBody}, its example, and nothing that lacks a member`, async () => {
        const example = withOwnCode(name, components.examples[createBody]?.value as JsonObject)
        const taken = await create(model, example)
        assert.equal(taken.status, 201, taken.text)
        let refused = 0
        for (const [lacking, body] of lackingOne(components.schemas[createBody] ?? {}, example)) {
          assert.notDeepEqual(check(body), [])
          const response = await send('POST', name, '', body as JsonObject)
          assert.equal(response.status, 400, `${lacking}: ${response.text}`)
          assert.match(response.error, new RegExp(`^invalidInput: .*${lacking}`))
          refused++
        }
        assert.ok(refused > 0)
      })
    }
    if (replaceBody !== null) {
      it(`${replaceBody}, random, its example, and nothing that lacks a member`, async () => {
        const id = await replaceable(model, String(createBody))
        const example = withOwnCode(name, components.examples[replaceBody]?.value as JsonObject)
        for (const body of [...Array.from({ length: BODIES }, () => randomBody(name, replaceBody)), example]) {
          // The last administrator stays one.
          const mended = name === 'user' ? { ...body, dashboardRole: 'none' } : body
          const response = await send('PUT', name, `/${id}`, mended)
          assert.equal(response.status, 200, `${response.text} for ${JSON.stringify(mended)}`)
        }
        for (const [lacking, body] of lackingOne(components.schemas[replaceBody] ?? {}, example)) {
          const response = await send('PUT', name, `/${id}`, body as JsonObject)
          assert.equal(response.status, 400, `${lacking}: ${response.text}`)
          assert.match(response.error, new RegExp(`^invalidInput: .*${lacking}`))
        }
      })
    }
  }
})
