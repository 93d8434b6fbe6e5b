/** A file that is imported as drafts publishes nothing. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const service = await startSuiteService()
const { token } = await service.admin()
const send = async (columns: readonly string[], rows: string, more: JsonObject = {}) => {
  const body = { model: 'topic', format: 'csv', columns: [...columns], rows, asDrafts: true, ...more }
  return service.call('POST', '/api/v1/admin/import', { token, body })
}
const stored = async (name: string): Promise<JsonObject | undefined> => {
  const query = { model: 'topic', filter: { name }, incomplete: true }
  return (await service.data('GET', '', query, { token, isUndescribed: true })).at('data.items[0]') as JsonObject | undefined
}

it('a new document becomes a draft, whatever its row says', async () => {
  const { at } = await send(['name', 'description', 'iconUrl', 'status'], 'Live,,https://e.org/i.png,active\nOther,,https://e.org/i.png,\n')
  assert.deepEqual([at('data.inserted'), at('data.rejected')], [2, []])
  assert.deepEqual([(await stored('Live'))?.['status'], (await stored('Other'))?.['status']], ['draft', 'draft'])
})

it('it may lack required members', async () => {
  const { at } = await send(['name'], 'Short\n')
  assert.deepEqual([at('data.inserted'), at('data.rejected')], [1, []])
  assert.equal((await stored('Short'))?.['status'], 'draft')
})

it('a document that is replaced keeps its status, and stays complete', async () => {
  const made = await service.data('POST', '', { model: 'topic' }, { token, body: { ...bodyOf('topic'), name: 'Public', status: 'active' } })
  const id = String(made.at('data.id'))
  const whole = await send(['id', 'name', 'description', 'iconUrl', 'status'], `${id},Renamed,,https://e.org/i.png,draft\n`)
  assert.deepEqual([whole.at('data.replaced'), whole.at('data.rejected')], [1, []])
  assert.equal((await stored('Renamed'))?.['status'], 'active')
  const short = await send(['id', 'description'], `${id},Nameless\n`)
  assert.match(String(short.at('data.rejected[0].message')), /^name: /)
  assert.equal((await stored('Renamed'))?.['description'], '')
})

it('anything but true and false is 400', async () => {
  const { status, text } = await send(['name'], 'Short\n', { asDrafts: 'yes' })
  assert.equal(status, 400)
  assert.match(text, /asDrafts: expected true or false, found/)
})
