/**
 * Who uses a channel to a mail server: one attempt after the other. Between two attempts it is parked: it waits for nothing, does not
 * keep the process alive, and ends after a while, or as soon as its connection does anything.
 */
import type { SmtpAttempt } from './smtp-attempt.ts'
import type { SmtpServer } from './smtp-error.ts'
import type { createTranscript } from './smtp-transcript.ts'

export interface UsedChannel {
  readonly server: SmtpServer
  readonly transcript: ReturnType<typeof createTranscript>
  readonly socket: { readonly ref: () => void; readonly unref: () => void }
  /** Whether it is open, and the server has sent nothing unasked. */
  readonly isQuiet: () => boolean
  readonly end: (reason: string) => void
}

export function createChannelUse({ server, transcript, socket, isQuiet, end }: UsedChannel) {
  let leave = (): void => {}
  let timer: NodeJS.Timeout | undefined
  let onEnd: (() => void) | undefined

  const serve = (attempt: SmtpAttempt): void => {
    const stop = (): void => end(attempt.abortReason ?? 'it is over')
    transcript.follow(attempt)
    leave = attempt.onAbort(stop)
    if (attempt.abortReason !== undefined) stop()
  }
  const wake = (): void => {
    onEnd = undefined
    clearTimeout(timer)
    socket.ref()
  }
  const interrupt = (): void => {
    const callback = onEnd
    if (callback === undefined) return
    wake()
    callback()
  }
  return {
    /** From now on it ends when the attempt is aborted. */
    serve,
    leave: (): void => leave(),
    /** Leaves the attempt and keeps the channel for another, for at most `ms`. `onEnd` is called when it cannot be kept. */
    park(ms: number, callback: () => void): void {
      leave()
      transcript.follow(undefined)
      if (!isQuiet()) {
        callback()
        return
      }
      onEnd = callback
      timer = setTimeout(interrupt, ms)
      timer.unref()
      socket.unref()
    },
    /** Ends the parking: the caller will use the channel, or close it. */
    wake,
    /** To be called when the connection does something, which a parked one must not do. */
    interrupt,
    resume(attempt: SmtpAttempt): void {
      wake()
      serve(attempt)
      transcript.note(`using the open connection to ${server.host}:${server.port}`)
    },
  }
}
