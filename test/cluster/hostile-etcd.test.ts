/**
 * Attack: something else than etcd answers, by a mistake in the URLs or because an attacker took its place. Whatever it
 * says, a call ends with an error that names the server, in bounded memory, and its text can harm no terminal.
 */
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { checkEtcdPatiently } from '../../src/cluster/etcd/etcd-check.ts'
import { EtcdError } from '../../src/cluster/etcd/etcd-error.ts'
import { protoMessage } from '../../src/cluster/etcd/protobuf.ts'
import { createEtcdLog } from '../../src/cluster/log/etcd-log.ts'
import { connectTo } from '../support/cluster/etcd-clients.ts'
import { rawFrame, startGrpcServer, type ScriptedResponse } from '../support/cluster/grpc-server.ts'
import { portFor } from '../../scripts/tools/listening.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'

/** A response to Range with the cluster id 7, revision 9 and no keys. */
const GOOD = Buffer.from([0x0a, 4, 0x08, 7, 0x18, 9])

/** A message of a watch: the log was written at a revision, as its version. */
function watched([revision = 0, version = 0]: readonly number[]): Buffer {
  const pair = protoMessage([1, '/site/log'], [2, 1], [3, revision], [4, version], [5, 'entry'])
  return rawFrame(Buffer.concat(protoMessage([11, protoMessage([2, pair])]).parts))
}

const cases: readonly (readonly [name: string, response: ScriptedResponse, message: RegExp])[] = [
  ['no message', {}, /expected a message in the response, found a part of one/],
  ['half a message', { body: rawFrame(GOOD).subarray(0, 7) }, /found a part of one/],
  ['two messages', { body: Buffer.concat([rawFrame(GOOD), rawFrame(GOOD)]) }, /expected one message in the response, found more/],
  ['a compressed message', { body: rawFrame(GOOD, { flag: 1 }) }, /expected a message without compression, found the flag 1/],
  ['a message of 32 MiB and a byte', { body: rawFrame(GOOD, { length: 32 * 1024 * 1024 + 1 }) }, /expected messages of at most 33554432 bytes, found 33554433/],
  ['bytes that are no message', { body: rawFrame(Buffer.from([0xff, 0xff, 0xff])) }, /expected \d+ bytes at \d+, found/],
  ['a varint without an end', { body: rawFrame(Buffer.alloc(11, 0x80)) }, /expected a varint of at most 10 bytes/],
  ['a group', { body: rawFrame(Buffer.from([0x0b])) }, /expected a wire type of 0, 1, 2 or 5, found 3/],
  ['a field longer than its message', { body: rawFrame(Buffer.from([0x0a, 100, 1])) }, /expected 100 bytes at 2, found 1/],
  ['a revision of 64 bits', { body: rawFrame(Buffer.from([0x0a, 12, 0x08, 7, 0x18, ...Buffer.alloc(8, 0xff), 0x7f])) }, /expected an integer within 53 bits/],
  ['two million empty fields', { body: rawFrame(Buffer.alloc(4_000_000, Buffer.from([0x08, 0]))) }, /expected at most 100000 fields/],
  ['no status', { body: rawFrame(GOOD), trailers: {} }, /broke off/],
  ['a status that does not exist', { trailers: { 'grpc-status': '99' } }, /\(unknown\)/],
  ['an HTML page', { headers: { ':status': 404, 'content-type': 'text/html' }, body: Buffer.from('<p>'), trailers: {} }, /HTTP status 404 \(unimplemented\)/],
  ['a redirect', { headers: { ':status': 302, location: 'http://x' }, trailers: {} }, /HTTP status 302/],
  ['a proxy without a server', { headers: { ':status': 503 }, trailers: {} }, /HTTP status 503 \(unavailable\)/],
  ['a text that controls a terminal', { trailers: { 'grpc-status': '9', 'grpc-message': '%1b[2J%zz%1b[31m' } }, /: %1b\[2J%zz%1b\[31m \(failed/],
  ['an encoded text that does', { trailers: { 'grpc-status': '9', 'grpc-message': '%1b[2Jred' } }, /: \?\[2Jred \(failedPrecondition\)$/],
  ['a text of 10,000 characters', { trailers: { 'grpc-status': '9', 'grpc-message': 'a'.repeat(10_000) } }, /: a{300} \(failedPrecondition\)$/],
]

describe('in place of etcd', () => {
  for (const [name, response, message] of cases) {
    it(`a server that sends ${name} makes an error`, async (t) => {
      const url = await startGrpcServer(t, () => response)
      await assert.rejects(connectTo(t, [url]).range({ key: 'x' }), (error) => {
        assert.ok(error instanceof EtcdError, String(error))
        assert.match(error.message, message)
        assert.ok(error.message.startsWith(`Cannot call Range of etcd at "${url}": `))
        return true
      })
    })
  }

  it('a server that keeps the protocol is heard', async (t) => {
    const url = await startGrpcServer(t, () => ({ body: rawFrame(GOOD) }))
    assert.deepEqual(await connectTo(t, [url]).range({ key: 'x' }), { revision: 9, pairs: [] })
  })

  it('a server of another cluster is refused, as its positions mean something else', async (t) => {
    let id = 7
    const url = await startGrpcServer(t, () => ({ body: rawFrame(Buffer.from([0x0a, 4, 0x08, id, 0x18, 9])) }))
    const etcd = connectTo(t, [url])
    await etcd.range({ key: 'x' })
    id = 8
    await assert.rejects(etcd.range({ key: 'x' }), /it belongs to another etcd cluster \(8, expected 7\): correct --cluster/)
  })

  it('a server that leaves out an entry of the log puts the node out of service', async (t) => {
    const url = await startGrpcServer(t, () => ({ body: Buffer.concat([[4, 1], [5, 2], [9, 4], [10, 5]].map(watched)) }))
    const etcd = connectTo(t, [url])
    const log = createEtcdLog({ etcd, prefix: '/site/', log: recordingLog().log })
    const seen: number[] = []
    const reason = await new Promise((resolve) => {
      const { stop } = log.follow(3, { entry: ({ position }) => void seen.push(position), gap: resolve })
      t.after(stop)
    })
    assert.equal(reason, 'entry 4 of the log came behind entry 2')
    assert.deepEqual(seen, [4, 5])
  })

  it('a server that answers too late four times is asked a fifth time by a command, and no more', async (t) => {
    let [late, calls] = [4, 0]
    const version = Buffer.concat([GOOD, ...protoMessage([2, '3.5.0']).parts])
    const url = await startGrpcServer(t, () => (++calls <= late ? { trailers: { 'grpc-status': '4' } } : { body: rawFrame(version) }))
    await checkEtcdPatiently(connectTo(t, [url]))
    ;[late, calls] = [5, 0]
    await assert.rejects(checkEtcdPatiently(connectTo(t, [url])), /Cannot call Status of etcd at .*\(deadlineExceeded\)$/)
    assert.equal(calls, 5)
  })

  for (const [text, isSent] of [
    ['etcdserver: mvcc: database space exceeded', true],
    ['etcdserver: request is too large', false],
  ] as const) {
    it(`a transaction that gets "${text}" ${isSent ? 'may have been' : 'was not'} carried out`, async (t) => {
      const url = await startGrpcServer(t, () => ({ trailers: { 'grpc-status': '8', 'grpc-message': text } }))
      const appended = connectTo(t, [url]).transact({ compare: [], success: [] })
      await assert.rejects(appended, (error) => error instanceof EtcdError && error.isSent === isSent)
    })
  }

  for (const [name, greet] of [
    ['bytes that are not HTTP/2', (socket: Socket) => void socket.end('SSH-2.0-OpenSSH\r\n'.repeat(20))],
    ['HTTP/1.1', (socket: Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['nothing, and hangs up', (socket: Socket) => void socket.destroy()],
    ['nothing for ever', () => {}],
  ] as const) {
    it(`a server that says ${name} makes an error`, async (t) => {
      const etcd = connectTo(t, [`http://127.0.0.1:${await portFor(t, createServer(greet))}`])
      await assert.rejects(etcd.range({ key: 'x' }), EtcdError)
    })
  }
})
