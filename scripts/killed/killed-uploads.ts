/**
 * `npm run drill -- pictures [KILLS]`: pictures are sent, described and deleted while the service is killed with SIGKILL. Each that was
 * acknowledged must be there, whole and with its bytes; what was never acknowledged may be there, and then it is whole as well.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { hashOfBytes } from '../../src/store/media/picture-files.ts'
import { samplePicture } from '../tools/media/sample-pictures.ts'
import { run } from '../tools/program.ts'
import { seededRandom, type Random } from '../tools/random.ts'
import { withCleanup } from '../with-cleanup.ts'
import { startKilledSite, type KilledSite } from './killed-site.ts'

const SENDERS = 2
const LIFE_MS_MAX = 900
const LONG_BYTES = 600_000

interface Sent {
  readonly hash: string
  readonly url: string
}

/** Gives what happened. Throws what should not have. */
export function drillPictures(kills: number, seed: number): Promise<string> {
  return withCleanup(async (cleanup) => {
    const random = seededRandom(seed)
    const site = await startKilledSite(cleanup)
    const kept = new Map<string, Sent>()
    const isOver = new AbortController()
    const sending = Promise.all(Array.from({ length: SENDERS }, (_, nth) => keepSending(site, { random, nth, kept, signal: isOver.signal })))
    await site.killRepeatedly(random, kills, LIFE_MS_MAX)
    isOver.abort()
    const sent = (await sending).reduce((sum, one) => sum + one, 0)
    assert.ok(kept.size >= kills, `only ${kept.size} pictures were acknowledged`)
    for (const { hash, url } of kept.values()) {
      const path = new URL(url).pathname
      const response = await fetch((await site.url()) + path)
      assert.equal(response.status, 200, path)
      assert.equal(hashOfBytes(Buffer.from(await response.arrayBuffer())), hash, 'the bytes are others')
    }
    const { code, stdout } = await run(['media', 'check', '--json', '--data-dir', site.data])
    const { missing, damaged, unknown, pictures } = JSON.parse(stdout) as Readonly<Record<'missing' | 'damaged' | 'unknown', readonly string[]>> & { readonly pictures: number }
    assert.deepEqual({ code, missing, damaged }, { code: 0, missing: [], damaged: [] })
    return `${sent} pictures sent, ${kept.size} kept, ${pictures} known, ${kills} kills: none missing, none damaged, ${unknown.length} files left over`
  })
}

interface Sending {
  readonly random: Random
  readonly nth: number
  readonly kept: Map<string, Sent>
  readonly signal: AbortSignal
}

/** Sends pictures, deletes some again, and returns how many it has sent. What the kill cuts off is neither kept nor gone. */
async function keepSending(site: KilledSite, { random, nth, kept, signal }: Sending): Promise<number> {
  const headers = { authorization: `Bearer ${site.admin}` }
  let sent = 0
  for (let n = 0; !signal.aborted; n++) {
    try {
      const body = pictureOf(nth * 1_000_000 + n, random.oneIn(3))
      const response = await fetch(`${await site.url()}/api/v1/media`, { method: 'POST', headers, body })
      sent++
      assert.equal(response.status, 201, await response.clone().text())
      const { data } = (await response.json()) as { readonly data: Sent }
      kept.set(data.hash, data)
      if (!random.oneIn(4)) continue
      kept.delete(data.hash)
      const removed = await fetch(`${await site.url()}/api/v1/admin/media/${data.hash}`, { method: 'DELETE', headers })
      assert.equal(removed.status, 204)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // The service was killed: another is there soon.
      await pause(20)
    }
  }
  return sent
}

/** Another picture for each number, some of them long. */
function pictureOf(n: number, isLong: boolean): Uint8Array<ArrayBuffer> {
  const jpeg = samplePicture('jpeg progressive')
  const scan = Buffer.alloc(isLong ? LONG_BYTES : 4, 0x55)
  scan.writeUInt32BE(0x01010101 + n)
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, -2), Buffer.from(scan.toString('latin1').replaceAll('\xff', '\x01'), 'latin1'), jpeg.subarray(-2)]))
}
