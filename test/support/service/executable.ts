/**
 * The executable: that of TEST_PROGRAM where it is set, else one built for the tests of a file.
 */
import { join } from 'node:path'
import { bundleProgram } from '../../../scripts/build-bundle.ts'
import { buildExecutable } from '../../../scripts/build-executable.ts'

/** The path of an executable to test. Built into `directory` where none is given. */
export async function executable(directory: string): Promise<string> {
  const given = process.env['TEST_PROGRAM']
  if (given !== undefined) return given
  const output = join(directory, process.platform === 'win32' ? 'dateline.exe' : 'dateline')
  buildExecutable({ bundle: await bundleProgram(), node: process.execPath, output })
  return output
}
