/** A command run in this process, with streams of its own: quicker than a process where nothing of one is tested. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { runCommand } from '../../../src/cli/commands.ts'
import { reportOf } from '../../../src/cli/error-report.ts'
import { EXECUTABLE, run, serve, type Finished, type RunningService } from '../../../scripts/tools/program.ts'
import type { Cleanup } from '../../../scripts/tools/temporary-directory.ts'

export interface InProcessOptions {
  readonly input?: string | Buffer
  readonly environment?: Readonly<Record<string, string>>
  /** Whether stderr is a terminal. */
  readonly isTerminal?: boolean
  /** The width of the terminal that stdout is. */
  readonly columns?: number
  /** Settles when the command is asked to end. */
  readonly interrupted?: Promise<string>
  /** Called when the command writes to stdout, with what it has written. */
  readonly onStdout?: (text: string) => void
  /** Called when the command writes to stderr, with what it has written. */
  readonly onStderr?: (text: string) => void
  /** Gets what the command does when it is asked to read its settings again. */
  readonly onReload?: (reload: () => void) => void
}

/** Gives what the process would: the message of an error on stderr, and its exit code. `serve` has one thread by default. */
export async function runHere(words: readonly string[], options: InProcessOptions = {}): Promise<Finished> {
  const { input = '', environment, isTerminal = false, columns } = options
  // A service that starts where a test expects a failure ends by itself.
  const { interrupted = words[0] === 'serve' ? Promise.resolve('end of test') : new Promise<string>(() => {}) } = options
  const [stdout, stderr] = [collector(options.onStdout), collector(options.onStderr)]
  const end = (code: number): Finished => ({ code, stdout: stdout.text(), stderr: stderr.text() })
  try {
    const code = await runCommand(words, {
      stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      stdoutIsTerminal: false,
      stderrIsTerminal: isTerminal,
      columns,
      environment: { DATELINE_THREADS: process.env['DATELINE_THREADS'] ?? '1', ...environment },
      interrupted,
      onReload: options.onReload ?? (() => {}),
      openLogSink: () => ({ write: stderr.take, writeAtExit: stderr.take }),
      watch: () => {},
      end: (code) => Promise.resolve(code),
    })
    return end(code)
  } catch (error) {
    const { code, text } = reportOf(error)
    stderr.stream.write(`${text}\n`)
    return end(code)
  }
}

type CheapOptions = Pick<InProcessOptions, 'environment'> & { readonly input?: string }

/** As runHere(); with TEST_PROGRAM, the command runs as a process of that executable, which is what is tested then. */
export function runCheaply(words: readonly string[], options: CheapOptions = {}): Promise<Finished> {
  return EXECUTABLE === undefined ? runHere(words, options) : run(words, options)
}

export interface CheapService extends Omit<RunningService, 'child'> {
  /** Asks it to read its settings again, as SIGHUP does. */
  reload(): void
  /** Resolves with the first match in its log or its output that is there or comes. */
  said(pattern: RegExp): Promise<RegExpExecArray>
}

/** `serve` in this process, with one thread, until its ready line; with TEST_PROGRAM, as a process of that executable. */
export async function serveCheaply(t: Cleanup, words: readonly string[], options: CheapOptions = {}): Promise<CheapService> {
  if (EXECUTABLE === undefined) return serveHere(t, words, options)
  const service = await serve(t, words, options)
  const { child, output } = service
  return {
    ...service,
    reload: () => void child.kill('SIGHUP'),
    async said(pattern) {
      for (;;) {
        const found = pattern.exec(output().stderr) ?? pattern.exec(output().stdout)
        if (found !== null) return found
        assert.equal(child.exitCode, null, `the service ended without ${pattern}`)
        await Promise.race([child.stdout, child.stderr].map((stream) => once(stream ?? child, 'data')))
      }
    },
  }
}

async function serveHere(t: Cleanup, words: readonly string[], { environment = {} }: CheapOptions): Promise<CheapService> {
  const port = words.includes('--port') || words.includes('--listen') ? [] : ['--port', '0']
  const interrupted = Promise.withResolvers<string>()
  const written = new EventEmitter()
  let [stdout, stderr, isOver, reload] = ['', '', false, () => {}]
  const finished = runHere(['serve', ...port, ...words], {
    environment,
    interrupted: interrupted.promise,
    onStdout(text) {
      stdout = text
      written.emit('output')
    },
    onStderr(text) {
      stderr = text
      written.emit('output')
    },
    onReload: (listener) => void (reload = listener),
  }).finally(() => {
    isOver = true
    written.emit('output')
  })
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    interrupted.resolve(signal)
    return (await finished).code
  }
  t.after(async () => void (await end('SIGTERM')))
  /** The first value that the reader finds in the output; fails where the service ends without one. */
  const found = async <T>(read: () => T | undefined, wanted: string): Promise<T> => {
    for (;;) {
      const value = read()
      if (value !== undefined) return value
      assert.ok(!isOver, `the service ended without ${wanted}:\n${stderr}`)
      await once(written, 'output')
    }
  }
  const objects = (text: string): Readonly<Record<string, unknown>>[] =>
    text.split('\n').flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as Record<string, unknown>] : []))
  const ready = await found(() => objects(stdout)[0], 'its ready line')
  return {
    url: String(ready['url']),
    ready,
    output: () => ({ stdout, stderr }),
    logged: (event) => found(() => objects(stderr).find((line) => line['event'] === event), `the event ${event}`),
    end,
    reload: () => reload(),
    said: (pattern) => found(() => pattern.exec(stderr) ?? pattern.exec(stdout) ?? undefined, String(pattern)),
  }
}

function collector(onWrite: (text: string) => void = () => {}) {
  const parts: Buffer[] = []
  const text = (): string => Buffer.concat(parts).toString()
  const stream = new PassThrough({
    transform(part: Buffer, _encoding, done) {
      parts.push(part)
      onWrite(text())
      done()
    },
  })
  stream.resume()
  return {
    stream,
    take(bytes: Uint8Array): number {
      stream.write(Buffer.from(bytes))
      return bytes.length
    },
    text,
  }
}
