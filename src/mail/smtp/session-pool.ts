/**
 * The sessions with a mail server: a few at a time, each kept open for a while after its mail. TCP, TLS and a login
 * take a dozen round trips, a mail over an open session two. The next mail takes the most recently used one.
 */
import type { SmtpAttempt } from './smtp-attempt.ts'
import type { SmtpSession } from './smtp-session.ts'

export interface PoolLimits {
  /** Sessions at the same time. */
  readonly sessions: number
  /** Mails over one session; servers have limits of their own and answer badly when they are reached. */
  readonly mailsPerSession: number
  /** How long a session stays idle before QUIT, in milliseconds. Servers wait minutes. */
  readonly idleMs: number
  /** Mails that wait for a session. */
  readonly queued: number
}

/** Why a mail cannot have a session. The message is a clause. */
export class PoolError extends Error {
  override readonly name = 'PoolError'
}

export interface SessionUse<T> {
  readonly open: () => Promise<SmtpSession>
  readonly work: (session: SmtpSession) => Promise<T>
  /** Whether work that failed on a reused session may be repeated on a new one. */
  readonly canRetry: (error: unknown, session: SmtpSession) => boolean
}

export function createSessionPool(limits: PoolLimits) {
  const idle: SmtpSession[] = []
  const leaving = new Set<Promise<void>>()
  const attempts = new Set<SmtpAttempt>()
  const slots = createSlots(limits)
  let isClosing = false

  /** Says QUIT in the background. */
  const retire = (session: SmtpSession): void => {
    const left = session.quit().finally(() => leaving.delete(left))
    leaving.add(left)
  }
  const release = (session: SmtpSession): void => {
    if (isClosing || !session.isOpen || session.mails >= limits.mailsPerSession) {
      retire(session)
      return
    }
    idle.push(session)
    session.park(limits.idleMs, () => {
      remove(idle, session)
      retire(session)
    })
  }
  const workOn = async <T>(session: SmtpSession, { work }: SessionUse<T>): Promise<T> => {
    try {
      return await work(session)
    } finally {
      release(session)
    }
  }
  const onSession = async <T>(attempt: SmtpAttempt, use: SessionUse<T>): Promise<T> => {
    const reused = idle.pop()
    if (reused !== undefined) {
      reused.resume(attempt)
      try {
        return await workOn(reused, use)
      } catch (error) {
        if (!use.canRetry(error, reused)) throw error
        attempt.trace('note', 'that connection is dead, trying a new one')
      }
    }
    return await workOn(await use.open(), use)
  }
  const closed = Promise.withResolvers<void>()

  return {
    /** Does the work on a session, an idle one if there is one. Rejects with what `open` or `work` reject with. */
    async use<T>(attempt: SmtpAttempt, use: SessionUse<T>): Promise<T> {
      if (!slots.take(attempt)) await slots.wait(attempt)
      attempts.add(attempt)
      try {
        return await onSession(attempt, use)
      } finally {
        attempts.delete(attempt)
        slots.release()
      }
    },
    /** Aborts the attempts, says QUIT on the idle sessions; resolves when no connection is left. */
    async close(): Promise<void> {
      if (isClosing) return closed.promise
      isClosing = true
      for (const attempt of attempts) attempt.abort('the service is stopping')
      for (const session of idle.splice(0)) retire(session)
      await slots.close()
      await Promise.all(leaving)
      closed.resolve()
    },
  }
}

/** The right to use a session, given in the order of asking. */
function createSlots({ sessions, queued }: PoolLimits) {
  /** Each is called with whether it gets a slot. */
  const queue: ((hasSlot: boolean) => void)[] = []
  const drained = Promise.withResolvers<void>()
  let busy = 0
  let isClosing = false

  const throwIfOver = (attempt: SmtpAttempt): void => {
    const reason = attempt.abortReason ?? (isClosing ? 'the service is stopping' : undefined)
    if (reason !== undefined) throw new PoolError(reason)
  }
  const release = (): void => {
    const next = queue.shift()
    if (next !== undefined) {
      next(true)
      return
    }
    busy--
    if (busy === 0 && isClosing) drained.resolve()
  }
  return {
    /** Takes a free slot. Returns false where there is none. */
    take(attempt: SmtpAttempt): boolean {
      throwIfOver(attempt)
      if (busy >= sessions) return false
      busy++
      return true
    },
    async wait(attempt: SmtpAttempt): Promise<void> {
      if (queue.length >= queued) throw new PoolError('too many mails wait for a connection already')
      const { promise, resolve } = Promise.withResolvers<boolean>()
      queue.push(resolve)
      const forget = attempt.onAbort(() => {
        remove(queue, resolve)
        resolve(false)
      })
      const hasSlot = await promise
      forget()
      try {
        throwIfOver(attempt)
      } catch (error) {
        if (hasSlot) release()
        throw error
      }
    },
    release,
    /** Rejects all that wait; resolves when no slot is in use. */
    async close(): Promise<void> {
      isClosing = true
      for (const answer of queue.splice(0)) answer(false)
      if (busy === 0) return
      await drained.promise
    },
  }
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item)
  if (at >= 0) list.splice(at, 1)
}
