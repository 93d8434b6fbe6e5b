/**
 * Conditional headers are short, and strangers may fill 64 KiB with them.
 *
 * The attacks: ten thousand tags, each of which would be compared; runs of blanks and of commas, on which a pattern
 * with two ways to read them takes the square of their length; quotes that are never closed.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { TOPIC } from '../../scripts/tools/data-bodies.ts'
import { startSite } from '../support/service/site.ts'

const { service, admin } = await startSite()
const response = await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: TOPIC })
const [id, tag] = [String(response.at('data.id')), response.headers.get('etag') ?? '']

const CHARS = 60_000
const tags = (count: number): string => Array.from({ length: count }, (_, i) => `"${i % 10}"`).join()

const ATTACKS: [name: string, header: string, status: number][] = [
  ['ten thousand tags', tags(10_000), 400],
  ['a hundred tags', tags(100), 412],
  ['a hundred tags, the right one last', `${tags(99)},${tag}`, 204],
  ['a quote that is never closed', `"${'a'.repeat(CHARS)}`, 400],
  ['blanks in front of nothing', `"a",${' '.repeat(CHARS)}x`, 400],
  ['commas only', ','.repeat(CHARS), 400],
  ['commas around the right one', `${','.repeat(CHARS / 2)}${tag}${','.repeat(CHARS / 3)}`, 204],
  ['more than all headers may be', `"${'a'.repeat(70_000)}"`, 431],
]

for (const [name, header, status] of ATTACKS) {
  it(`If-Match with ${name} is ${status}`, async () => {
    const made = await service.data('POST', '', { model: 'topic' }, { token: admin.token, body: TOPIC })
    assert.equal(made.headers.get('etag')?.length, tag.length)
    const own = header.replace(tag, made.headers.get('etag') ?? '')
    const options = { token: admin.token, headers: { 'If-Match': own } }
    const response = await service.data('DELETE', `/${String(made.at('data.id'))}`, { model: 'topic' }, options)
    assert.equal(response.status, status, response.text.slice(0, 300))
    assert.ok(response.text.length < 400, 'the response repeats what was sent')
  })
}

it('headers that repeat their name are one list, bounded as a whole', async () => {
  const headers: [string, string][] = Array.from({ length: 500 }, (_, i) => ['If-None-Match', `"${i}"`])
  const response = await fetch(`${service.url}/api/v1/data/${id}?model=topic`, {
    headers: [['authorization', `Bearer ${admin.token}`], ...headers],
  })
  assert.equal(response.status, 400)
  assert.match(await response.text(), /expected at most 100 ETags, found more/)
})
