/**
 * The Exchange as handlers use it, whether its connection is in this thread (incoming-exchange.ts) or in another one
 * (forwarded-exchange.ts). What costs time is computed when a handler reads it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from '../base/json.ts'
import type { LogFields } from '../base/log.ts'
import type { BodyLane } from './body-lane.ts'
import type { BodyOwner } from './body-limits.ts'
import { LONG_BODY_BYTES, readJsonObject } from './body.ts'
import { limitKey } from './client-address.ts'
import type { BodyTerms, Exchange, JsonBodyOptions, Params } from './exchange.ts'
import { ClientGone } from './incoming-body.ts'
import { parseQuery, type Query } from './query-string.ts'

/** What all requests of a server have in common. */
export interface ServedOptions {
  /** Of this thread. */
  readonly bodyLane: BodyLane
  readonly bodyBytesMax: number
}

const NO_TERMS: BodyTerms = {}

export abstract class ServedExchange implements Exchange {
  readonly requestId: string
  readonly method: string
  readonly target: string
  readonly path: string
  params: Params = {}
  /** The path of the route that serves it; empty where there is none. */
  route = ''
  /** The fields of addLogFields(), for the access log. */
  logFields: LogFields | undefined
  readonly #queryText: string
  readonly #options: ServedOptions
  #bodyTerms = NO_TERMS
  /** Defined once the body has the lane. */
  #leaveLane: (() => void) | undefined
  #query: Query | undefined
  #json: Promise<JsonObject> | undefined

  constructor({ requestId, method, target }: Pick<Exchange, 'requestId' | 'method' | 'target'>, options: ServedOptions) {
    const mark = target.indexOf('?')
    this.requestId = requestId
    this.method = method
    this.target = target
    this.path = mark === -1 ? target : target.slice(0, mark)
    this.#queryText = mark === -1 ? '' : target.slice(mark + 1)
    this.#options = options
  }

  abstract get headers(): IncomingHttpHeaders
  abstract get clientAddress(): string
  abstract get isFromProxy(): boolean
  abstract get signal(): AbortSignal
  /** The client has left: no response can be sent. */
  abstract get isAbandoned(): boolean
  /** A body follows the header. */
  abstract get comesWithBody(): boolean
  abstract readBytes(): Promise<Buffer>
  /** Throws where the body cannot be read any more, because of the client. */
  protected abstract requireReadable(): void

  get query(): Query {
    return (this.#query ??= parseQuery(this.#queryText))
  }

  addLogFields(fields: LogFields): void {
    this.logFields = this.logFields === undefined ? fields : { ...this.logFields, ...fields }
  }

  get bodyTerms(): BodyTerms {
    return this.#bodyTerms
  }

  get bodyBytesMax(): number {
    const { limit, bytesMax = Infinity } = this.#bodyTerms
    return Math.min(limit?.bytesMax ?? this.#options.bodyBytesMax, bytesMax)
  }

  weigh(bytes: number): void {
    this.#bodyTerms.weigh?.(bytes, 0)
  }

  async growBody(bytes: number): Promise<void> {
    this.weigh(bytes)
    if (bytes > LONG_BODY_BYTES) await this.#enterLane()
  }

  setBodyTerms(terms: BodyTerms): void {
    this.#bodyTerms = this.#bodyTerms === NO_TERMS ? terms : { ...this.#bodyTerms, ...terms }
  }

  readJson(options: JsonBodyOptions = {}): Promise<JsonObject> {
    return (this.#json ??= this.#readJson(options))
  }

  /** Leaves the lane. Called when the request is done. */
  releaseBody(): void {
    this.#leaveLane?.()
  }

  /** The caller that the body counts for. */
  protected get bodyOwner(): BodyOwner {
    const { caller = limitKey(this.clientAddress), usesReserve = false } = this.#bodyTerms
    return { caller, usesReserve }
  }

  async #readJson(options: JsonBodyOptions): Promise<JsonObject> {
    this.requireReadable()
    const read = this.comesWithBody ? () => this.readBytes() : undefined
    const weigh = (bytes: number, before: number): void => this.#bodyTerms.weigh?.(bytes, before)
    const enterLane = (): Promise<void> => this.#enterLane()
    try {
      return await readJsonObject({ headers: this.headers, read, weigh, enterLane }, options)
    } finally {
      if (options.isDoneWhenRead === true) this.#leaveLane?.()
    }
  }

  async #enterLane(): Promise<void> {
    if (this.#leaveLane !== undefined) return
    this.#leaveLane = await this.#options.bodyLane.enter(this.bodyOwner)
    if (this.isAbandoned) throw new ClientGone('the connection ended before the request body was parsed')
  }
}
