/**
 * A reporter for node's test runner: of each test that failed its file, its name, how deep it stands and its error, as a line of
 * JSON. A file that could not be loaded, or whose process ended, fails as a test of its own.
 * https://nodejs.org/api/test.html#custom-reporters
 */
import type { TestEvent } from 'node:test/reporters'

export interface FailedTest {
  readonly file: string | undefined
  readonly name: string
  /** 0 for a test that is in no other. */
  readonly nesting: number
  readonly error: string
}

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:fail') continue
    const { file, name, nesting, details } = event.data
    const cause = details.error.cause
    const error = String(cause instanceof Error ? cause.stack : (cause ?? details.error.message))
    yield `${JSON.stringify({ file, name, nesting, error } satisfies FailedTest)}\n`
  }
}
