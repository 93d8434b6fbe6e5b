/** Calls to a cluster of etcd servers: with deadlines, the token of the user, and the next server after a failure. */
import type { EtcdTarget } from '../etcd-target.ts'
import { connectTo, createActiveConnection } from './active-connection.ts'
import { createAuthToken } from './auth-token.ts'
import type { Chance } from './endpoint-order.ts'
import { EtcdError, etcdError } from './etcd-error.ts'
import { callUnary, openGrpcStream, type GrpcStream } from './grpc-call.ts'
import { GrpcError, type GrpcCode } from './grpc-status.ts'
import { protoMessage, readProto, type ProtoFields, type ProtoMessage } from './protobuf.ts'

/** Time for a call, and for each MiB of its request: an election must show as an error that is retried elsewhere. */
const DEADLINE_MS = 1_000
const DEADLINE_OF_A_MIB_MS = 1_000
/** etcd compares passwords with bcrypt, which is slow on purpose. */
const AUTHENTICATE_MS = 5_000
const MIB = 1024 * 1024

/** Failures of a server rather than of a request: the next server may do better. */
const SERVER_FAULTS: ReadonlySet<GrpcCode> = new Set([
  'unavailable',
  'deadlineExceeded',
  'internal',
  'unknown',
  'cancelled',
  'unimplemented',
])

export interface EtcdCall<T> {
  /** `/etcdserverpb.KV/Range` */
  readonly path: string
  readonly message: ProtoMessage
  /** Whether it may be repeated where its outcome is unknown. */
  readonly isRepeatable: boolean
  readonly deadlineMs?: number
  /** Reads the response, and throws where it is not one. */
  readonly read: (response: ProtoFields) => T
}

/**
 * Calls one server after the other. Each server is tried once, as long as the call may be repeated. All functions
 * reject with an EtcdError.
 */
export function createEtcdChannel(target: EtcdTarget, chance: Chance) {
  const connection = createActiveConnection(target, chance)
  const requireSameCluster = createClusterCheck()

  async function attempt<T>(call: EtcdCall<T>, metadata: Metadata): Promise<T> {
    const used = await connection.get().catch((error: unknown) => {
      throw etcdError(call.path, connection.url, error)
    })
    try {
      const deadlineMs = call.deadlineMs ?? DEADLINE_MS + Math.ceil((call.message.length / MIB) * DEADLINE_OF_A_MIB_MS)
      const request = { ...call, metadata: { ...metadata, ...NEEDS_LEADER } }
      const response = readProto(await callUnary(used, request, deadlineMs))
      requireSameCluster(response)
      const result = call.read(response)
      connection.confirm(used)
      return result
    } catch (cause) {
      const error = etcdError(call.path, used.url, cause)
      if (SERVER_FAULTS.has(error.code)) connection.leave(used, error.message)
      throw error
    }
  }
  async function tryServers<T>(call: EtcdCall<T>, metadata: Metadata = {}): Promise<T> {
    for (let left = target.endpoints.length; ; left--) {
      try {
        return await attempt(call, metadata)
      } catch (error) {
        const isFault = error instanceof EtcdError && SERVER_FAULTS.has(error.code)
        const mayTryNext = isFault && (call.isRepeatable || !error.isSent)
        if (left <= 1 || !mayTryNext || connection.isClosed) throw error
      }
    }
  }
  const token = createAuthToken(target.login, ({ user, password }) =>
    tryServers<string | undefined>({
      path: '/etcdserverpb.Auth/Authenticate',
      message: protoMessage([1, user], [2, password]),
      isRepeatable: true,
      deadlineMs: AUTHENTICATE_MS,
      read: (response) => response.text(2),
    }).catch((error: unknown) => {
      if (error instanceof EtcdError && error.message.includes('authentication is not enabled')) return undefined
      throw error
    }),
  )
  return {
    /** The response of a call, with a new token where etcd has forgotten the one of this client. */
    async call<T>(call: EtcdCall<T>): Promise<T> {
      const metadata = await token.metadata()
      try {
        return await tryServers(call, metadata)
      } catch (error) {
        if (!(error instanceof EtcdError && (await token.drop(error.message, metadata['token'])))) throw error
        return tryServers(call, await token.metadata())
      }
    },
    /** The response of one server, over a connection of its own and without a leader: how it is, even when alone. */
    async callAt<T>(url: string, { path, message, read, deadlineMs = DEADLINE_MS }: Omit<EtcdCall<T>, 'isRepeatable'>): Promise<T> {
      const metadata = await token.metadata()
      const own = connectTo(target, url)
      try {
        return read(readProto(await callUnary(own, { path, message, metadata }, deadlineMs)))
      } catch (error) {
        throw etcdError(path, url, error)
      } finally {
        own.end(new GrpcError('cancelled', 'the call is done'))
      }
    },
    /**
     * Opens a stream for `use`, which reads it to its end; a failure of the server makes the next stream go elsewhere.
     */
    async stream(
      call: Pick<EtcdCall<never>, 'path' | 'message'>,
      use: (stream: GrpcStream) => Promise<void>,
    ): Promise<void> {
      const metadata = await token.metadata()
      const used = await connection.get()
      try {
        await use(await openGrpcStream(used, { ...call, metadata: { ...metadata, ...NEEDS_LEADER } }))
      } catch (cause) {
        const error = cause instanceof EtcdError ? cause : etcdError(call.path, used.url, cause)
        const isRejected = await token.drop(error.message, metadata['token'])
        if (!isRejected && SERVER_FAULTS.has(error.code)) connection.leave(used, error.message)
        throw error
      }
    },
    close: (): void => connection.close(),
  }
}

export type EtcdChannel = ReturnType<typeof createEtcdChannel>

type Metadata = Readonly<Record<string, string>>

/** A server without a leader rejects the call immediately, and ends a stream (etcd: `hasleader` metadata of clientv3). */
const NEEDS_LEADER = { hasleader: 'true' }

/** Positions are revisions of one cluster: a server of another one, by a mistake in the URLs, would mix them up. */
function createClusterCheck(): (response: ProtoFields) => void {
  let known: bigint | undefined
  return (response) => {
    const id = response.message(1).id(1)
    if (id === 0n) return // The response to Alarm does not say.
    known ??= id
    if (id === known) return
    const found = `it belongs to another etcd cluster (${id.toString(16)}, expected ${known.toString(16)})`
    throw new GrpcError('internal', `${found}: correct --cluster`)
  }
}
