import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noContent, ok } from '../../src/http/exchange.ts'
import { createRouter } from '../../src/http/router.ts'
import type { Route } from '../../src/http/router.ts'

function route(method: Route['method'], path: string): Route {
  return { method, path, handler: () => noContent() }
}

const ROUTES = {
  home: route('GET', '/'),
  list: route('GET', '/api/v1/data'),
  create: route('POST', '/api/v1/data'),
  item: route('GET', '/api/v1/data/:id'),
  replace: route('PUT', '/api/v1/data/:id'),
  nested: route('DELETE', '/api/:area/x.y/:id'),
}
const router = createRouter(Object.values(ROUTES))

describe('createRouter()', () => {
  const found: [method: string, path: string, route: keyof typeof ROUTES, params: Record<string, string>][] = [
    ['GET', '/', 'home', {}],
    ['GET', '/api/v1/data', 'list', {}],
    ['HEAD', '/api/v1/data', 'list', {}],
    ['POST', '/api/v1/data', 'create', {}],
    ['GET', '/api/v1/data/42', 'item', { id: '42' }],
    ['PUT', '/api/v1/data/a%20b', 'replace', { id: 'a b' }],
    ['GET', '/api/v1/data/a%2Fb', 'item', { id: 'a/b' }],
    ['GET', '/api/v1/data/..', 'item', { id: '..' }],
    ['GET', '/api/v1/data/%C3%8D', 'item', { id: 'Í' }],
    ['DELETE', '/api/one/x.y/two', 'nested', { area: 'one', id: 'two' }],
  ]
  for (const [method, path, name, params] of found) {
    it(`leads ${method} ${path} to its route`, () => {
      const routed = router.route(method, path)
      assert.equal(routed.handler, ROUTES[name].handler)
      assert.deepEqual(routed.params, params)
    })
  }

  for (const [method, path] of [
    ['GET', '/api/v1/data/'],
    ['GET', '/api/v1/data/1/'],
    ['GET', '/api/v1'],
    ['GET', '/API/v1/data'],
    ['GET', '//api/v1/data'],
    ['GET', '*'],
    ['DELETE', '/api/one/xzy/two'],
    ['GET', '/api/v1/data\n'],
  ]) {
    it(`knows no ${method} ${JSON.stringify(path)}`, () => {
      assert.throws(() => router.route(method ?? '', path ?? ''), { code: 'notFound', status: 404 })
    })
  }

  for (const [method, path, allow] of [
    ['DELETE', '/api/v1/data', 'GET, HEAD, POST, OPTIONS'],
    ['PATCH', '/api/v1/data/1', 'GET, HEAD, PUT, OPTIONS'],
    ['get', '/', 'GET, HEAD, OPTIONS'],
    ['HEAD', '/api/one/x.y/two', 'DELETE, OPTIONS'],
  ]) {
    it(`refuses ${method} ${path} and says what is allowed`, () => {
      const refusal = { code: 'methodNotAllowed', headers: { Allow: allow } }
      assert.throws(() => router.route(method ?? '', path ?? ''), refusal)
    })
  }

  for (const path of ['/api/v1/data/%zz', '/api/v1/data/%', '/api/v1/data/%ff']) {
    it(`hands on ${JSON.stringify(path)}, which cannot be decoded, as it was sent`, () => {
      assert.deepEqual(router.route('GET', path).params, { id: path.slice('/api/v1/data/'.length) })
    })
  }

  it('responds to OPTIONS for every path, with Allow where the path is known', async () => {
    for (const [path, headers] of [
      ['/api/v1/data', { Allow: 'GET, HEAD, POST, OPTIONS' }],
      ['*', { Allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' }],
      ['/nowhere', undefined],
    ] as const) {
      const response = await router.route('OPTIONS', path).handler(undefined as never)
      assert.equal(response.status, 204)
      assert.deepEqual(response.headers, headers, path)
    }
  })

  for (const [name, paths] of [
    ['the same route twice', ['/a/:id', '/a/:id']],
    ['two names for one parameter', ['/a/:id', '/a/:item']],
  ] as const) {
    it(`refuses ${name} at start-up`, () => {
      assert.throws(() => createRouter(paths.map((path) => route('GET', path))), /^Error: Cannot add route .*"\/.*"/)
    })
  }

  for (const [name, paths, path, wanted] of [
    ['a literal before a parameter', ['/a/:id', '/a/me'], '/a/me', '/a/me'],
    ['a parameter where no literal fits', ['/a/:id', '/a/me'], '/a/you', '/a/:id'],
    ['the path that names more from the left', ['/:a/b', '/a/:b'], '/a/b', '/a/:b'],
  ] as const) {
    it(`takes ${name}, whatever the order of the table`, async () => {
      for (const order of [paths, [...paths].reverse()]) {
        const router = createRouter(order.map((one) => ({ ...route('GET', one), handler: () => ok(JSON.stringify(one)) })))
        const { handler } = router.route('GET', path)
        assert.deepEqual(await handler(undefined as never), ok(JSON.stringify(wanted)))
      }
    })
  }

  it('takes routes that only look alike', () => {
    createRouter([route('GET', '/a'), route('GET', '/:x/b'), route('GET', '/a/c'), route('GET', '/'), route('GET', '/a/:y/d')])
    createRouter([route('GET', '/'), route('GET', '/:x')])
    createRouter([route('GET', '/a/:id'), route('PUT', '/a/:id')])
  })

  it('finds a path with a slash at its end only where it is declared so', () => {
    const router = createRouter([route('GET', '/a'), route('GET', '/a/'), route('GET', '/b')])
    assert.deepEqual(['/a', '/a/'].map((path) => router.route('GET', path).path), ['/a', '/a/'])
    for (const path of ['/b/', '/a//']) assert.throws(() => router.route('GET', path), /no such path/)
  })

  for (const path of ['a', '/a//', '//', '//a/', '/a b', '/a/:', '/a/*', '']) {
    it(`refuses the malformed route path ${JSON.stringify(path)}`, () => {
      assert.throws(() => createRouter([route('GET', path)]), /Cannot add route/)
    })
  }
})
