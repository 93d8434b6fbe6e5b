/**
 * A reporter for node's test runner: the file of each test that failed, a line each, as often as tests of it did. A file
 * that could not be loaded, or whose process ended, fails as a test of its own.
 * https://nodejs.org/api/test.html#custom-reporters
 */
import type { TestEvent } from 'node:test/reporters'

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) if (event.type === 'test:fail') yield `${event.data.file ?? ''}\n`
}
