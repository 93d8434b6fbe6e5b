/** HTTP over loopback from any of the addresses 127.x.x.x, each of which is another client to the service. */
import { request, type Agent, type IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'

/** The apps give up after so long. */
const RESPONSE_MS_MAX = 15_000

export interface Request {
  readonly method?: string
  readonly path: string
  readonly token?: string | undefined
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly from?: string
  readonly agent?: Agent
  /** The client gives up after so long. */
  readonly msMax?: number
  /** Never sends again what may have been received, such as a write whose outcome is judged. */
  readonly isSentOnce?: boolean
}

export interface TimedResponse {
  /** 0 where no response came: `text` says why. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly ms: number
}

/** Sends one request, on a connection of its own without `agent`. Never rejects. */
export function send(port: number, options: Request): Promise<TimedResponse> {
  return sendOnce(port, options, performance.now(), options.isSentOnce !== true)
}

function sendOnce(port: number, options: Request, start: number, mayRetry: boolean): Promise<TimedResponse> {
  const { method = 'GET', path, token, body, headers = {}, from, agent, msMax = RESPONSE_MS_MAX } = options
  const bytes = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const { promise, resolve } = Promise.withResolvers<TimedResponse>()
  const done = (status: number, responseHeaders: IncomingHttpHeaders, text: string): void =>
    resolve({ status, headers: responseHeaders, text, ms: performance.now() - start })
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent: agent ?? false,
    ...(from === undefined ? {} : { localAddress: from }),
    headers: {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(bytes === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(bytes)) }),
      ...headers,
    },
  })
  const timer = setTimeout(() => outgoing.destroy(new Error('timeout')), msMax)
  outgoing.once('error', (error: NodeJS.ErrnoException) => {
    clearTimeout(timer)
    // A server may close an idle connection just as the next request leaves: clients send that again.
    if (mayRetry && outgoing.reusedSocket && error.code === 'ECONNRESET') {
      const { agent: _, ...fresh } = options
      void sendOnce(port, fresh, start, false).then(resolve)
    } else done(0, {}, error.code ?? error.message)
  })
  outgoing.once('response', (incoming) => {
    const chunks: Buffer[] = []
    const end = (status: number, text: string): void => {
      clearTimeout(timer)
      done(status, incoming.headers, text)
    }
    incoming.on('data', (chunk: Buffer) => void chunks.push(chunk))
    incoming.once('end', () => end(incoming.statusCode ?? 0, Buffer.concat(chunks).toString('utf8')))
    incoming.once('error', (error) => end(0, `response cut off: ${error.message}`))
  })
  outgoing.end(bytes)
  return promise
}

/** Connects and swallows all later errors. Gives a destroyed socket where the connection is refused. */
export function connectFrom(port: number, from: string): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true })
  socket.on('error', () => resolve(socket))
  socket.once('connect', () => resolve(socket))
  return promise
}

/** Writes with backpressure; returns at once where the other side has closed. */
export async function writeAll(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  if (!socket.writable || socket.write(bytes)) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'error']) socket.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close', 'error']) socket.once(event, done)
  })
}

/** Runs `work` so many times at once. */
export function inParallel<Result>(count: number, work: (i: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => work(i)))
}

/** How often each status came, as `200×12 429×3`; a request without a response shows its error. */
export function statusCounts(responses: readonly Pick<TimedResponse, 'status' | 'text'>[]): string {
  const counts = Map.groupBy(responses, ({ status, text }) => (status === 0 ? text : String(status)))
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, { length }]) => `${status}×${length}`)
    .join(' ')
}

/** A form-encoded query of `/api/v1/data`; objects as JSON. */
export function dataPath(query: Readonly<Record<string, unknown>>, item = ''): string {
  const texts = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return `/api/v1/data${item}?${new URLSearchParams(texts as [string, string][]).toString()}`
}
