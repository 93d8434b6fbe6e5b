/**
 * A client of a cluster: it sends each request to the node that it is told, carries the newest position that it has seen,
 * and records what it did and saw.
 */
import { Agent, request } from 'node:http'
import type { Operation, Outcome } from './operation.ts'

export const POSITION_HEADER = 'x-dateline-position'
const CONSISTENCY_HEADER = 'consistency'
/** After so long a client gives up, and the outcome is unknown. */
const PATIENCE_MS = 8_000
/** How a response of a write with status 503 says that it may take effect later. */
const MAY_HAVE_HAPPENED = /may have happened/

export interface ClientCall {
  readonly node: number
  readonly method: string
  readonly path: string
  readonly token?: string | undefined
  readonly body?: unknown
  readonly ifMatch?: string | undefined
  /** `session` carries the position; `plain` takes what the node has. */
  readonly consistency: 'strong' | 'session' | 'plain'
}

export interface ClientResponse {
  /** 0 where there was none. */
  readonly status: number
  readonly etag: string
  readonly data: Readonly<Record<string, unknown>>
  readonly text: string
  readonly outcome: Outcome
  /** What every operation records. */
  readonly seen: Pick<Operation, 'client' | 'node' | 'start' | 'end' | 'outcome' | 'status' | 'sent' | 'position'>
}

export function createClusterClient(id: number, ports: readonly number[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  let newest: number | undefined
  return {
    id,
    get position() {
      return newest
    },
    async call(call: ClientCall): Promise<ClientResponse> {
      const { node, consistency } = call
      const sent = consistency === 'plain' ? undefined : newest
      const start = performance.now()
      const received = await send(agent, ports[node] ?? 0, call, sent)
      const end = performance.now()
      const { status, position } = received
      if (position !== undefined && position > (newest ?? -1)) newest = position
      const outcome = outcomeOf(status, received.text)
      const seen = { client: id, node, start, end, outcome, status, sent, position }
      return { ...received, outcome, data: dataOf(received.text), seen }
    },
    close: (): void => agent.destroy(),
  }
}

export type ClusterClient = ReturnType<typeof createClusterClient>

/** What a client may conclude: a bug (500) may have written. */
function outcomeOf(status: number, text: string): Outcome {
  if (status >= 200 && status < 400) return 'ok'
  if (status === 0 || status === 500) return 'unknown'
  return MAY_HAVE_HAPPENED.test(text) ? 'unknown' : 'failed'
}

interface Received {
  readonly status: number
  readonly etag: string
  readonly text: string
  readonly position: number | undefined
}

function send(agent: Agent, port: number, { method, path, token, body, ifMatch, consistency }: ClientCall, sent: number | undefined): Promise<Received> {
  const bytes = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(consistency === 'strong' ? { [CONSISTENCY_HEADER]: 'strong' } : {}),
    ...(sent === undefined ? {} : { [POSITION_HEADER]: String(sent) }),
  }
  const { promise, resolve } = Promise.withResolvers<Received>()
  const none = (): void => resolve({ status: 0, etag: '', text: '', position: undefined })
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent, signal: AbortSignal.timeout(PATIENCE_MS) })
  outgoing.on('error', none).on('response', (incoming) => {
    const chunks: Buffer[] = []
    incoming.on('error', none).on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const given = incoming.headers[POSITION_HEADER]
      resolve({
        status: incoming.statusCode ?? 0,
        etag: incoming.headers.etag ?? '',
        text: Buffer.concat(chunks).toString(),
        position: given === undefined ? undefined : Number(given),
      })
    })
  })
  outgoing.end(bytes)
  return promise
}

function dataOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return ((JSON.parse(text) as { data?: Record<string, unknown> }).data ?? {})
  } catch {
    return {}
  }
}
