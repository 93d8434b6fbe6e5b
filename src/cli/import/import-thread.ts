/** The thread of an import as a stream: prepared rows come out, a bounded number at a time. */
import { startThread } from '../../base/thread.ts'
import type { ChunkMessage, ImportSetup, PreparedBlock } from './import-message.ts'

/** Chunks that are read and not yet written. */
const BYTES_IN_FLIGHT_MAX = 16 * 1024 * 1024
const HEAP_MB_MAX = 256

/** The rows of a file, or of these chunks, in their order. Rejects with what goes wrong in reading or in the thread. */
export async function* preparedBlocks(
  setup: Omit<ImportSetup, 'kibWaiting'>,
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined,
): AsyncGenerator<PreparedBlock> {
  const kibWaiting = new Int32Array(new SharedArrayBuffer(4))
  const workerData: ImportSetup = { ...setup, kibWaiting }
  const worker = startThread(new URL('./import-worker.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    // Settings of the process are none of its business.
    env: {},
  })
  const answers: PreparedBlock[] = []
  let [inFlight, isOver, failure] = [0, false, undefined as unknown]
  let changed = Promise.withResolvers<void>()
  const wake = (): void => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const fail = (error: unknown): void => {
    failure ??= error
    wake()
  }
  worker.on('message', (block: PreparedBlock) => {
    answers.push(block)
    wake()
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread of the import was ended')))
  const feed = async (chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<void> => {
    for await (const chunk of chunks) {
      while (inFlight >= BYTES_IN_FLIGHT_MAX && !isOver) await changed.promise
      if (isOver) return
      inFlight += chunk.length
      const message: ChunkMessage = { chunk }
      worker.postMessage(message)
    }
    const end: ChunkMessage = { chunk: undefined }
    worker.postMessage(end)
  }
  if (chunks !== undefined) void feed(chunks).catch(fail)
  try {
    for (;;) {
      const block = answers.shift()
      if (block === undefined) {
        if (failure !== undefined) throw failure
        await changed.promise
        continue
      }
      inFlight -= block.taken
      Atomics.sub(kibWaiting, 0, block.kib)
      Atomics.notify(kibWaiting, 0)
      wake()
      yield block
      if (block.isLast || block.stop !== undefined) return
    }
  } finally {
    isOver = true
    wake()
    await worker.terminate()
  }
}
