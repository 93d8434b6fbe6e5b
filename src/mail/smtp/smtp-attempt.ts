/**
 * One attempt to deliver one mail, over all servers and connections that it takes: what aborts it (the caller's signal,
 * its time limit, the closing client), and the trace of its dialogue.
 */
import type { SendOptions, Trace } from '../delivery/delivery-error.ts'

/** A normal dialogue has about twenty lines; some servers add long greetings. */
const TRACE_LINES_MAX = 400
const TRACE_CHARS_MAX = 400

export type SmtpAttempt = Readonly<ReturnType<typeof createAttempt>>

/** Starts the time limit. To be closed once the outcome is known. */
export function createAttempt({ signal, trace }: SendOptions, totalMs: number) {
  let listeners: (() => void)[] = []
  let lines = 0
  let isClosed = false

  // Plain members: one attempt is made for each mail, and accessors would take much of its time.
  const attempt = {
    /** Why the attempt must stop; undefined while it may go on. */
    abortReason: undefined as string | undefined,
    isTraced: trace !== undefined,
    abort(reason: string): void {
      if (attempt.abortReason !== undefined) return
      attempt.abortReason = reason
      const called = listeners
      listeners = []
      for (const listener of called) listener()
    },
    /** Calls `listener` once when the attempt is aborted, never if it has been. Returns an undo function. */
    onAbort(listener: () => void): () => void {
      listeners.push(listener)
      return () => {
        listeners = listeners.filter((one) => one !== listener)
      }
    },
    /** Traces one line, which the caller has masked. Long lines and long dialogues are cut. */
    trace(from: Parameters<Trace>[0]['from'], text: string): void {
      if (trace === undefined || isClosed || lines > TRACE_LINES_MAX) return
      if (lines++ === TRACE_LINES_MAX) trace({ from: 'note', text: 'the dialogue continues; the rest is not shown' })
      else trace({ from, text: text.length > TRACE_CHARS_MAX ? `${text.slice(0, TRACE_CHARS_MAX)}…` : text })
    },
    /** Frees timer and signal, and ends the trace. */
    close(): void {
      isClosed = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onSignal)
      listeners = []
    },
  }
  const onSignal = (): void => attempt.abort('the service is stopping')
  const timer = setTimeout(() => attempt.abort(`it took longer than ${totalMs} ms as a whole`), totalMs)
  signal?.addEventListener('abort', onSignal)
  if (signal?.aborted === true) onSignal()
  return attempt
}
