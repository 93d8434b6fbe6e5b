/**
 * Reads what came from elsewhere without holding up requests: short documents where they are, which takes some milliseconds,
 * and long ones in a thread. A feed of 20 MiB that was written to take time takes four seconds and more.
 *
 * One document is read at a time, so that there is one long text in memory. The thread lives while documents wait for it.
 */
import { repeat } from '../../base/repeating.ts'
import { errorCode } from '../../base/system-error.ts'
import { startTaskThread } from '../../base/thread.ts'
import type { DocumentReading, FetchedDocument } from './read-document.ts'
import type { FeedFile, FileReading } from './read-feed-file.ts'
import { runReadTask, type ReadTask } from './read-task.ts'

/** Read in place: 6 ms for a usual feed of this length, and 30 ms for the worst that we know. */
const IN_PLACE_BYTES_MAX = 128 * 1024
/** Of the thread, for one document. */
const CPU_MS_MAX = 10_000
const LOOK_MS = 500
/** The text of 20 MiB in UTF-16, and twice as much for what is made of it. */
const HEAP_MB_MAX = 192

const STOPPED = 'The service is stopping: it reads the feed again after its start'
const TOO_MUCH_MEMORY = 'Reading the feed takes too much memory: use an address with fewer items'

export interface FeedReaderOptions {
  /** For one document. */
  readonly cpuMsMax?: number
  readonly heapMbMax?: number
}

type ReadThread = ReturnType<typeof startTaskThread<ReadTask, ReturnType<typeof runReadTask>>>

type NoFeed = Extract<DocumentReading, { kind: 'none' }>

export type FeedReader = ReturnType<typeof createFeedReader>

export function createFeedReader({ cpuMsMax = CPU_MS_MAX, heapMbMax = HEAP_MB_MAX }: FeedReaderOptions = {}) {
  let line: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let thread: ReadThread | undefined

  const readLong = async <Reading>(task: ReadTask, signal: AbortSignal | undefined): Promise<Reading | NoFeed> => {
    if (signal?.aborted === true) return none(STOPPED)
    if (thread?.isAlive !== true) thread = startReadThread(heapMbMax)
    return (await readWithin(thread, task, { cpuMsMax, signal })) as Reading | NoFeed
  }
  const run = async <Reading>(task: ReadTask, signal: AbortSignal | undefined): Promise<Reading | NoFeed> => {
    if (task.input.bytes.length <= IN_PLACE_BYTES_MAX) return runReadTask(task) as Reading
    waiting++
    const reading = line.then(() => readLong<Reading>(task, signal))
    line = reading
      .catch(() => {})
      .then(async () => {
        if (--waiting === 0) await thread?.end()
      })
    return reading
  }
  return {
    /**
     * A document that takes too much time or memory is none, with the reason. So is one whose signal aborts. Rejects for a bug
     * of ours alone.
     */
    read: (document: FetchedDocument, signal?: AbortSignal): Promise<DocumentReading> => run({ kind: 'document', input: document }, signal),
    /** The same for a file of items. */
    readFile: (file: FeedFile, signal?: AbortSignal): Promise<FileReading> => run({ kind: 'file', input: file }, signal),
  }
}

function startReadThread(heapMbMax: number): ReadThread {
  return startTaskThread(new URL('./feed-worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: heapMbMax } })
}

interface Within {
  readonly cpuMsMax: number
  readonly signal: AbortSignal | undefined
}

/** Ends the thread where the document takes too long, or is wanted no more. */
async function readWithin(thread: ReadThread, task: ReadTask, { cpuMsMax, signal }: Within): Promise<ReturnType<typeof runReadTask> | NoFeed> {
  const begunMs = await cpuMsOf(thread)
  let reason: string | undefined
  const end = (why: string): void => {
    reason ??= why
    void thread.end()
  }
  const stop = (): void => end(STOPPED)
  const look = async (): Promise<number> => {
    if ((await cpuMsOf(thread)) - begunMs > cpuMsMax) end(`Reading the feed takes more than ${cpuMsMax / 1_000} s: use an address with fewer items`)
    return LOOK_MS
  }
  const watch = repeat(look, { firstMs: LOOK_MS, onError: () => LOOK_MS })
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await thread.run(task)
  } catch (error) {
    if (reason !== undefined) return none(reason)
    if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY') return none(TOO_MUCH_MEMORY)
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    await watch.stop()
  }
}

/** What the thread has computed; nothing before it runs, and when it is gone. */
async function cpuMsOf({ worker }: ReadThread): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1_000
  } catch {
    return 0
  }
}

function none(reason: string): NoFeed {
  return { kind: 'none', reason, named: [] }
}
