/** Random bytes and random messages for the codecs of the cluster: protobuf, frames of gRPC, and sealed entries. */
import assert from 'node:assert/strict'
import { rangeResponse, transactionResponse, watchResponse } from '../../../src/cluster/etcd/etcd-messages.ts'
import { createFrameReader, frameOf } from '../../../src/cluster/etcd/grpc-frames.ts'
import { GrpcError } from '../../../src/cluster/etcd/grpc-status.ts'
import { protoMessage, ProtobufError, readProto, type ProtoMessage } from '../../../src/cluster/etcd/protobuf.ts'
import { createRecordSealer } from '../../../src/cluster/log/record-sealer.ts'
import { RecordUnreadable, type LogRecord } from '../../../src/store/cluster/commit-log.ts'
import type { Random } from '../../../scripts/tools/random.ts'
import { damaged } from './changeset-bytes.ts'

const FRAME_BYTES_MAX = 500
const SEALED_KEY = Buffer.alloc(32, 7)
const sealer = createRecordSealer({ keys: [{ id: 2, key: SEALED_KEY }], site: 'fuzz' })

function randomBytes(random: Random, lengthMax: number): Buffer {
  return Buffer.from(Array.from({ length: random.below(lengthMax + 1) }, () => random.below(256)))
}

/** Of all lengths of a varint, and with a sign. */
function randomInteger(random: Random): bigint {
  const value = (BigInt(random.below(2 ** 32)) << 31n) | BigInt(random.below(2 ** 31))
  return BigInt.asIntN(64, value >> BigInt(random.below(63)))
}

/** A message in one of the ways to write it, and the same after it was written and read. */
function sameMessage(random: Random): void {
  const [number, text, bytes] = [randomInteger(random), randomBytes(random, 20).toString('hex'), randomBytes(random, 300)]
  const field = 1 + random.below(2 ** 20)
  const inner = protoMessage([1, number], [2, text], [3, random.oneIn(2)])
  const fields = readProto(contentOf(protoMessage([field, bytes], [field + 1, inner], [field + 2, number], [field + 3, undefined])))
  assert.deepEqual(fields.bytes(field), bytes)
  assert.equal(fields.message(field + 1).text(2), text)
  assert.equal(BigInt.asIntN(64, fields.id(field + 2)), number)
  assert.equal(fields.id(field + 3), 0n)
}

function contentOf(message: ProtoMessage): Buffer {
  return Buffer.concat(message.parts)
}

/** A response with keys in the place where that to a range, to a transaction and to a watch has them. */
function randomResponse(random: Random): Buffer {
  const pair = (): ProtoMessage =>
    protoMessage([1, randomBytes(random, 20)], [2, randomInteger(random)], [3, random.below(2 ** 31)], [5, randomBytes(random, 50)])
  const [header, pairs] = [protoMessage([1, randomInteger(random)], [3, random.below(2 ** 31)]), random.list(3, pair)]
  const ranges = pairs.map((one) => [3, protoMessage([1, protoMessage([2, one])])] as const)
  const events = pairs.map((one) => [11, protoMessage([1, random.oneIn(2)], [2, one])] as const)
  return contentOf(protoMessage([1, header], ...pairs.map((one) => [2, one] as const), ...ranges, ...events))
}

/** Frames in pieces of any length: the messages that went in come out. */
function sameFrames(random: Random): void {
  const messages = random.list(5, () => randomBytes(random, FRAME_BYTES_MAX))
  const stream = Buffer.concat(messages.map((bytes) => frameOf({ parts: [bytes], length: bytes.length })))
  const reader = createFrameReader(FRAME_BYTES_MAX)
  const read: Buffer[] = []
  for (let at = 0; at < stream.length; ) {
    const length = random.oneIn(3) ? 1 : 1 + random.below(600)
    read.push(...reader.push(stream.subarray(at, at + length)))
    at += length
  }
  assert.deepEqual(read, messages)
  assert.equal(reader.isEmpty, true)
}

function sameRecord(random: Random): Uint8Array {
  const hex = (bytes: number): string => Array.from({ length: 2 * bytes }, () => random.below(16).toString(16)).join('')
  const record: LogRecord = { schema: random.below(2 ** 31), node: hex(8), id: hex(16), previous: hex(16), changeset: randomBytes(random, random.pick([0, 10, 255, 256, 2_000])) }
  const body = sealer.seal(record)
  const opened = sealer.open(body)
  assert.deepEqual({ ...opened, changeset: Buffer.from(opened.changeset) }, record)
  return body
}

/** What an error of the expected kind is; anything else goes on. */
function refusal(work: () => void, ...kinds: readonly (new (...args: never[]) => Error)[]): boolean {
  try {
    work()
    return false
  } catch (error) {
    if (kinds.some((kind) => error instanceof kind)) return true
    throw error
  }
}

/** One case of each codec: a round trip, and damage that must end in an error of its own. Returns how many were refused. */
export function fuzzCodecs(random: Random): number {
  sameMessage(random)
  sameFrames(random)
  const body = Buffer.from(sameRecord(random))
  body[random.below(body.length)] = random.below(256)
  const cut = body.subarray(0, random.below(body.length + 1))
  const bytes = randomBytes(random, 40)
  const response = random.oneIn(2) ? damaged(random, randomResponse(random)) : bytes
  const read = (): void => {
    const fields = readProto(response)
    const reads = [rangeResponse, transactionResponse, watchResponse].map((readAs) => refusal(() => assert.ok(readAs(fields)), ProtobufError))
    if (reads.every((isRefused) => isRefused)) throw new ProtobufError('no response of any kind')
    if (reads[2] === true) return
    for (const event of watchResponse(fields).events) assert.ok(event.pair.modRevision <= Number.MAX_SAFE_INTEGER)
  }
  const outcomes = [
    refusal(() => void sealer.open(random.oneIn(2) ? cut : bytes), RecordUnreadable),
    refusal(read, ProtobufError),
    refusal(() => void createFrameReader(FRAME_BYTES_MAX).push(bytes), GrpcError),
  ]
  return outcomes.filter((one) => one).length
}
