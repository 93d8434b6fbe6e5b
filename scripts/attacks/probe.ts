/** Starts the thread that makes the requests of others, and a bare server beside the service to compare with. */
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import type { RunningTarget } from './target.ts'
import type { Felt, ProbeKind } from './verdict.ts'

export interface ProbeSetup {
  readonly port: number
  readonly pid: number
  readonly barePort: number
  /** Tokens, used in turn, so that none of them meets its limit. */
  readonly readers: readonly string[]
  readonly administrator: string
  readonly headlineIds: readonly string[]
}

export interface ProbeFigures {
  readonly felt: Readonly<Record<ProbeKind, Felt>>
  readonly rssPeakMib: number
}

export interface Probe extends AsyncDisposable {
  begin(): void
  /** Waits for all responses and gives what was measured since begin(). */
  end(): Promise<ProbeFigures>
}

export async function startProbe({ site, others }: RunningTarget): Promise<Probe> {
  const bare = await startBareServer()
  const { port, pid, headlineIds } = site
  const readers = others.readers.map(({ token }) => token)
  const setup: ProbeSetup = { port, pid, barePort: bare.port, readers, administrator: others.administrator.token, headlineIds }
  const worker = new Worker(new URL('probe-thread.ts', import.meta.url), { workerData: setup })
  return {
    begin: () => worker.postMessage('begin'),
    async end() {
      worker.postMessage('end')
      const [figures] = (await once(worker, 'message')) as [ProbeFigures]
      return figures
    },
    async [Symbol.asyncDispose]() {
      const gone = once(worker, 'exit')
      worker.postMessage('close')
      await gone
      bare.kill()
    },
  }
}

/** A process with a server that responds to every request with a few bytes. It ends with this one, however that ends. */
async function startBareServer() {
  const program = `require('node:http').createServer((request, response) => response.end('bare'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })
    process.stdin.resume().once('end', () => process.exit())`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { port: Number(String(line)), kill: () => child.kill('SIGKILL') }
}
