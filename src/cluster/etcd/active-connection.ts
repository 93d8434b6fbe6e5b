/**
 * The one connection that all calls and streams use, to one of the servers. A server that fails a call is left for all
 * of them: a watch does not stay with a server that has lost its leader, once any call has noticed.
 */
import { pause } from '../../base/pause.ts'
import type { EtcdTarget } from '../etcd-target.ts'
import { createEndpointOrder, type Chance } from './endpoint-order.ts'
import { openGrpcConnection, type GrpcConnection } from './grpc-connection.ts'
import { GrpcError } from './grpc-status.ts'

const CONNECT_MS = 2_000

export function connectTo(target: EtcdTarget, url: string): GrpcConnection {
  return openGrpcConnection(url, target, CONNECT_MS)
}

export function createActiveConnection(target: EtcdTarget, chance: Chance) {
  const order = createEndpointOrder(target.endpoints, chance)
  let active: GrpcConnection | undefined
  let isClosed = false
  return {
    get isClosed(): boolean {
      return isClosed
    },
    /** The server that is called next. */
    get url(): string {
      return order.current
    },
    /**
     * The connection in use, or a new one to the current server, which may have to rest before. Rejects with a
     * GrpcError.
     */
    async get(): Promise<GrpcConnection> {
      const rest = active?.isOpen === true ? 0 : order.restMs()
      if (rest > 0) await pause(rest)
      if (isClosed) throw new GrpcError('cancelled', CLOSED, { isSent: false })
      if (active?.isOpen !== true || active.url !== order.current) active = connectTo(target, order.current)
      return active
    },
    /** A call has succeeded: the next failure is the first one. */
    confirm: ({ url }: GrpcConnection): void => order.succeeded(url),
    /** Leaves a server, unless another call has left it already. */
    leave(failed: GrpcConnection, reason: string): void {
      failed.end(new GrpcError('unavailable', reason))
      if (failed !== active || isClosed) return
      active = undefined
      order.failed(failed.url)
    },
    close(): void {
      isClosed = true
      active?.end(new GrpcError('cancelled', CLOSED))
    },
  }
}

const CLOSED = 'the connection was closed by this node'
