/**
 * `npm run bench -- pictures [N]`: N pictures of the service (default 1,000), of 20 to 100 KB, read in turn, beside bare file
 * servers on node:http: one that reads a file whole, and one that pipes it. Takes about twenty seconds.
 */
import { join } from 'node:path'
import { samplePicture } from '../tools/media/sample-pictures.ts'
import { seededRandom } from '../tools/random.ts'
import { createBenchRoom, isPinned } from './bench-processes.ts'
import { startComparisons, startGenerator, startTarget, type Target } from './bench-target.ts'
import type { Comparison } from './comparison-server.ts'
import { runRounds } from './load-rounds.ts'
import { headOf, lineOf } from './load-table.ts'

const PICTURES_DEFAULT = 1_000
const [BYTES_MIN, BYTES_MORE] = [20_000, 80_000]
const RATIOS = ['of readFile', 'of pipe'] as const
const OTHERS = ['readFile', 'pipe'] as const

export async function benchPictures([count = String(PICTURES_DEFAULT)]: readonly string[]): Promise<void> {
  await using room = createBenchRoom()
  const { generator, mailPort } = await startGenerator(room)
  const target = await startTarget(room, { count: 1, mailPort })
  const paths = await sendPictures(target, Number(count))
  const directory = join(room.directory, 'data', 'media')
  const comparisons: readonly Comparison[] = [{ kind: 'files', directory, isPiped: false }, { kind: 'files', directory, isPiped: true }]
  const servers = [target, ...(await startComparisons(room, comparisons))]
  const job = { kind: 'requests', status: 200, requests: paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`) } as const
  console.log(`${count} pictures, ${isPinned ? 'servers on one core, load on another' : 'servers and load share their cores'}\n`)
  console.log(headOf(RATIOS))
  const [ours, ...others] = await runRounds(generator, servers.map(({ port, pid }) => ({ ...job, port, pid })))
  if (ours !== undefined) console.log(lineOf('picture', ours, new Map(RATIOS.map((title, at) => [title, others[at]]))))
  // Their CPU times compare where other programs take the cores.
  for (const [at, other] of others.entries()) console.log(lineOf(OTHERS[at] ?? '', other, new Map()))
}

/** Sends pictures, and returns the paths that they have. */
async function sendPictures({ port, adminToken }: Target, count: number): Promise<readonly string[]> {
  const random = seededRandom(1)
  const jpeg = samplePicture('jpeg progressive')
  const paths: string[] = []
  for (let n = 0; n < count; n++) {
    // In the data of a scan, where only 0xff means something else.
    const data = Buffer.alloc(BYTES_MIN + random.below(BYTES_MORE), Buffer.from(`picture ${n} `))
    const body = new Uint8Array(Buffer.concat([jpeg.subarray(0, -2), data, jpeg.subarray(-2)]))
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/media`, { method: 'POST', body, headers: { authorization: `Bearer ${adminToken}` } })
    if (response.status !== 201) throw new Error(`Cannot send a picture: ${await response.text()}`)
    paths.push(new URL(((await response.json()) as { data: { url: string } }).data.url).pathname)
  }
  return paths
}
