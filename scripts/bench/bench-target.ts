/** The service of a benchmark: started on a filled data directory, with readers that are signed in. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import type { BenchRoom } from './bench-processes.ts'
import type { Comparison } from './comparison-server.ts'
import { fillDirectory } from './filled-service.ts'
import { sendRaw } from './raw-request.ts'
import type { World } from './world.ts'

const READERS = 64
const NO_MAIL_PORT = 9
const GUEST = 'POST /api/v1/auth/anonymous HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'

export interface ServerAddress {
  readonly port: number
  readonly pid: number
}

export interface Target extends ServerAddress {
  readonly world: World
  readonly adminToken: string
  /** Of several readers, since each of them has a share of the work. */
  readonly readerTokens: readonly string[]
}

export interface TargetOptions {
  /** Of the data directory. */
  readonly name?: string
  readonly count: number
  /** Where no mail is sent, none is given: nothing listens there. */
  readonly mailPort?: number
  /** For the service, besides those that every benchmark gives. */
  readonly more?: readonly string[]
  /** Called with the data directory, whose files no process uses then. */
  readonly beforeStart?: (directory: string) => void
}

/** Starts a service on the data directory of a target that was stopped, or that is filled: its tokens hold again. */
export async function startService(room: BenchRoom, { name = 'data', mailPort = NO_MAIL_PORT, more = [] }: Omit<TargetOptions, 'count' | 'beforeStart'>): Promise<ServerAddress> {
  const flags = ['--port', '0', '--rate-limits', 'off', '--exit-with-parent', 'on', '--mail', `smtp://127.0.0.1:${mailPort}`]
  const words = [process.execPath, 'src/main.ts', 'serve', '--data-dir', join(room.directory, name), ...flags, ...more]
  const { pid, ready } = await room.startServer(words, { hasLog: true })
  const { port } = JSON.parse(ready) as { port: number }
  return { pid, port }
}

export async function startTarget(
  room: BenchRoom,
  { name = 'data', count, mailPort = NO_MAIL_PORT, more = [], beforeStart }: TargetOptions,
): Promise<Target> {
  const directory = join(room.directory, name)
  const { world, token } = await fillDirectory(directory, count)
  beforeStart?.(directory)
  const { pid, port } = await startService(room, { name, mailPort, more })
  const guests = await Promise.all(Array.from({ length: READERS }, () => sendRaw(port, GUEST)))
  const readerTokens = guests.map(({ body }) => (JSON.parse(body.toString()) as { data: { token: string } }).data.token)
  return { pid, port, world, adminToken: token, readerTokens }
}

/** The load generator, and the port to which sign-in mails go. */
export async function startGenerator(room: BenchRoom): Promise<{ readonly generator: ChildProcess; readonly mailPort: number }> {
  const generator = room.startLoad(join(import.meta.dirname, 'load-process.ts'))
  const [mailPort] = (await once(generator, 'message')) as [number]
  return { generator, mailPort }
}

/** Servers to compare with, one for each comparison. */
export async function startComparisons(room: BenchRoom, comparisons: readonly Comparison[]): Promise<ServerAddress[]> {
  if (comparisons.length === 0) return []
  const file = join(room.directory, 'comparisons.json')
  writeFileSync(file, JSON.stringify(comparisons))
  const { pid, ready } = await room.startServer([process.execPath, join(import.meta.dirname, 'comparison-server.ts'), file])
  return (JSON.parse(ready) as number[]).map((port) => ({ port, pid }))
}
