/**
 * The receiving side of a channel: the replies in their order, the one caller that waits, and the error that ended the
 * connection. Replies from before it are still delivered: a server that accepts a mail and hangs up has accepted it.
 */
import type { DeliveryError } from '../delivery/delivery-error.ts'
import { createReplyParser, type ParsedReplies, type Reply } from './smtp-replies.ts'

/** Unread replies: those to one group of pipelined commands and to QUIT. */
const UNREAD_REPLIES_MAX = 8

export function createInbox() {
  let parser = createReplyParser()
  const unread: Reply[] = []
  let error: DeliveryError | undefined
  let notify = (): void => {}
  return {
    get error(): DeliveryError | undefined {
      return error
    },
    /** The reply that arrived first of those not taken. */
    get first(): Reply | undefined {
      return unread[0]
    },
    /** Whether the server sent anything that was not taken, be it half a reply. */
    get hasUnread(): boolean {
      return unread.length > 0 || parser.isMidReply
    },
    take: (): Reply | undefined => unread.shift(),
    /** Parses bytes. `problem` says what is wrong with them, or with the number of replies. */
    push(chunk: Uint8Array): ParsedReplies {
      const { replies, problem } = parser.push(chunk)
      for (const reply of replies) unread.push(reply)
      const isFlood = unread.length > UNREAD_REPLIES_MAX
      return { replies, problem: problem ?? (isFlood ? 'the server sends replies that nothing asked for' : undefined) }
    },
    reset(): void {
      parser = createReplyParser()
    },
    fail(cause: DeliveryError): void {
      error ??= cause
      notify()
    },
    /** To be called after each event, so that the waiting caller looks again. */
    notify: (): void => notify(),
    /** Resolves with the first value that `ready` returns; rejects with the error of the connection. */
    waitFor<T>(ready: () => T | undefined, timeoutMs: number, onTimeout: () => void): Promise<T> {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(onTimeout, timeoutMs)
        notify = () => {
          const value = ready()
          if (value === undefined && error === undefined) return
          clearTimeout(timer)
          notify = () => {}
          if (value !== undefined) resolve(value)
          else reject(error)
        }
        notify()
      })
    },
  }
}
