/**
 * Writes what follows from declarations into the files that hold it: methods of the client, tables of the guides.
 *
 *     npm run generate
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedFiles, ROOT } from './generated-parts.ts'

for (const [file, text] of generatedFiles()) {
  const path = join(ROOT, file)
  const isChanged = readFileSync(path, 'utf8') !== text
  if (isChanged) writeFileSync(path, text)
  process.stdout.write(`${file}: ${isChanged ? 'written' : 'unchanged'}\n`)
}
