/** Files of spreadsheets that separate cells by semicolons or tabs, as those of countries with a decimal comma do. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const { token } = await service.admin()
const send = (path: string, body: JsonObject) => service.call('POST', `/api/v1/admin/import${path}`, { token, body: { model: 'topic', format: 'csv', ...body } })
const ICON = 'https://images.example/t.png'

for (const separator of [';', '\t']) {
  const name = separator === ';' ? 'semicolons' : 'tabs'
  it(`a file with ${name} is previewed and imported, also in pieces`, async () => {
    const line = (cells: readonly string[]): string => `${cells.join(separator)}\r\n`
    const header = line(['Name', 'Description', 'Icon URL', 'Status'])
    const preview = await send('/preview', { rows: header + line([`One of ${name}`, '"1,5 million"', ICON, 'active']) })
    assert.equal(preview.status, 200, preview.text)
    assert.equal(preview.at('data.separator'), separator)
    assert.deepEqual(preview.at('data.rows'), [[`One of ${name}`, '1,5 million', ICON, 'active']])
    const columns = (preview.at('data.header') as { column: string }[]).map(({ column }) => column)
    const first = await send('', { rows: header + line([`One of ${name}`, '1,5 million', ICON, 'active']), columns, hasHeader: true, isLast: false })
    assert.deepEqual([first.at('data.inserted'), first.at('data.rejected'), first.at('data.separator')], [1, [], separator])
    const second = await send('', { rows: line([`Two of ${name}`, '2,5', ICON, 'active']), columns, separator, line: 3 })
    assert.deepEqual([second.at('data.inserted'), second.at('data.rejected')], [1, []])
  })
}

it('another separator is 400, and says which there are', async () => {
  const { status, text } = await send('', { rows: 'a|b\n', hasHeader: true, separator: '|' })
  assert.equal(status, 400)
  assert.match(text, /separator: expected a comma, a semicolon or a tab, found \"\|\"|separator: expected a comma/)
})
