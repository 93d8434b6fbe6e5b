/** What the main thread does for the serving threads: requests that they do not serve by themselves, and long queries. */
import type { FileHandle } from 'node:fs/promises'
import type { Clock } from '../../base/clock.ts'
import { receivedError, Sent, type Calls } from '../../base/calls.ts'
import type { AdjustableLog } from '../../base/log.ts'
import type { BodyLane } from '../../http/body-lane.ts'
import type { UntrustedForward } from '../../http/untrusted-forwards.ts'
import type { Handler, HttpResponse } from '../../http/exchange.ts'
import { ForwardedExchange } from '../../http/forwarded-exchange.ts'
import { createForwardedResponder } from '../../http/serving.ts'
import { storedModelNamed } from '../../models/registry.ts'
import { readQuery, writeAnswer } from '../../store/query/threads/query-message.ts'
import type { TextPart } from '../../base/text-parts.ts'
import type { Services } from '../services.ts'
import type { MainAnswers, ResponseMessage, ServingAnswers } from './thread-messages.ts'

export interface RequestsOptions {
  /** Of requests that were admitted in their thread, by endpointKey(). */
  readonly handlers: ReadonlyMap<string, Handler>
  readonly log: AdjustableLog
  readonly services: Pick<Services, 'store' | 'sessions' | 'tickets' | 'presence' | 'counters'>
  readonly bodyBytesMax: number
  /** That of the server of this thread. */
  readonly bodyLane: BodyLane
  readonly untrustedForward: UntrustedForward
  readonly now: Clock
}

export type ThreadRequests = ReturnType<typeof createThreadRequests>

export function createThreadRequests({ handlers, log, services, bodyBytesMax, bodyLane, untrustedForward, now }: RequestsOptions) {
  const { store, sessions, tickets, presence, counters } = services
  const respond = createForwardedResponder(handlers, log)

  /** What the main thread answers to one thread, and what is to be done when that ends. */
  return (thread: () => Pick<Calls<ServingAnswers>, 'call' | 'tell'>) => {
    const openFiles = new Map<string, () => void>()

    /** Closes a file that no thread will send. */
    const discard = async (response: HttpResponse | undefined): Promise<void> => {
      if (response?.kind !== 'file') return
      await response.file.handle.close().catch(() => {})
      response.onClosed?.()
    }
    const answers: Omit<MainAnswers, 'ready' | 'endElsewhere'> = {
      async serve({ request, body }, signal) {
        const sentBody = body !== undefined && 'failure' in body ? { failure: receivedError(body.failure) } : body
        const onWatch = (): void => thread().tell('watch', request.requestId)
        const exchange = new ForwardedExchange(request, sentBody, { bodyLane, bodyBytesMax, leaving: signal, onWatch })
        try {
          const response = await respond(exchange)
          const { logFields } = exchange
          if (!signal.aborted) return sent({ response, logFields }, (onClosed) => openFiles.set(request.requestId, onClosed))
          await discard(response)
          return new Sent({ response: undefined, logFields }, [])
        } finally {
          exchange.releaseBody()
        }
      },
      async find({ query, caller }, signal) {
        const model = storedModelNamed(query.model)
        if (model === undefined) throw new Error(`There is no model ${query.model}`)
        return writeAnswer(await store.queries.answer(model, readQuery(query), { ...caller, signal }))
      },
      log(lines) {
        for (const line of lines) log.take(line)
      },
      seeGuest: ({ id, now }) => sessions.activity.guestSeen(id, now),
      useSession: ({ jti, now }) => sessions.activity.sessionUsed(jti, now),
      claimOfTicket: async (ticket) => tickets.claimOf(ticket, now()),
      redeemTicket: (ticket) => tickets.redeem(ticket, now()),
      present: async (beat) => presence.beat(beat),
      leftPresence: presence.leave,
      limited: counters.rateLimited,
      untrustedForward,
      fileClosed(requestId) {
        openFiles.get(requestId)?.()
        openFiles.delete(requestId)
      },
    }
    return {
      answers,
      /** The thread has ended, and its files are closed with it. */
      ended(): void {
        for (const onClosed of openFiles.values()) onClosed()
        openFiles.clear()
      },
    }
  }
}

/** A response as it can be sent to another thread: in memory of its own, without functions. */
function sent({ response, logFields }: ResponseMessage, keep: (onClosed: () => void) => void): Sent<ResponseMessage> {
  if (response?.kind === 'file') {
    const { onClosed = () => {}, ...rest } = response
    keep(onClosed)
    // A file of an endpoint is open, and its descriptor goes over.
    return new Sent({ response: rest, logFields }, [response.file.handle as FileHandle])
  }
  if (response?.kind === 'raw' && typeof response.body !== 'string') {
    return new Sent({ response: { ...response, body: ownBytes(response.body) }, logFields }, [])
  }
  if (response?.kind === 'data' && typeof response.data !== 'string') {
    return new Sent({ response: { ...response, data: response.data.map(ownPart) }, logFields }, [])
  }
  return new Sent({ response, logFields }, [])
}

function ownPart(part: TextPart): TextPart {
  if (typeof part === 'string' || 'once' in part) return part
  return ownBytes(part)
}

/** A clone of a part of a buffer would be one of the whole buffer. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
