/** `npm run build`: makes dist/dateline, the executable for this machine, out of the sources and the pinned Node. */
import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { bundleProgram } from './build-bundle.ts'
import { buildExecutable } from './build-executable.ts'

const ROOT = join(import.meta.dirname, '..')

const output = join(ROOT, 'dist', process.platform === 'win32' ? 'dateline.exe' : 'dateline')
buildExecutable({ bundle: await bundleProgram(), node: process.execPath, output })
console.log(`${relative(ROOT, output)}: ${(statSync(output).size / 1e6).toFixed(1)} MB`)
