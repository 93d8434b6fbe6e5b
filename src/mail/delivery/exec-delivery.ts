/**
 * Delivery by a program of the operator's: sendmail, msmtp, or a script. It is started without a shell, gets the
 * message on its standard input, and reports by its exit status. User input is never an argument, where an address that
 * opens with a hyphen would be an option; of our environment, which may hold secrets, it gets only what finds files.
 */
import { systemReason } from '../../base/system-error.ts'
import { wireAddress } from '../address.ts'
import { DeliveryError, type DeliveryErrorDetails, safeText, type SendOptions } from './delivery-error.ts'
import { PROGRAM_TIMEOUTS, runProgram } from './mail-program.ts'

const REPLY_LINES_MAX = 3

const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TZ'] as const

const DELIVERED = 0
/** EX_TEMPFAIL of sysexits.h. */
const RETRY_LATER = 75

/** The exit statuses of sysexits.h, which sendmail and compatible programs use. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  64: 'wrong arguments',
  65: 'wrong input',
  66: 'no input',
  67: 'recipient unknown',
  68: 'host unknown',
  69: 'service unavailable',
  70: 'internal error',
  71: 'system error',
  72: 'a system file is missing',
  73: 'cannot create a file',
  74: 'input or output failed',
  75: 'try later',
  76: 'protocol error',
  77: 'permission denied',
  78: 'wrong configuration',
}

export interface ExecCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Our own environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** In milliseconds; shorter ones for tests. */
  readonly timeouts?: Partial<typeof PROGRAM_TIMEOUTS>
}

interface ExecMail {
  readonly from: string
  readonly to: string
  /** As `composeMessage` gives it. */
  readonly message: string
}

/** Delivers one mail; resolves with what the program printed. Rejects with a DeliveryError. */
export async function deliverByProgram(
  command: ExecCommand,
  mail: ExecMail,
  { signal, trace = () => {} }: SendOptions = {},
): Promise<string> {
  const { program, args, timeouts } = command
  const failed = (text: string, details: Omit<DeliveryErrorDetails, 'stage'>): DeliveryError =>
    new DeliveryError(`Cannot deliver mail through the program ${JSON.stringify(program)}: ${text}`, {
      stage: 'exec',
      ...details,
    })
  trace({ from: 'note', text: `starting ${JSON.stringify(program)}` })
  if (signal?.aborted === true) throw failed('the service is stopping', { temporary: true })
  const run = { program, args, env: environmentFor(command, mail), input: mail.message }
  const end = await runProgram({ ...run, timeouts: { ...PROGRAM_TIMEOUTS, ...timeouts } }, signal)
  // The mail is not at fault where the program cannot be started or did not end by itself: those errors are temporary.
  if (end.kind === 'not-started') {
    const { cause } = end
    throw failed(`it cannot be started (${systemReason(cause)})`, { temporary: true, kind: 'start', cause })
  }
  const lines = firstLines(end.output)
  for (const text of lines) trace({ from: 'server', text })
  const reply = lines.length === 0 ? undefined : lines.join(' / ')
  const found = reply === undefined ? '' : `, got ${JSON.stringify(reply)}`
  if (end.kind === 'stopped') throw failed(`${end.reason}${found}`, { temporary: true, kind: end.errorKind, reply })
  if (end.kind === 'killed') throw failed(`it was ended by ${end.signal}${found}`, { temporary: true, kind: 'killed', reply })
  const meaning = STATUS_TEXTS[end.status]
  const status = `status ${end.status}${meaning === undefined ? '' : ` (${meaning})`}`
  trace({ from: 'note', text: `it ended with ${status}` })
  if (end.status === DELIVERED) return reply ?? 'the program accepted it'
  const details = { kind: 'status', exitStatus: end.status, reply } as const
  throw failed(`it ended with ${status}${found}`, { temporary: end.status === RETRY_LATER, ...details })
}

function environmentFor({ environment }: ExecCommand, { from, to }: ExecMail): Record<string, string> {
  const passed = PASSED_ON.flatMap((name): [string, string][] => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value]]
  })
  return {
    ...Object.fromEntries(passed),
    DATELINE_MAIL_FROM: wireAddress(from) ?? from,
    DATELINE_MAIL_TO: wireAddress(to) ?? to,
  }
}

/** The first lines that are not empty, fit for the log. */
function firstLines(output: string): readonly string[] {
  return output
    .split(/\r\n|\r|\n/)
    .map((line) => safeText(line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '), []))
    .filter((line) => line !== '')
    .slice(0, REPLY_LINES_MAX)
}
