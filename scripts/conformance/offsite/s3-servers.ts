/** Places on the S3 servers of others. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { streamOf } from '../../../src/base/byte-source.ts'
import { pause } from '../../../src/base/pause.ts'
import { createS3Place } from '../../../src/offsite/s3-place.ts'
import { createS3Requests } from '../../../src/offsite/s3-requests.ts'
import { parsePlace, type AccessKey, type S3Address } from '../../../src/offsite/place-address.ts'
import { PlaceError, type Place } from '../../../src/offsite/place.ts'
import { createTransferRate } from '../../../src/offsite/transfer-rate.ts'
import { parseOutboundAllow } from '../../../src/outbound/outbound-allow.ts'
import { createOutboundClient } from '../../../src/outbound/outbound-client.ts'
import { npmTools, pythonTools } from '../fetched-tools.ts'
import type { CheckRun } from '../conformance.ts'
import { freePorts } from '../../tools/free-ports.ts'
import { temporaryDirectory, type Cleanup } from '../../tools/temporary-directory.ts'

const MOTO = { name: 'moto', packages: ['moto[server,s3]==5.2.5'], probe: 'import moto.server, flask' }
const S3RVER = { name: 's3rver', packages: { s3rver: '3.7.1' } }
const BUCKET = 'backups'
const START_TRIES = 100

export async function checkMoto({ cleanup }: CheckRun): Promise<void> {
  const bin = pythonTools(MOTO)
  const [port = 0] = await freePorts(1)
  start(cleanup, join(bin, 'python'), ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)])
  await checkServer(port, { id: 'AKID', secret: 'any' })
}

export async function checkS3rver({ cleanup }: CheckRun): Promise<void> {
  const directory = npmTools(S3RVER)
  const [port = 0] = await freePorts(1)
  const program = join(directory, 'start.cjs')
  writeFileSync(program, `new (require('s3rver'))({ port: ${port}, address: '127.0.0.1', silent: true, directory: process.argv[2] }).run()`)
  start(cleanup, process.execPath, [program, temporaryDirectory(cleanup)])
  await checkServer(port, { id: 'S3RVER', secret: 'S3RVER' })
}

function start(cleanup: Cleanup, program: string, words: readonly string[]): void {
  const child = spawn(program, words, { stdio: 'ignore' })
  cleanup.after(() => void child.kill())
}

/** It has to store, list, read and remove as our place expects. */
async function checkServer(port: number, key: AccessKey): Promise<void> {
  const address = parsePlace(`s3://${BUCKET}/site?endpoint=http://127.0.0.1:${port}`) as S3Address
  const client = createOutboundClient({ rules: { allow: parseOutboundAllow('127.0.0.1'), proxyFor: () => undefined, ca: [] }, userAgent: () => 'Dateline/conformance' })
  const options = { address, key, client, rate: createTransferRate(undefined, pause), pause: async () => {}, now: Date.now }
  await makeBucket(createS3Requests(options))
  const place = createS3Place(options)
  for (const length of [1, 1_000, 8 * 1024 * 1024, 19 * 1024 * 1024 + 7]) await checkObject(place, length)
  const keys = Array.from({ length: 30 }, (_, i) => `changes/${String(i).padStart(3, '0')}.age`)
  for (const one of keys.toReversed()) await place.put(one, streamOf(Buffer.from(one)), 100)
  assert.deepEqual((await place.list('changes/')).map((object) => object.key), keys)
  await place.remove('changes/000.age')
  await place.remove('changes/000.age')
  assert.equal((await place.list('changes/')).length, keys.length - 1)
  const missing = await Array.fromAsync(place.get('gone.age')).catch((error: unknown) => error)
  assert.ok(missing instanceof PlaceError && missing.kind === 'missing', String(missing))
  await place.sweep(Date.now())
}

/** The server may take seconds to start. */
async function makeBucket(send: ReturnType<typeof createS3Requests>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await send({ method: 'PUT' }))
    } catch (error) {
      if (!(error instanceof PlaceError) || error.kind !== 'network' || tries === START_TRIES) throw error
      await wait(200)
    }
  }
}

async function checkObject(place: Place, length: number): Promise<void> {
  const [bytes, key] = [randomBytes(length), `snapshots/${length}.age`]
  await place.put(key, streamOf(bytes), length)
  assert.ok(bytes.equals(Buffer.concat(await Array.fromAsync(place.get(key)))), `${length} bytes`)
  assert.ok(bytes.subarray(length >> 1).equals(Buffer.concat(await Array.fromAsync(place.get(key, length >> 1)))))
  assert.deepEqual(await place.list(key), [{ key, bytes: length }])
}
