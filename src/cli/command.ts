/** What a command is: its declaration, from which help is printed, and what it is given to run. */
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../base/failure.ts'
import type { LogSink } from '../base/log-output.ts'
import type { Environment, SettingName } from '../config/settings.ts'

/** Exit codes, as the guides document them. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface Terminal {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly stdoutIsTerminal: boolean
  readonly stderrIsTerminal: boolean
  /** The width of the terminal; undefined where stdout is none. */
  readonly columns: number | undefined
  readonly environment: Environment
  /** Settles when the process is asked to end. */
  readonly interrupted: Promise<string>
  /** Calls the listener when the process is asked to read its settings again. */
  onReload(listener: () => void): void
  openLogSink(): LogSink
  /** Makes the process one of another user for good, and returns the name of that user; undefined where it is not root. */
  readonly become?: ((owner: { readonly uid: number; readonly gid: number }) => string) | undefined
  watch(listeners: ProcessListeners): void
  /** Ends the process within a second, whatever hangs in it. Resolves only where there is no process to end. */
  end(code: ExitCode): Promise<ExitCode>
}

export interface ProcessListeners {
  /** An error that nothing caught: the process ends with it. */
  readonly onCrash: (error: Error) => void
  /** A warning of node, which prints it otherwise. */
  readonly onWarning: (warning: Error) => void
  /** The event loop has ended. */
  readonly onExit: () => void
}

/** A flag of one command; settings are flags of every command that names them. */
export interface Option {
  readonly flag: string
  /** How the value is shown in help; a flag without one takes no value. */
  readonly value?: string
  readonly meaning: string
}

export const JSON_FLAG: Option = { flag: '--json', meaning: 'print one JSON object' }
export const JSON_LINES_FLAG: Option = { flag: '--json', meaning: 'print JSON, one object a line' }

/** What is named without a flag, such as a file, in the order of a command's operands. Optional ones come last. */
export interface Operand {
  readonly name: string
  readonly meaning: string
  readonly isOptional?: true
}

export interface Arguments {
  /** As many as the command has operands, without optional ones that are not given. */
  readonly operands: readonly string[]
  readonly options: ReadonlyMap<string, string>
  readonly settings: ReadonlyMap<SettingName, string>
}

export interface Command {
  /** One word, or two where commands form a group. */
  readonly name: string
  readonly summary: string
  readonly operands?: readonly Operand[]
  readonly options: readonly Option[]
  readonly settings: readonly SettingName[]
  readonly examples: readonly string[]
  run(args: Arguments, terminal: Terminal): Promise<ExitCode>
}

/** Arguments that cannot be used; the message is one sentence. Ends with the exit code for usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Reads what the operator wrote; where that fails, it is a usage error. `typed` has, by members of the document that the arguments
 * become, what the operator typed: of "days: expected …", the message becomes "Cannot use --days: expected …".
 */
export function readTyped<T>(read: () => T, typed: Readonly<Record<string, string>> = {}): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Failure && error.status === 400)) throw error
    const [, member = '', fault = ''] = /^(\w+)(?:\.\w+|\[\d+\])*: (.*)$/s.exec(error.message) ?? []
    throw new UsageError(typed[member] === undefined ? error.message : `Cannot use ${typed[member]}: ${fault}`)
  }
}
