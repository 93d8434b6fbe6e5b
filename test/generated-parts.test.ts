/** Parts of files that are written from declarations are those of the declarations. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { generatedFiles, ROOT } from '../scripts/generated-parts.ts'
import { ENDPOINTS } from '../src/endpoints/endpoints.ts'

for (const [file, text] of generatedFiles()) {
  it(`${file} is what "npm run generate" writes`, () => {
    assert.equal(readFileSync(join(ROOT, file), 'utf8'), text, 'run "npm run generate"')
  })
}

it('the guide has a row for each endpoint, and the client a method for each that has a name there', () => {
  const guide = generatedFiles().get('data/guides/api.md') ?? ''
  const client = generatedFiles().get('src/client/client.ts') ?? ''
  assert.ok(ENDPOINTS.length > 30)
  for (const { method, path, client: name } of ENDPOINTS) {
    const shown = path.replaceAll(/:(\w+)/g, (_, one: string) => one.toUpperCase())
    assert.ok(guide.includes(`\n| \`${method} ${shown}\` |`), path)
    assert.match(client, new RegExp(`^ {2}${name?.split('.')[1] ?? 'list'}\\(`, 'm'), path)
  }
})
