// also: executable
/** The sample content, loaded by an administrator. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startSite } from '../support/service/site.ts'

const SAMPLE = '/api/v1/admin/sample'
const { service, cast } = await startSite()

it('the sample content is loaded once, in the name of the administrator', async () => {
  const { token, id } = cast.admin
  const first = await service.call('POST', SAMPLE, { token })
  assert.ok(Number(first.at('data.headlines')) > 100, first.text)
  const list = await service.data('GET', '', { model: 'headline', limit: 1, count: true }, { token })
  assert.equal(list.at('data.total'), first.at('data.headlines'))
  const again = await service.call('POST', SAMPLE, { token })
  assert.deepEqual(again.at('data'), { topics: 0, sources: 0, headlines: 0 })
  const trail = await service.call('GET', `/api/v1/admin/audit?limit=1&filter=${encodeURIComponent('{"event":"command"}')}`, { token })
  assert.deepEqual([trail.at('data.items[0].actor'), trail.at('data.items[0].details[0].value')], [id, 'seed'])
})
