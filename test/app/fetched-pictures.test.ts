/** Files of pictures from other nodes: fetched behind their rows, from the first peer that has them, and no more often than useful. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { createPictureFetching } from '../../src/app/cluster/fetched-pictures.ts'
import { MINUTE_MS } from '../../src/base/duration.ts'
import type { KnownNode } from '../../src/cluster/membership.ts'
import { hashOfBytes, pictureFiles } from '../../src/store/media/picture-files.ts'
import type { PictureFile } from '../../src/store/media/picture-table.ts'
import { recordingLog } from '../../scripts/tools/recording-log.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const peer = (node: string): KnownNode => ({ node, isAlive: true }) as unknown as KnownNode

function nodeOf(t: TestContext) {
  const { store, dir } = testStore(t)
  let time = 0
  const asked: string[] = []
  /** What each peer sends, by its name and the text of the picture. */
  const sent = new Map<string, Buffer>()
  const files = pictureFiles(join(dir.path, 'media'))
  const texts = new Map<string, string>()
  const fetching = createPictureFetching({
    ...{ store, files, now: () => time, log: recordingLog().log },
    peers: () => ['a', 'b'].map(peer),
    async download({ node }, { hash }) {
      const text = texts.get(hash) ?? ''
      asked.push(`${node} ${text}`)
      const bytes = sent.get(`${node} ${text}`)
      if (bytes === undefined) throw new Error('it does not have it')
      return bytes
    },
  })
  const row = async (text: string, createdAt = 0): Promise<PictureFile> => {
    const picture: PictureFile = { hash: hashOfBytes(Buffer.from(text)), format: 'png', bytes: Buffer.byteLength(text) }
    texts.set(picture.hash, text)
    await store.addPicture({ ...picture, width: 1, height: 1, frames: 1, alt: '', focus: undefined, createdAt, actor: undefined }, 1_000_000)
    return picture
  }
  return { fetching, files, asked, row, send: (node: string, text: string, bytes = text) => void sent.set(`${node} ${text}`, Buffer.from(bytes)), setTime: (to: number) => void (time = to) }
}

it('the first peer that has the bytes of the picture counts', async (t) => {
  const { fetching, files, asked, row, send } = nodeOf(t)
  const picture = await row('ferry')
  send('a', 'ferry', 'fraud')
  send('b', 'ferry')
  assert.equal(await fetching.fetchMissing(picture), true)
  assert.deepEqual([asked, files.read(picture)?.toString()], [['a ferry', 'b ferry'], 'ferry'])
})

it('many that want one picture cause one request, and one that no peer has is not asked for again at once', async (t) => {
  const { fetching, asked, row, send, setTime } = nodeOf(t)
  const picture = await row('ferry')
  const results = await Promise.all(Array.from({ length: 10 }, () => fetching.fetchMissing(picture)))
  assert.deepEqual([results.includes(true), asked], [false, ['a ferry', 'b ferry']])
  setTime(29_999)
  assert.equal(await fetching.fetchMissing(picture), false)
  assert.equal(asked.length, 2)
  setTime(30_000)
  send('a', 'ferry')
  assert.equal(await fetching.fetchMissing(picture), true)
})

it('what came since the last look is fetched, page by page, and what was missing then is looked for again', async (t) => {
  const { fetching, files, row, send, setTime } = nodeOf(t)
  const pictures = []
  for (let i = 0; i < 450; i++) {
    pictures.push(await row(`p${i}`, Math.floor(i / 100)))
    if (i !== 250) send('a', `p${i}`)
  }
  assert.equal(await fetching.catchUp(), false)
  assert.deepEqual(pictures.flatMap((one, i) => (files.has(one) ? [] : [i])), [250])
  setTime(MINUTE_MS)
  send('b', 'p250')
  assert.equal(await fetching.catchUp(), true)
  assert.ok(pictures.every((one) => files.has(one)))
  // A row that came late, of a node whose clock is behind.
  const late = await row('late', 0)
  send('a', 'late')
  assert.equal(await fetching.catchUp(), true)
  assert.ok(files.has(late))
})
