/**
 * Lets the threads of a test process run the scripts that scripts/test-program.ts has made: to load the sources of a thread
 * takes twice the CPU time of its script. The script of each process of tests imports this before their files.
 *
 * Without TEST_BUNDLE, which names the directory of the scripts, threads run from the sources.
 */
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import threads, { type WorkerOptions } from 'node:worker_threads'

const SOURCE = /\/src\/.*-worker\.ts$/

const bundle = process.env['TEST_BUNDLE']
if (bundle !== undefined) useScriptsIn(dirname(bundle))

/** The class is what `import { Worker } from 'node:worker_threads'` gives from now on. */
function useScriptsIn(directory: string): void {
  const { Worker } = threads
  class ScriptWorker extends Worker {
    constructor(program: string | URL, options?: WorkerOptions) {
      const isSource = program instanceof URL && SOURCE.test(program.pathname)
      super(isSource ? pathToFileURL(join(directory, basename(program.pathname, '.ts') + '.cjs')) : program, options)
    }
  }
  Object.assign(threads, { Worker: ScriptWorker })
  syncBuiltinESMExports()
}
