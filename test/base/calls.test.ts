import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { createCalls, type Answers } from '../../src/base/calls.ts'
import { fail, Failure } from '../../src/base/failure.ts'
import { ProblemFailure, type Problem } from '../../src/base/problem.ts'

const PROBLEM: Problem = { path: 'title', code: 'required', params: {}, message: 'expected a string' }

/** Two sides of a port; the second has these answers. */
function sides<Others extends Answers>(t: TestContext, answers: Others) {
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  const asking = createCalls<Others>(port1, {})
  const answering = createCalls(port2, answers)
  port1.on('message', asking.receive)
  port2.on('message', answering.receive)
  return { asking, answering }
}

describe('calls between threads', () => {
  it('give what the other side answers, each to its own call', async (t) => {
    const { asking } = sides(t, { double: (n: number) => n * 2 })
    assert.deepEqual(await Promise.all([1, 2, 3].map((n) => asking.call('double', n))), [2, 4, 6])
  })

  it('throw a failure as it was thrown', async (t) => {
    const { asking } = sides(t, {
      refuse(): void {
        throw fail('tooManyRequests', 'Too often', { headers: { 'Retry-After': '3' }, cause: 'limit' })
      },
      check(): void {
        throw new ProblemFailure(PROBLEM)
      },
      crash(): void {
        throw new TypeError('a bug')
      },
    })
    await assert.rejects(asking.call('refuse', undefined as never), (error) => {
      assert.ok(error instanceof Failure)
      assert.deepEqual([error.code, error.message, error.headers, error.cause], ['tooManyRequests', 'Too often', { 'Retry-After': '3' }, 'limit'])
      return true
    })
    await assert.rejects(asking.call('check', undefined as never), (error) => error instanceof ProblemFailure && error.problem.path === 'title')
    await assert.rejects(asking.call('crash', undefined as never), { name: 'TypeError', message: 'a bug' })
  })

  it('abort the answer, and are settled by it', async (t) => {
    const { asking } = sides(t, {
      async wait(_: string, signal: AbortSignal): Promise<string> {
        const { promise, resolve } = Promise.withResolvers<string>()
        signal.addEventListener('abort', () => resolve('aborted'))
        return promise
      },
    })
    const leaving = new AbortController()
    const waiting = asking.call('wait', 'for ever', { signal: leaving.signal })
    leaving.abort()
    assert.equal(await waiting, 'aborted')
    assert.equal(await asking.call('wait', 'at all', { signal: AbortSignal.abort() }), 'aborted')
  })

  it('are rejected, and their answers aborted, when the other side ends', async (t) => {
    const begun = Promise.withResolvers<AbortSignal>()
    const { asking, answering } = sides(t, {
      async wait(_: string, signal: AbortSignal): Promise<void> {
        begun.resolve(signal)
        await new Promise(() => {})
      },
    })
    const waiting = asking.call('wait', 'for ever')
    const signal = await begun.promise
    answering.end(new Error('gone'))
    assert.ok(signal.aborted)
    asking.end(new Error('gone'))
    await assert.rejects(waiting, { message: 'gone' })
    await assert.rejects(asking.call('wait', 'again'), { message: 'gone' })
  })
})
