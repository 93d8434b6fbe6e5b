/**
 * What V8 says of patterns and texts, from a process of its own that can be killed: its engine may take forever.
 *
 * There it interprets expressions and never compiles them: what its compilers make depends on the texts of before, and
 * is wrong for some expressions with modifiers.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { PatternCase } from './pattern-generator.ts'

/** For a batch of quick cases, on a busy machine. */
const BATCH_MS_MAX = 20_000

/** For each case whether it is a pattern, and then the result for each of its texts. */
export type OracleResult = readonly boolean[] | 'no pattern'

export interface PatternOracle {
  /** Undefined where V8 did not come to an end. */
  match(cases: readonly PatternCase[]): Promise<readonly OracleResult[] | undefined>
  close(): void
}

export function startPatternOracle(): PatternOracle {
  let child: ChildProcess | undefined
  const start = (): ChildProcess => {
    const started = fork(new URL('./v8-patterns.ts', import.meta.url), [], { execArgv: ['--regexp-interpret-all'] })
    started.unref()
    return started
  }
  return {
    async match(cases) {
      const current = (child ??= start())
      const [timeout, done] = [AbortSignal.timeout(BATCH_MS_MAX), new AbortController()]
      const options = { signal: AbortSignal.any([timeout, done.signal]) }
      const ended = once(current, 'exit', options).then(([code]) => {
        throw new Error(`The process that runs V8 ended with ${code}`)
      })
      current.ref()
      current.send(cases)
      try {
        const [results] = await Promise.race([once(current, 'message', options), ended])
        return results as readonly OracleResult[]
      } catch (error) {
        current.kill('SIGKILL')
        child = undefined
        if (!timeout.aborted) throw error
        return undefined
      } finally {
        done.abort()
        current.unref()
      }
    },
    close() {
      child?.kill('SIGKILL')
    },
  }
}
