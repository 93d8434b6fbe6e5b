/**
 * The sessions with a mail server: a few at a time, each kept open for a while after its mail.
 *
 * TCP, TLS and a login take a dozen round trips, a mail over an open session two. So a session rests after its mail
 * and the next mail takes it, the one that rested least first. Whoever comes when all are busy waits in turn.
 */
import type { SmtpAttempt } from './smtp-attempt.ts'
import type { SmtpSession } from './smtp-session.ts'

export interface PoolLimits {
  /** Connections at the same time. */
  readonly sessions: number
  /** Mails over one connection; servers have limits of their own and dislike to be asked to enforce them. */
  readonly mailsPerSession: number
  /** How long a session rests before it takes leave, in milliseconds. Servers wait minutes. */
  readonly restMs: number
  /** Mails that wait for a session. */
  readonly waiting: number
}

/** Why a mail cannot have a session. The message is a clause. */
export class PoolError extends Error {
  override readonly name = 'PoolError'
}

/** What one mail does with a session. */
export interface SessionUse<T> {
  readonly open: () => Promise<SmtpSession>
  readonly work: (session: SmtpSession) => Promise<T>
  /** Whether work that failed on a session which had rested may be done again, on a fresh one. */
  readonly mayRepeat: (error: unknown, session: SmtpSession) => boolean
}

export class SessionPool {
  readonly #limits: PoolLimits
  readonly #resting: SmtpSession[] = []
  readonly #leaving = new Set<Promise<void>>()
  readonly #attempts = new Set<SmtpAttempt>()
  /** Each is called with whether it gets a place. */
  readonly #waiting: ((hasPlace: boolean) => void)[] = []
  #busy = 0
  #closing: Promise<void> | undefined
  #onIdle: () => void = () => {}

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  /** Does the work on a session, an open one if there is one. Rejects with what `open` or `work` reject with. */
  async use<T>(attempt: SmtpAttempt, use: SessionUse<T>): Promise<T> {
    await this.#takePlace(attempt)
    this.#attempts.add(attempt)
    try {
      const rested = this.#resting.pop()
      if (rested !== undefined) {
        rested.resume(attempt)
        try {
          return await this.#serve(rested, use)
        } catch (error) {
          if (!use.mayRepeat(error, rested)) throw error
          attempt.tell('note', 'that connection is dead, trying with a fresh one')
        }
      }
      return await this.#serve(await use.open(), use)
    } finally {
      this.#attempts.delete(attempt)
      this.#leavePlace()
    }
  }

  /** Takes leave of the sessions that rest and ends the attempts under way; resolves when no connection is left. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // `close` has to have stored this promise before the first attempt ends and looks for it.
    await undefined
    for (const attempt of this.#attempts) attempt.end('the service is stopping')
    for (const answer of this.#waiting.splice(0)) answer(false)
    for (const session of this.#resting.splice(0)) this.#dismiss(session)
    if (this.#busy > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
    await Promise.all(this.#leaving)
  }

  async #takePlace(attempt: SmtpAttempt): Promise<void> {
    const refuse = (): void => {
      if (attempt.problem !== undefined) throw new PoolError(attempt.problem)
      if (this.#closing !== undefined) throw new PoolError('the service is stopping')
    }
    refuse()
    if (this.#busy < this.#limits.sessions) {
      this.#busy++
      return
    }
    if (this.#waiting.length >= this.#limits.waiting)
      throw new PoolError('too many mails wait for a connection already')
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.push(resolve)
    const forget = attempt.onEnd(() => {
      const at = this.#waiting.indexOf(resolve)
      if (at >= 0) this.#waiting.splice(at, 1)
      resolve(false)
    })
    const hasPlace = await promise
    forget()
    try {
      refuse()
    } catch (error) {
      if (hasPlace) this.#leavePlace()
      throw error
    }
  }

  /** Gives the place to whoever waits longest. */
  #leavePlace(): void {
    const next = this.#waiting.shift()
    if (next !== undefined) {
      next(true)
      return
    }
    this.#busy--
    if (this.#busy === 0) this.#onIdle()
  }

  async #serve<T>(session: SmtpSession, { work }: SessionUse<T>): Promise<T> {
    try {
      return await work(session)
    } finally {
      this.#putBack(session)
    }
  }

  #putBack(session: SmtpSession): void {
    const { mailsPerSession, restMs } = this.#limits
    if (this.#closing !== undefined || !session.isOpen || session.mails >= mailsPerSession) {
      this.#dismiss(session)
      return
    }
    this.#resting.push(session)
    session.rest(restMs, () => {
      const at = this.#resting.indexOf(session)
      if (at >= 0) this.#resting.splice(at, 1)
      this.#dismiss(session)
    })
  }

  /** Takes leave without letting anybody wait for it. */
  #dismiss(session: SmtpSession): void {
    const leaving = session.quit().finally(() => this.#leaving.delete(leaving))
    this.#leaving.add(leaving)
  }
}
