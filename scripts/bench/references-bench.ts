/**
 * `npm run bench -- references [COPIES] [ROUNDS] [--threads N]`: how long COPIES headlines (100,000) take to follow a renamed
 * topic, and what readers feel of it: the same load before and meanwhile, in windows that follow one another. Several
 * rounds, of fewer copies, take turns on a machine that has other work.
 */
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../../src/store/sqlite/data-dir.ts'
import { cpuSeconds } from '../attacks/process-figures.ts'
import { createBenchRoom } from './bench-processes.ts'
import { startGenerator, startTarget, type Target } from './bench-target.ts'
import { requestText } from './http-scenarios.ts'
import { measureLoad, type LoadFigures } from './load-job.ts'
import { median } from './load-rounds.ts'
import { sendRaw } from './raw-request.ts'

const COPIES_DEFAULT = 100_000
const CONNECTIONS = 4
const WINDOW_MS = 2_000
const WINDOWS_BEFORE = 4

export async function benchReferences(words: readonly string[]): Promise<void> {
  const [copies = COPIES_DEFAULT, rounds = 1] = words.filter((word) => /^\d+$/.test(word)).map(Number)
  const more = words.slice(words.findIndex((word) => word.startsWith('--')) >>> 0)
  await using room = createBenchRoom()
  const { generator, mailPort } = await startGenerator(room)
  let id = ''
  const target = await startTarget(room, {
    ...{ count: copies, mailPort, more },
    beforeStart: (directory) => void (id = giveOneTopic(databaseFile(directory))),
  })
  const requests = readsOf(target)
  const load = (): Promise<LoadFigures> =>
    measureLoad(generator, { kind: 'requests', requests, status: 200, port: target.port, pid: target.pid, connections: CONNECTIONS, windowMs: WINDOW_MS })
  await load()
  const [before, during]: [LoadFigures[], LoadFigures[]] = [[], []]
  let [seconds, cpu] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < WINDOWS_BEFORE; i++) before.push(await load())
    const [since, cpuBefore] = [performance.now(), cpuSeconds(target.pid)]
    await send(target, 'PATCH', `/api/v1/data/${id}?model=topic`, { name: `Renamed ${round}` })
    const windows: LoadFigures[] = []
    for (let isFollowing = true; isFollowing; ) {
      windows.push(await load())
      const { following } = (await send(target, 'GET', `/api/v1/data/${id}/usage?model=topic`)) as { following: object | null }
      isFollowing = following !== null
    }
    seconds += (performance.now() - since) / 1000
    cpu += cpuSeconds(target.pid) - cpuBefore
    // The last window may have no copies left in it.
    during.push(...(windows.length > 1 ? windows.slice(0, -1) : windows))
  }
  const followed = copies * rounds
  console.log(`${followed} copies followed in ${seconds.toFixed(0)} s beside readers: ${(followed / seconds).toFixed(0)} a second`)
  print('before', before)
  print('meanwhile', during)
  const [a, b] = [before, during].map((windows) => median(windows.map(({ p99Ms }) => p99Ms))) as [number, number]
  console.log(`  p99 meanwhile: ${(b / a).toFixed(2)} times that of before; CPU ${(cpu / seconds).toFixed(2)} cores`)
}

function print(name: string, windows: readonly LoadFigures[]): void {
  const of = (member: keyof LoadFigures): string => median(windows.map((window) => window[member])).toFixed(2)
  console.log(`  ${name.padEnd(10)} p50 ${of('p50Ms')} ms, p99 ${of('p99Ms')} ms, ${of('perSecond')} requests a second, ${windows.length} windows`)
}

/** All headlines get one topic; the file is in use by no process. */
function giveOneTopic(file: string): string {
  const database = new DatabaseSync(file)
  try {
    const { id, doc } = database.prepare('SELECT id, doc FROM topic ORDER BY seq LIMIT 1').get() as { id: string; doc: string }
    database.prepare("UPDATE headline SET doc = json_set(doc, '$.topic', json(?))").run(doc)
    return id
  } finally {
    database.close()
  }
}

function readsOf({ world, readerTokens }: Target): readonly string[] {
  const [token = ''] = readerTokens
  const get = (path: string): string => requestText('GET', path, { token })
  const list = (i: number): string => {
    const filter = encodeURIComponent(JSON.stringify({ status: 'active', 'source.id': world.sources[i % 50]?.['id'] ?? '' }))
    return get(`/api/v1/data?model=headline&filter=${filter}&sort=updatedAt:desc&limit=20`)
  }
  return Array.from({ length: 400 }, (_, i) => {
    return i % 2 === 0 ? list(i) : get(`/api/v1/data/${world.ids[Math.floor((i * world.ids.length) / 400)] ?? ''}?model=headline`)
  })
}

async function send({ port, adminToken: token }: Target, method: string, path: string, body?: object): Promise<unknown> {
  const parts = body === undefined ? { token } : { token, body: JSON.stringify(body) }
  const { status, body: found } = await sendRaw(port, requestText(method, path, parts))
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${found.toString()}`)
  return (JSON.parse(found.toString()) as { data: unknown }).data
}
