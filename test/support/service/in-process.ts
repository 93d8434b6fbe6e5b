/** A command run in this process, with streams of its own: quicker than a process where nothing of one is tested. */
import { PassThrough, Readable } from 'node:stream'
import { runCommand } from '../../../src/cli/commands.ts'
import { EXIT, UsageError } from '../../../src/cli/command.ts'
import { EXECUTABLE, run, type Finished } from './program.ts'

export interface InProcessOptions {
  readonly input?: string | Buffer
  /** Whether stderr is a terminal. */
  readonly isTerminal?: boolean
  /** The width of the terminal that stdout is. */
  readonly columns?: number
  /** Settles when the command is asked to end. */
  readonly interrupted?: Promise<string>
  /** Called when the command writes to stderr. */
  readonly onStderr?: () => void
}

/** Gives what the process would: the message of an error on stderr, and its exit code. */
export async function runHere(
  words: readonly string[],
  { input = '', isTerminal = false, columns, interrupted = new Promise(() => {}), onStderr = () => {} }: InProcessOptions = {},
): Promise<Finished> {
  const [stdout, stderr] = [collector(), collector(onStderr)]
  const end = (code: number): Finished => ({ code, stdout: stdout.text(), stderr: stderr.text() })
  try {
    const code = await runCommand(words, {
      stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      stdoutIsTerminal: false,
      stderrIsTerminal: isTerminal,
      columns,
      environment: {},
      interrupted,
      onReload: () => {},
      openLogSink: () => ({ write: stderr.take, writeAtExit: stderr.take }),
      watch: () => {},
      end: (code) => Promise.resolve(code),
    })
    return end(code)
  } catch (error) {
    stderr.stream.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return end(error instanceof UsageError ? EXIT.usage : EXIT.failed)
  }
}

/** As runHere(); with TEST_PROGRAM, the command runs as a process of that executable, which is what is tested then. */
export function runCheaply(words: readonly string[], options: { readonly input?: string } = {}): Promise<Finished> {
  return EXECUTABLE === undefined ? runHere(words, options) : run(words, options)
}

function collector(onWrite: () => void = () => {}) {
  const parts: Buffer[] = []
  const stream = new PassThrough({
    transform(part: Buffer, _encoding, done) {
      onWrite()
      done(null, part)
    },
  })
  stream.on('data', (part: Buffer) => void parts.push(part))
  return {
    stream,
    take(bytes: Uint8Array): number {
      stream.write(Buffer.from(bytes))
      return bytes.length
    },
    text() {
      for (let part = stream.read() as Buffer | null; part !== null; part = stream.read() as Buffer | null) {
        parts.push(part)
      }
      return Buffer.concat(parts).toString()
    },
  }
}
