/**
 * What the main thread and a serving thread tell each other.
 *
 * A serving thread has the connections of its clients, and all that keeps broken and hostile ones in their bounds. It
 * answers reads by itself; every other request goes to the main thread, which alone writes, as what remains of it after
 * parsing, with its body: nothing that the main thread trusts, such as the address of the client, is read from bytes of the client there.
 */
import type { SigningKey } from '../../auth/keys.ts'
import type { LimitName } from '../../auth/limits.ts'
import type { LogFields, ThreadLine } from '../../base/log.ts'
import type { LogLevel } from '../../base/log-level.ts'
import type { ThreadSamples } from '../../base/metrics.ts'
import type { Calls, Sent, SentError } from '../../base/calls.ts'
import type { CountsMemory } from '../../base/shared-counts.ts'
import type { WindowsMemory } from '../../base/shared-windows.ts'
import type { Beat } from '../../content/changes/presence.ts'
import type { Config } from '../../config/settings.ts'
import type { ForwardedEndpoint } from '../../endpoints/guard.ts'
import type { HttpResponse } from '../../http/exchange.ts'
import type { ForwardedRequest } from '../../http/forwarded-exchange.ts'
import type { Certificate } from '../../http/certificate.ts'
import type { TcpAddress } from '../../http/listening.ts'
import type { ServerLimits } from '../../http/server-limits.ts'
import type { GateMemory } from '../../store/db/reader-gate.ts'
import type { AnswerMessage, QueryMessage } from '../../store/query/threads/query-message.ts'
import type { CallerClaim } from '../../store/actor.ts'
import type { PageAsset, PageSettings } from '../page-routes.ts'
import type { QueryCaller } from '../../store/query/find-query.ts'

/** The settings of reads and of connections. */
export type ServingSettings = Pick<
  Config,
  | 'pageSize'
  | 'pageSizeMax'
  | 'hideInactive'
  | 'publicRemoteConfig'
  | 'corsOrigins'
  | 'allowedHosts'
  | 'dataPerUser'
  | 'publicationsPerAddress'
  | 'publicationSeconds'
  | 'publicationsIndexed'
  | 'publicUrl'
  | 'websubHub'
  | 'appName'
  | 'tokenIssuer'
  | 'streamsMax'
  | 'connectionsPerAddress'
> & { readonly cacheBytes: number; readonly trustedProxies: string }

/** Memory that all threads share. */
export interface SharedMemory {
  readonly windows: WindowsMemory
  readonly bodies: CountsMemory
  readonly connections: CountsMemory
  readonly streams: CountsMemory
  readonly gate: GateMemory
}

/** What a serving thread gets at its start. */
export interface ServingData {
  /** From 1: the main thread is 0. */
  readonly thread: number
  readonly database: string
  /** The directory of the files of pictures. */
  readonly media: string
  readonly settings: ServingSettings
  readonly keys: readonly SigningKey[]
  readonly instance: string
  readonly startedAt: number
  readonly memory: SharedMemory
  readonly limits: Partial<ServerLimits>
  readonly log: { readonly level: LogLevel; readonly format: 'json' | 'pretty' }
  readonly address: TcpAddress
  readonly certificate: Certificate | undefined
  /** The pages, where they are served, in memory that the threads share. */
  readonly pages: { readonly assets: readonly PageAsset[] | undefined; readonly settings: PageSettings } | undefined
  /** All endpoints of the main thread. */
  readonly endpoints: readonly ForwardedEndpoint[]
  /** The time, for tests. */
  readonly clock: SharedArrayBuffer | undefined
}

/** A request that was admitted and counted, with all of its body. */
export interface RequestMessage {
  readonly request: ForwardedRequest
  readonly body: SentBody
}

export type SentBody = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly failure: SentError } | undefined

export interface ResponseMessage {
  /** Undefined where the client has left. */
  readonly response: HttpResponse | undefined
  readonly logFields: LogFields | undefined
}

/** What the main thread answers. */
export type MainAnswers = {
  readonly serve: (request: RequestMessage, signal: AbortSignal) => Promise<Sent<ResponseMessage>>
  readonly find: (
    query: { readonly query: QueryMessage; readonly caller: Pick<QueryCaller, 'id' | 'class' | 'group'> },
    signal: AbortSignal,
  ) => Promise<AnswerMessage>
  readonly log: (lines: readonly ThreadLine[]) => void
  readonly seeGuest: (seen: { readonly id: string; readonly now: number }) => void
  readonly useSession: (used: { readonly jti: string; readonly now: number }) => void
  /** The session of a ticket, which may have been used; undefined for one that is not valid. */
  readonly claimOfTicket: (ticket: string) => Promise<CallerClaim | undefined>
  /** Uses a ticket; false for one that is not valid, or was used before. */
  readonly redeemTicket: (ticket: string) => Promise<boolean>
  /** A stream of the thread says which documents its reader edits. */
  readonly present: (beat: Beat) => Promise<readonly (readonly string[])[]>
  readonly leftPresence: (stream: string) => void
  readonly limited: (limit: LimitName) => void
  readonly untrustedForward: (peer: string) => void
  /** Ends a connection of a client in a thread that is not this one. */
  readonly endElsewhere: (clientKey: string) => Promise<boolean>
  /** The thread accepts connections. */
  readonly ready: (nothing: undefined) => void
  /** The file of a response is closed. */
  readonly fileClosed: (requestId: string) => void
}

/** What a serving thread answers. */
export type ServingAnswers = {
  /** Ends a connection of a client; false where all of them are being served. */
  readonly endOneOf: (clientKey: string) => boolean
  /** A handler wants to know when the client of a request leaves. */
  readonly watch: (requestId: string) => void
  readonly samples: (nothing: undefined) => Promise<ThreadSamples>
  readonly setLevel: (level: LogLevel) => void
  readonly setCertificate: (certificate: Certificate) => void
  /** Data requests of a user in a minute; 0 is no limit. */
  readonly setDataLimit: (perUser: number) => void
  readonly setPublicUrl: (url: string | undefined) => void
  /** Resolves when the log of all that was served so far is written by the main thread. */
  readonly settle: (nothing: undefined) => Promise<void>
  /** Stops to accept, lets running requests finish, and closes what is open. */
  readonly close: (nothing: undefined) => Promise<void>
}

/** Tells serving threads something. */
export type TellServing = Calls<ServingAnswers>['tell']
