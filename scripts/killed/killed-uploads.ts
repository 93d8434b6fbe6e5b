/**
 * `npm run drill -- pictures [KILLS]`: pictures are sent, described and deleted while the service is killed with SIGKILL. Each that was
 * acknowledged must be there, whole and with its bytes; what was never acknowledged may be there, and then it is whole as well.
 */
import assert from 'node:assert/strict'
import { hashOfBytes } from '../../src/store/media/picture-files.ts'
import { samplePicture } from '../tools/media/sample-pictures.ts'
import { run } from '../tools/program.ts'
import { startKilledSite, type Drill } from './killed-site.ts'

const SENDERS = 2
const LIFE_MS_MAX = 900
const LONG_BYTES = 600_000

interface Sent {
  readonly hash: string
  readonly url: string
}

/** Gives what happened. Throws what should not have. */
export async function drillPictures({ cleanup, random }: Drill, kills: number): Promise<string> {
  const site = await startKilledSite(cleanup)
  const headers = { authorization: `Bearer ${site.admin}` }
  const [kept, isOver] = [new Map<string, Sent>(), new AbortController()]
  let sent = 0
  /** Sends a picture, and deletes some again. What the kill cuts off is neither kept nor gone. */
  const sending = site.keepSending(SENDERS, isOver.signal, async () => {
    const response = await fetch(`${await site.url()}/api/v1/media`, { method: 'POST', headers, body: pictureOf(sent++, random.oneIn(3)) })
    assert.equal(response.status, 201, await response.clone().text())
    const { data } = (await response.json()) as { readonly data: Sent }
    kept.set(data.hash, data)
    if (!random.oneIn(4)) return
    kept.delete(data.hash)
    const removed = await site.call('DELETE', `/admin/media/${data.hash}`)
    assert.equal(removed.status, 204)
  })
  await site.killRepeatedly(random, kills, LIFE_MS_MAX)
  isOver.abort()
  await sending
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
}

/** Another picture for each number, some of them long. */
function pictureOf(n: number, isLong: boolean): Uint8Array<ArrayBuffer> {
  const jpeg = samplePicture('jpeg progressive')
  const scan = Buffer.alloc(isLong ? LONG_BYTES : 4, 0x55)
  scan.writeUInt32BE(0x01010101 + n)
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, -2), Buffer.from(scan.toString('latin1').replaceAll('\xff', '\x01'), 'latin1'), jpeg.subarray(-2)]))
}
