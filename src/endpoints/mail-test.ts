/**
 * A test mail, for administrators. It can be sent to any address: so there is one at a time, a few in an hour, and its
 * text is fixed.
 */
import type { Limits } from '../auth/limits.ts'
import type { Session } from '../auth/sessions.ts'
import type { Clock } from '../base/clock.ts'
import { fail } from '../base/failure.ts'
import { visible, type Log } from '../base/log.ts'
import { requireAdministrator } from '../content/rules/access.ts'
import type { MailSource, TestMailRequest, TestMailResult } from '../mail/delivery/test-delivery.ts'
import type { MailTest } from '../models/responses.ts'

/** Aborting a program or a connection takes a few seconds more: the response comes within half a minute. */
const TEST_MS_MAX = 25_000
const LINES_MAX = 500
const LINE_CHARS_MAX = 2_000

export interface MailTestParts {
  readonly sendTestMail: (request: TestMailRequest, source?: MailSource) => Promise<TestMailResult>
  readonly limits: Pick<Limits, 'testMail'>
  readonly now: Clock
  readonly log: Log
  /** For tests. */
  readonly timeMs?: number | undefined
}

export function createMailTest({ sendTestMail, limits, now, log, timeMs = TEST_MS_MAX }: MailTestParts) {
  let isRunning = false
  /** Without a source, as mail is sent now. */
  return async (to: string, { caller, acting }: Session, source?: MailSource): Promise<MailTest> => {
    if (isRunning) throw fail('conflict', 'Cannot send a test mail: another one is on its way, wait for its end')
    isRunning = true
    try {
      await limits.testMail(acting(requireAdministrator), now())
      const lines: string[] = []
      const onLine = (line: string): void => void (lines.length < LINES_MAX && lines.push(shown(line)))
      const signal = AbortSignal.timeout(timeMs)
      const result = await sendTestMail({ to, onLine, signal }, source)
      log.info('mail.tested', { by: caller.id, delivered: result.kind === 'accepted' })
      return tested(signal.aborted ? tooLate(result, timeMs) : result, lines)
    } finally {
      isRunning = false
    }
  }
}

function tested(result: TestMailResult, lines: readonly string[]): MailTest {
  return {
    delivered: result.kind === 'accepted',
    lines: [...lines, shown(`* ${result.kind === 'accepted' ? `the mail was accepted: ${result.reply}` : result.message}`)],
    advice: result.kind === 'accepted' ? null : shown(result.advice),
  }
}

/** The error of an aborted attempt says only that it was aborted. */
function tooLate(result: TestMailResult, timeMs: number): TestMailResult {
  if (result.kind === 'accepted') return result
  const advice = 'The line above shows the last step: check host and port in --mail, and firewalls in between'
  return { kind: 'failed', message: `aborted: no result within ${timeMs / 1000} seconds`, advice }
}

/** Replies may contain control characters. */
function shown(text: string): string {
  return visible(text.replaceAll(/[\n\t]+/g, ' ')).slice(0, LINE_CHARS_MAX)
}
