/**
 * One attempt to deliver one mail, from the call to its outcome, over however many servers and connections: what ends
 * it early (the caller's signal, its time, the client's close), and who watches it.
 *
 * The steps of an attempt have their own times, kept by the channel. This one bounds their sum, and the wait for a
 * free connection as well.
 */
import type { Trace } from '../delivery/delivery-error.ts'

/** A dialogue of one mail has some twenty lines; a server may add long greetings. */
const TRACE_LINES_MAX = 400
const TRACE_CHARS_MAX = 400

export interface AttemptOptions {
  /** Ends the attempt, with a temporary error. */
  readonly signal?: AbortSignal
  /** Gets the dialogue, line by line, with every secret masked. */
  readonly trace?: Trace
}

export class SmtpAttempt {
  readonly #signal: AbortSignal | undefined
  readonly #trace: Trace | undefined
  readonly #timer: NodeJS.Timeout
  readonly #listeners = new Set<() => void>()
  #lines = 0
  #isOver = false
  #problem: string | undefined

  /** To be closed once the outcome is known. */
  constructor({ signal, trace }: AttemptOptions, totalMs: number) {
    this.#signal = signal
    this.#trace = trace
    this.#timer = setTimeout(() => this.end('it took too long as a whole'), totalMs)
    signal?.addEventListener('abort', this.#onAbort)
    if (signal?.aborted === true) this.#onAbort()
  }

  /** Why the attempt must not go on; undefined while it may. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Calls `listener` once when the attempt ends early; never if it has ended. Gives a function that takes it back. */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  end(problem: string): void {
    if (this.#problem !== undefined) return
    this.#problem = problem
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }

  /** Frees timer and signal; nothing is told any more. */
  close(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#listeners.clear()
  }

  get isTraced(): boolean {
    return this.#trace !== undefined
  }

  /** Tells one line of the dialogue. The caller has masked it; here it is bounded. */
  tell(from: 'client' | 'server' | 'note', text: string): void {
    if (this.#trace === undefined || this.#isOver || this.#lines > TRACE_LINES_MAX) return
    const isLast = this.#lines++ === TRACE_LINES_MAX
    if (isLast) this.#trace({ from: 'note', text: 'the dialogue goes on and is not shown further' })
    else this.#trace({ from, text: text.length > TRACE_CHARS_MAX ? `${text.slice(0, TRACE_CHARS_MAX)}…` : text })
  }

  readonly #onAbort = (): void => this.end('the service is stopping')
}
