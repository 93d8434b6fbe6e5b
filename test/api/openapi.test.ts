// also: cache-off executable
/** The description of the API: it has every endpoint, contradicts nothing, and real responses fit it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { openApiDocument } from '../../src/api/openapi/openapi.ts'
import { openApiFor } from '../../src/api/openapi/openapi-of-model.ts'
import { seedSample } from '../../src/content/seeds/seeding.ts'
import { ENDPOINTS } from '../../src/endpoints/endpoints.ts'
import { MODELS } from '../../src/models/registry.ts'
import type { Model } from '../../src/models/schema.ts'
import { newCast } from '../support/cast.ts'
import { compileSchema } from '../support/schema/json-schema.ts'
import { runCheaply } from '../support/service/in-process.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Members = Readonly<Record<string, Json>>

const document = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' }))) as Members
const service = await startSuiteService()
await seedSample(service.app.services.store, { flagBaseUrl: 'https://flags.example', now: service.now() })

const isMembers = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function everything(value: Json, visit: (members: Members) => void): void {
  if (Array.isArray(value)) value.forEach((item: Json) => everything(item, visit))
  else if (isMembers(value)) {
    visit(value)
    Object.values(value).forEach((member) => everything(member, visit))
  }
}

function resolve(ref: string, root: Json = document): Json | undefined {
  const steps = ref.replace(/^#\//, '').split('/')
  return steps.reduce<Json | undefined>((at, step) => (isMembers(at) ? at[step] : undefined), root)
}

function operations(): [path: string, method: string, operation: Members][] {
  return Object.entries(document['paths'] as Members).flatMap(([path, methods]) =>
    Object.entries(methods as Members).map(([method, one]): [string, string, Members] => [path, method, one as Members]),
  )
}

describe('the description of the API', () => {
  it('is one by the schema of the OpenAPI Initiative', () => {
    const published = new URL('../support/schema/openapi-3.1-schema.json', import.meta.url)
    const check = compileSchema(JSON.parse(readFileSync(published, 'utf8')))
    assert.deepEqual(check(document), [])
    for (const wrong of [{ ...document, openapi: '3.0.3' }, { ...document, info: {} }, { ...document, paths: { 'no/slash': {} } }]) {
      assert.notDeepEqual(check(wrong), [])
    }
  })

  it('tells of the routes that there are, and of no others', async () => {
    const described = operations().map(([path, method, { security }]) => ({ path, method, security }))
    for (const { path, method, security } of described) {
      const response = await service
        .call(method.toUpperCase(), path.replace('{id}', 'x'), { headers: { 'x-forwarded-for': '192.0.2.1' } })
        .catch(() => undefined)
      const key = `${method} ${path}`
      assert.notEqual(response?.status, 404, `${key} is not there`)
      assert.notEqual(response?.status, 405, `${key} has another method`)
      const ways = security as Members[]
      if (ways.length > 0 && ways.every((way) => 'token' in way)) assert.equal(response?.status, 401, `${key} is open`)
    }
    assert.deepEqual(
      described.map(({ path, method }) => `${method} ${path}`).sort(),
      ENDPOINTS.map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`).sort(),
    )
  })

  it('has a place for every reference, and every operation a name of its own', () => {
    everything(document, ({ $ref: ref }) => {
      if (ref !== undefined) assert.notEqual(resolve(String(ref)), undefined, String(ref))
    })
    const ids = operations().map(([, , { operationId }]) => operationId)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('declares the parameters of each path, and a response for each operation', () => {
    for (const [path, method, { parameters = [], responses }] of operations()) {
      const declared = (parameters as Members[]).filter((one) => one['in'] === 'path').map(({ name }) => name)
      assert.deepEqual(declared, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name), `${method} ${path}`)
      const statuses = Object.keys(responses as Members)
      assert.ok(statuses.some((status) => status.startsWith('2')) && statuses.includes('500'))
    }
  })

  it('has examples that fit, for each body, each response and each code', () => {
    let count = 0
    const look = (value: Json, pointer: string): void => {
      if (!isMembers(value)) return
      for (const [name, member] of Object.entries(value)) {
        const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        if (name === 'content') {
          for (const [type, media] of Object.entries(member as Members)) {
            // A file has no example.
            if (type === 'application/octet-stream') continue
            const examples = Object.values(((media as Members)['examples'] ?? {}) as Members)
            const single = (media as Members)['example']
            const check = compileSchema(document, { pointer: encodeURI(`#${at.slice(1)}/${type.replace('/', '~1')}/schema`) })
            assert.ok(examples.length > 0 || single !== undefined, at)
            for (const example of single === undefined ? examples : [{ value: single }]) {
              const { $ref: ref, value: own } = example as Members
              const shown = ref === undefined ? own : (resolve(String(ref)) as Members)['value']
              assert.deepEqual(check(shown), [], at)
              count++
            }
          }
        } else look(member, at)
      }
    }
    look({ paths: document['paths'] ?? null, components: document['components'] ?? null }, '#')
    assert.ok(count > 100, `${count} examples`)
  })

  it('shows a filter for each operator that the service takes', async () => {
    const { admin } = await newCast(service)
    const operators = document['x-dateline-operators'] as Members[]
    const source = readFileSync(new URL('../../src/query/parse.ts', import.meta.url), 'utf8')
    const known = [...source.matchAll(/'(\$[a-zA-Z]+)'/g)].map(([, name]) => name)
    const shown = operators.map(({ name }) => name).filter((name) => String(name).startsWith('$'))
    assert.deepEqual(new Set(shown), new Set(known))
    for (const { name, example } of operators) {
      assert.ok(JSON.stringify(example).includes(`"${String(name)}"`), String(name))
      const model = name === 'usage' ? 'country' : 'headline'
      const response = await service.data('POST', '/query', { model }, { token: admin.token, body: { filter: example } })
      assert.equal(response.status, 200, response.text)
    }
  })

  it('is what the service gives and what the command prints', async () => {
    const given = await service.call('GET', '/api/v1/openapi.json')
    assert.equal(given.status, 200)
    const printed = await runCheaply(['openapi'])
    assert.deepEqual(JSON.parse(printed.stdout), given.body)
  })
})

describe('the description for clients of one model', () => {
  for (const model of MODELS as readonly Model[]) {
    it(`of ${model.name} has whole documents and no choice of models`, () => {
      const one = JSON.parse(JSON.stringify(openApiFor({ version: '1.2.3', model }))) as Members
      const published = new URL('../support/schema/openapi-3.1-schema.json', import.meta.url)
      if (model.name === 'headline') assert.deepEqual(compileSchema(JSON.parse(readFileSync(published, 'utf8')))(one), [])
      const { schemas } = one['components'] as { schemas: Members }
      for (const name of ['Document', 'DocumentOrPart', 'PartialDocument', 'TypedDocument']) assert.ok(!(name in schemas), name)
      const list = ((one['paths'] as Members)['/api/v1/data'] as Members | undefined)?.['get'] as Members | undefined
      assert.equal(list !== undefined, model.access.list !== 'unsupported')
      everything(one, ({ $ref: ref }) => {
        if (ref !== undefined) assert.notEqual(resolve(String(ref), one), undefined, String(ref))
      })
    })
  }

  it('is served, and refused for a name that no model has', async () => {
    const given = await service.call('GET', '/api/v1/openapi.json?model=headline')
    const printed = await runCheaply(['openapi', '--model', 'headline'])
    assert.deepEqual(JSON.parse(printed.stdout), given.body)
    assert.equal((await service.call('GET', '/api/v1/openapi.json?model=nonsense')).status, 400)
    assert.equal((await runCheaply(['openapi', '--model', 'nonsense'])).code, 2)
  })
})

it('has nothing that generators of clients stumble over: siblings of a reference, defaults in bodies', () => {
  everything(document, (members) => {
    if ('$ref' in members) assert.deepEqual(Object.keys(members), ['$ref'])
  })
  everything((document['components'] as Members)['schemas'] ?? null, ({ properties }) => {
    for (const [name, member] of Object.entries(isMembers(properties) ? properties : {}))
      assert.ok(!isMembers(member) || !('default' in member), name)
  })
})
