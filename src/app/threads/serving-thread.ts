/** One thread that serves beside the main thread. */
import { createCalls, type Calls } from '../../base/calls.ts'
import type { ThreadSamples } from '../../base/metrics.ts'
import { within } from '../../base/pause.ts'
import { startThread } from '../../base/thread.ts'
import type { MainAnswers, ServingAnswers, ServingData } from './thread-messages.ts'
import type { ThreadRequests } from './thread-requests.ts'

const PROGRAM = new URL('./serving-worker.ts', import.meta.url)
/** Remembered pages and bodies are outside of the heap. */
const HEAP_MB_MAX = 512
/** With V8's default of 48 MiB for new objects, a thread takes more memory and is no faster. */
const YOUNG_HEAP_MB_MAX = 16
/** For the numbers of a thread; after it those of before are reported. */
const SAMPLES_MS_MAX = 1_000

export interface ThreadOptions {
  readonly data: ServingData
  readonly requests: ThreadRequests
  readonly endElsewhere: MainAnswers['endElsewhere']
  /** Called when it accepts connections. */
  readonly onReady: () => void
  /** Called when it has ended, with the error that ended it, if one did. What was done for it is aborted. */
  readonly onEnd: (error: unknown) => void
}

export type ServingThread = ReturnType<typeof startServingThread>

export function startServingThread({ data, requests, endElsewhere, onReady, onEnd }: ThreadOptions) {
  const worker = startThread(PROGRAM, {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_HEAP_MB_MAX },
  })
  let [isReady, samples] = [false, new Map() as ThreadSamples]
  const own = requests(() => calls)
  const answers: MainAnswers = {
    ...own.answers,
    endElsewhere,
    ready() {
      isReady = true
      onReady()
    },
  }
  const calls: Calls<ServingAnswers> = createCalls<ServingAnswers>(worker, answers)
  let failure: unknown
  worker.on('message', calls.receive)
  worker.once('error', (error) => {
    failure = error
  })
  worker.once('exit', () => {
    calls.end(new Error('The thread of the connection has ended'))
    own.ended()
    onEnd(failure)
  })
  return {
    worker,
    /** Changes something in the thread. */
    tell: calls.tell,
    isReady: (): boolean => isReady,
    /** Ends a connection of a client; false where all of them are being served, and where the thread has ended. */
    endOneOf: (clientKey: string): Promise<boolean> => calls.call('endOneOf', clientKey).catch(() => false),
    /** Calls the thread, and waits until it has answered or ended. */
    async request(name: 'settle' | 'close'): Promise<void> {
      await calls.call(name, undefined).catch(() => {})
    },
    /** Its numbers, or those of before where it does not answer. */
    async samples(): Promise<ThreadSamples> {
      samples = (await within(SAMPLES_MS_MAX, calls.call('samples', undefined).catch(() => undefined))) ?? samples
      return samples
    },
    lastSamples: (): ThreadSamples => samples,
  }
}
