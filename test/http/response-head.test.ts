/** Headers that are rendered here, and are those that Node would render. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noContent, notModified, ok, type HttpResponse } from '../../src/http/exchange.ts'
import type { Route } from '../../src/http/router.ts'
import { RawConnection, send } from '../support/service/http-client.ts'
import { startServer } from '../support/service/http-server.ts'

describe('the header block of a response', () => {
  const rows: readonly (readonly [name: string, response: HttpResponse, request: string])[] = [
    ['of a document', ok('"text"', { ETag: '"a"' }), ''],
    ['of no content', noContent(), ''],
    ['of a 304', notModified({ ETag: '"a"' }), ''],
    ['of the last response of a connection', ok('1'), 'Connection: close\r\n'],
    ['for a page of another origin', ok('1'), 'Origin: http://localhost:3000\r\n'],
  ]
  for (const [name, response, more] of rows) {
    it(`${name} is what Node renders of the same headers`, async () => {
      const route: Route = { method: 'GET', path: '/it', handler: () => response }
      await using server = await startServer([route])
      const connection = await RawConnection.open(server.port)
      connection.write(`GET /it HTTP/1.1\r\nHost: x\r\n${more}\r\n`)
      const ours = await connection.response()
      connection.destroy()
      // For HTTP/1.0 they go through Node's own writeHead().
      const older = await RawConnection.open(server.port)
      older.write(`GET /it HTTP/1.0\r\nHost: x\r\n${more}${more.startsWith('Connection') ? '' : 'Connection: keep-alive\r\n'}\r\n`)
      const nodes = await older.response()
      older.destroy()
      assert.equal(ours.status, nodes.status)
      const same = ({ headers }: typeof ours) => ({ ...headers, date: '', 'x-request-id': '' })
      if (response.status === 200) assert.deepEqual(same(ours), same(nodes))
      // An older client is told to close after a response without a length.
      else assert.deepEqual({ ...same(ours), connection: '', 'keep-alive': '' }, { ...same(nodes), connection: '', 'keep-alive': '' })
      assert.deepEqual(ours.text.replace(/request-\d+/, ''), nodes.text.replace(/request-\d+/, ''))
    })
  }

  it('never holds a value with a line break: the connection ends without a response', async () => {
    const split: Route = { method: 'GET', path: '/split', handler: () => ok('1', { 'X-A': 'b\r\nSet-Cookie: c=d' }) }
    const named: Route = { method: 'GET', path: '/named', handler: () => ok('1', { 'X-A\r\nX-B': 'c' }) }
    await using server = await startServer([split, named])
    for (const path of ['/split', '/named']) {
      await assert.rejects(send(server.port, path))
      assert.equal((await server.logged('response.failed')).fields['requestId'] !== undefined, true)
    }
  })
})
