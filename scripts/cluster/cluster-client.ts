/**
 * A client of a cluster: it sends each request to the node that it is told, carries the newest position that it has seen,
 * and records what it did and saw.
 */
import { Agent } from 'node:http'
import { send } from '../attacks/loopback-client.ts'
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
      const { node, method, path, token, body, ifMatch, consistency } = call
      const sent = consistency === 'plain' ? undefined : newest
      const headers = {
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(consistency === 'strong' ? { [CONSISTENCY_HEADER]: 'strong' } : {}),
        ...(sent === undefined ? {} : { [POSITION_HEADER]: String(sent) }),
      }
      const request = { method, path, token, body, headers, agent, msMax: PATIENCE_MS, isSentOnce: true }
      const start = performance.now()
      const { status, text, headers: received } = await send(ports[node] ?? 0, request)
      const end = performance.now()
      const given = status === 0 ? undefined : received[POSITION_HEADER]
      const position = given === undefined ? undefined : Number(given)
      if (position !== undefined && position > (newest ?? -1)) newest = position
      const outcome = outcomeOf(status, text)
      const seen = { client: id, node, start, end, outcome, status, sent, position }
      return { status, etag: received.etag ?? '', text, outcome, data: dataOf(text), seen }
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

function dataOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return ((JSON.parse(text) as { data?: Record<string, unknown> }).data ?? {})
  } catch {
    return {}
  }
}
