/**
 * The program as the tests start it, some hundred times in a run: each script with all that it imports in one file, as in the
 * executable. Of a start from the sources, two thirds go into loading hundreds of modules.
 *
 * The files lie as deep below the root as the sources do, since the program finds its guides and pages by a relative path.
 * They are CommonJS scripts, as in the executable: Node loads all of undici for each process and thread in which a module
 * imports node:http, which takes longer than the rest of its start.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleScripts } from './build-bundle.ts'

const DIRECTORY = join(import.meta.dirname, '../dist/test')
const ADDRESS = 'addressOfScript'
const BANNER = `const ${ADDRESS} = require('node:url').pathToFileURL(__filename).href`

/** Bundles the sources, and returns the file that starts the program. */
export async function bundleTestProgram(): Promise<string> {
  const { main, workers } = await bundleScripts({ format: 'cjs', define: { 'import.meta.url': ADDRESS }, banner: { js: BANNER } })
  mkdirSync(DIRECTORY, { recursive: true })
  for (const [name, script] of [['main.ts', main] as const, ...workers]) writeIfChanged(join(DIRECTORY, asScript(name)), asScript(script))
  return join(DIRECTORY, 'main.cjs')
}

/** Node would look for types in a file that ends with .ts, which takes half a second of each start without a compile cache. */
function asScript(text: string): string {
  return text.replaceAll(/\b(main|[a-z-]+-worker)\.ts\b/g, '$1.cjs')
}

/** In one step, and not at all where nothing changed: another run of the tests may be starting the file right now. */
function writeIfChanged(file: string, text: string): void {
  try {
    if (readFileSync(file, 'utf8') === text) return
  } catch {
    // There is none yet.
  }
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text)
  renameSync(draft, file)
}
