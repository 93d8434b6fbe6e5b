/**
 * Damaged HTTP/2 below the client of etcd: frames (RFC 9113 section 4.1) of a server that are flipped, cut, dropped,
 * repeated, or stand among frames that it did not send, and good ones in small pieces. Each call ends with a response or an
 * EtcdError, and over a connection without damage the client goes on.
 */
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { EtcdError } from '../../../src/cluster/etcd/etcd-error.ts'
import { protoMessage } from '../../../src/cluster/etcd/protobuf.ts'
import { portFor } from '../../../scripts/tools/listening.ts'
import { seededRandom, type Random } from '../../../scripts/tools/random.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'
import { connectTo } from './etcd-clients.ts'
import { rawFrame, startGrpcServer } from './grpc-server.ts'

const FRAME_HEAD_BYTES = 9
/** Frames of the first connection, of which one is damaged: those of its beginning, and of the first calls. */
const FRAMES = 16
const CALLS = 5
/** How often the last call is made again where the machine was too busy to answer it within its deadline. */
const LATE_MAX = 20
/** A watch whose stream is damaged may say nothing until a PING finds that out. */
const WATCH_MS = 100
/** Of a payload that is sent in pieces: the rest follows at once. */
const PIECES_BYTES = 60

const VALUES = [Buffer.alloc(10, 1), Buffer.alloc(2_000, 2), Buffer.alloc(20_000, 3)]
/** A response to Range and to Watch: of the cluster 7, at revision 9, with a key for each value. */
const RESPONSE = protoMessage(
  [1, protoMessage([1, 7], [3, 9])],
  ...VALUES.map((value) => [2, protoMessage([1, 'key'], [5, value])] as const),
  ...VALUES.map((value) => [11, protoMessage([2, protoMessage([1, 'key'], [3, 9], [5, value])])] as const),
)

const DAMAGES = ['pieces', 'flip', 'cut', 'reset', 'drop', 'repeat', 'shorten', 'add', 'noise'] as const
type Damage = (typeof DAMAGES)[number]

/** How the calls of all cases ended. */
export interface Http2Outcomes {
  responses: number
  errors: number
}

/** Runs cases over one server. Throws an error with the seed of the case where one did not end as it must. */
export async function startHttp2Fuzz(t: Cleanup): Promise<(seed: number) => Promise<Http2Outcomes>> {
  const body = rawFrame(Buffer.concat(RESPONSE.parts))
  const server = new URL(await startGrpcServer(t, () => ({ body })))
  return async (seed) => {
    const cleanups: (() => unknown)[] = []
    try {
      return await runCase({ after: (work) => void cleanups.unshift(work) }, Number(server.port), seededRandom(seed))
    } catch (error) {
      throw new Error(`case ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    } finally {
      for (const cleanup of cleanups) await cleanup()
    }
  }
}

async function runCase(t: Cleanup, port: number, random: Random): Promise<Http2Outcomes> {
  const damage = random.pick(DAMAGES)
  const outcomes: Http2Outcomes = { responses: 0, errors: 0 }
  const etcd = connectTo(t, [await openDamagingProxy(t, port, { damage, frame: random.below(FRAMES), random })])
  if (random.oneIn(3)) await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, WATCH_MS)
    const watch = etcd.watch({ key: 'key' }, 1, {
      event: () => end(),
      compacted: async () => undefined,
      trouble: (error) => void (error !== undefined && end()),
    })
    const end = (): void => {
      clearTimeout(late)
      watch.stop()
      resolve()
    }
  })
  let late = 0
  for (let left = CALLS; left > 0; left--) {
    try {
      const { pairs } = await etcd.range({ key: 'key' })
      outcomes.responses++
      const isSame = pairs.length === VALUES.length && pairs.every(({ value }, i) => value.equals(VALUES[i] ?? value))
      assert.ok(isSame || (damage !== 'pieces' && left > 1), 'expected the values of the server')
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error
      // The first response told another cluster, which TLS would have found out.
      if (/belongs to another etcd cluster/.test(error.message)) return outcomes
      outcomes.errors++
      const isLate = /no response came within/.test(error.message)
      assert.ok(isLate || damage !== 'pieces', `good frames ended a call: ${error.message}`)
      if (left > 1) continue
      assert.ok(isLate && late++ < LATE_MAX, `the client did not go on: ${error.message}`)
      left++
    }
  }
  return outcomes
}

interface Plan {
  readonly damage: Damage
  /** Which frame of the first connection. */
  readonly frame: number
  readonly random: Random
}

/** Returns the URL of a proxy that damages what the server says on the first connection. */
async function openDamagingProxy(t: Cleanup, port: number, plan: Plan): Promise<string> {
  let connections = 0
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1').setNoDelay(true).on('error', () => {})
    client.setNoDelay(true).on('data', (bytes) => void upstream.write(bytes)).once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
    if (connections++ > 0) return void upstream.on('data', (bytes) => void client.write(bytes))
    void passFrames(upstream, client, plan).catch(() => client.destroy())
  })
  return `http://127.0.0.1:${await portFor(t, proxy)}`
}

async function passFrames(upstream: Socket, client: Socket, plan: Plan): Promise<void> {
  let [held, count]: [Buffer, number] = [Buffer.alloc(0), 0]
  for await (const chunk of upstream as AsyncIterable<Buffer>) {
    held = Buffer.concat([held, chunk])
    while (held.length >= FRAME_HEAD_BYTES && held.length >= FRAME_HEAD_BYTES + held.readUIntBE(0, 3)) {
      const bytes = FRAME_HEAD_BYTES + held.readUIntBE(0, 3)
      const frame = Buffer.from(held.subarray(0, bytes))
      held = held.subarray(bytes)
      if (plan.damage === 'pieces') await sendPieces(client, frame, plan.random)
      else if (count++ === plan.frame) sendDamaged(client, frame, plan)
      else client.write(frame)
    }
  }
}

async function sendPieces(client: Socket, frame: Buffer, random: Random): Promise<void> {
  let at = 0
  for (const end = Math.min(frame.length, PIECES_BYTES); at < end; await turn()) {
    const length = 1 + random.below(20)
    client.write(frame.subarray(at, (at += length)))
  }
  client.write(frame.subarray(at))
}

function sendDamaged(client: Socket, frame: Buffer, { damage, random }: Plan): void {
  switch (damage) {
    case 'flip': {
      // Most bytes of a long frame are content: rather its head and the first ones behind it.
      frame[random.below(Math.min(frame.length, random.oneIn(2) ? FRAME_HEAD_BYTES : 60))] = random.below(256)
      return void client.write(frame)
    }
    case 'cut':
      return void client.end(frame.subarray(0, random.below(frame.length + 1)))
    case 'reset':
      return void client.resetAndDestroy()
    case 'drop':
      return
    case 'repeat':
      return void client.write(Buffer.concat([frame, frame]))
    case 'shorten':
      return void client.write(frame.subarray(0, random.below(frame.length)))
    case 'add':
      return void client.write(Buffer.concat([randomFrame(random), frame, ...random.list(3, () => randomFrame(random))]))
    default:
      client.write(randomBytes(random, 400))
  }
}

/** Of any type up to those that are unknown, any flags, and a stream that there is or is not. */
function randomFrame(random: Random): Buffer {
  const payload = randomBytes(random, 40)
  const head = Buffer.alloc(FRAME_HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = random.below(14)
  head[4] = random.below(256)
  head.writeUInt32BE(random.pick([0, 1, 2, 3, 5, 2 ** 31 - 1]), 5)
  return Buffer.concat([head, payload])
}

function randomBytes(random: Random, lengthMax: number): Buffer {
  return Buffer.from(random.list(lengthMax, () => random.below(256)))
}
