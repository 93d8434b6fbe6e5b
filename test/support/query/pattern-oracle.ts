/**
 * What V8 says of patterns and texts, from a process of its own that can be killed: its engine may take forever.
 *
 * There it interprets expressions and never compiles them: what its compilers make depends on the texts of before, and
 * is wrong for some expressions with modifiers.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { PatternCase } from './pattern-generator.ts'

/** For a batch of quick questions, on a busy machine. */
const BATCH_MS_MAX = 20_000

/** For each case whether it is a pattern, and then the answer for each of its texts. */
export type OracleAnswer = readonly boolean[] | 'no pattern'

export interface PatternOracle {
  /** Undefined where V8 did not come to an end. */
  ask(cases: readonly PatternCase[]): Promise<readonly OracleAnswer[] | undefined>
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
    async ask(cases) {
      const asked = (child ??= start())
      const [timeout, done] = [AbortSignal.timeout(BATCH_MS_MAX), new AbortController()]
      const options = { signal: AbortSignal.any([timeout, done.signal]) }
      const ended = once(asked, 'exit', options).then(([code]) => {
        throw new Error(`The process that asks V8 ended with ${code}`)
      })
      asked.ref()
      asked.send(cases)
      try {
        const [answers] = await Promise.race([once(asked, 'message', options), ended])
        return answers as readonly OracleAnswer[]
      } catch (error) {
        asked.kill('SIGKILL')
        child = undefined
        if (!timeout.aborted) throw error
        return undefined
      } finally {
        done.abort()
        asked.unref()
      }
    },
    close() {
      child?.kill('SIGKILL')
    },
  }
}
