/**
 * Calls between two threads over their port. Each side answers what the other calls, and may abort what it has called; a
 * call is settled by its answer alone, also after an abort, so that what an answer brings along is never lost.
 *
 * A Failure arrives as one. Another error arrives with its name, message and stack.
 */
import type { Transferable } from 'node:worker_threads'
import { fail, Failure, type FailureCode } from './failure.ts'
import { ProblemFailure, type Problem } from './problem.ts'

/** The functions that a side answers with: each takes one value that can be cloned, and gives another. */
export type Answers = Readonly<Record<string, (value: never, signal: AbortSignal) => unknown>>

type Asked<A extends Answers, Name extends keyof A> = Parameters<A[Name]>[0]
type Given<A extends Answers, Name extends keyof A> = Awaited<ReturnType<A[Name]>> extends Sent<infer T> ? T : Awaited<ReturnType<A[Name]>>

export interface Port {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
}

/** An answer of which parts are handed over, and gone in this thread. */
export class Sent<T> {
  readonly value: T
  readonly transfer: readonly Transferable[]

  constructor(value: T, transfer: readonly Transferable[]) {
    this.value = value
    this.transfer = transfer
  }
}

/** An error as it can be sent. */
export interface SentError {
  readonly failure?: { readonly code: FailureCode; readonly headers: Readonly<Record<string, string>>; readonly problem: Problem | undefined }
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly cause: string | undefined
}

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly value: unknown }
  /** A call without an answer. */
  | { readonly kind: 'tell'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }

export type Calls<Others extends Answers> = ReturnType<typeof createCalls<Others>>

/** `Others` is what the other side answers. Give `receive` every message of the port. */
export function createCalls<Others extends Answers>(port: Port, answers: Answers) {
  const asked = new Map<number, PromiseWithResolvers<unknown>>()
  const running = new Map<number, AbortController>()
  let [last, ended] = [0, undefined as Error | undefined]
  const post = (message: Message, transfer: readonly Transferable[] = []): void => {
    if (ended === undefined) port.postMessage(message, transfer)
  }

  const answer = async ({ id, name, value }: Extract<Message, { kind: 'call' }>): Promise<void> => {
    const aborting = new AbortController()
    running.set(id, aborting)
    try {
      const given = await answers[name]?.(value as never, aborting.signal)
      if (given instanceof Sent) post({ kind: 'answer', id, value: given.value }, given.transfer)
      else post({ kind: 'answer', id, value: given })
    } catch (error) {
      post({ kind: 'failed', id, error: sentError(error) })
    } finally {
      running.delete(id)
    }
  }
  const settle = (id: number): PromiseWithResolvers<unknown> | undefined => {
    const pending = asked.get(id)
    asked.delete(id)
    return pending
  }

  return {
    receive(message: Message): void {
      switch (message.kind) {
        case 'call':
          void answer(message)
          return
        case 'tell':
          answers[message.name]?.(message.value as never, NEVER)
          return
        case 'abort':
          running.get(message.id)?.abort()
          return
        case 'answer':
          settle(message.id)?.resolve(message.value)
          return
        case 'failed':
          settle(message.id)?.reject(receivedError(message.error))
      }
    },
    /** Calls the other side. Rejects with what its answer throws, and where that side ends. */
    call<Name extends keyof Others & string>(
      name: Name,
      value: Asked<Others, Name>,
      { signal, transfer = [] }: { readonly signal?: AbortSignal | undefined; readonly transfer?: readonly Transferable[] } = {},
    ): Promise<Given<Others, Name>> {
      if (ended !== undefined) return Promise.reject(ended)
      const id = ++last
      const pending = Promise.withResolvers<unknown>()
      asked.set(id, pending)
      post({ kind: 'call', id, name, value }, transfer)
      const abort = (): void => post({ kind: 'abort', id })
      if (signal?.aborted === true) abort()
      else signal?.addEventListener('abort', abort)
      return pending.promise.finally(() => signal?.removeEventListener('abort', abort)) as Promise<Given<Others, Name>>
    },
    /** Calls without waiting for anything. */
    tell<Name extends keyof Others & string>(name: Name, value: Asked<Others, Name>): void {
      post({ kind: 'tell', name, value })
    },
    /** The other side has ended: rejects what was called, and aborts what it called. */
    end(reason: Error): void {
      ended = reason
      for (const { reject } of asked.values()) reject(reason)
      for (const aborting of running.values()) aborting.abort()
      asked.clear()
    },
  }
}

const NEVER = new AbortController().signal

export function sentError(error: unknown): SentError {
  const { name, message, stack, cause } = error instanceof Error ? error : new Error(String(error))
  const sent = { name, message, stack, cause: cause === undefined ? undefined : String(cause) }
  if (!(error instanceof Failure)) return sent
  const problem = error instanceof ProblemFailure ? error.problem : undefined
  return { ...sent, failure: { code: error.code, headers: error.headers, problem } }
}

export function receivedError({ failure, name, message, stack, cause }: SentError): Error {
  if (failure?.problem !== undefined) return new ProblemFailure(failure.problem)
  if (failure !== undefined) {
    return fail(failure.code, message, { headers: failure.headers, ...(cause === undefined ? {} : { cause }) })
  }
  return Object.assign(new Error(message), { name, stack })
}
