/** Compressed and conditional reads in a real browser: its decoders and its cache are not ours. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import { browserMissing, testBrowser } from '../support/browser/browser.ts'
import { HEADLINE } from '../support/service/data-bodies.ts'
import { startSuiteService } from '../support/service/suite-service.ts'

const { assets } = await buildDashboard()
const service = await startSuiteService({}, { pageAssets: assets })
const browser = testBrowser({ after })

describe('a browser', { skip: browserMissing() }, () => {
  it('reads each coding to its end, and asks its cache for what it has', async () => {
    const { token } = await service.admin()
    for (let i = 0; i < 20; i++) {
      const body = { ...HEADLINE, title: `Fähre ${i}` }
      assert.equal((await service.data('POST', '', { model: 'headline' }, { token, body })).status, 201)
    }
    const page = await browser.open(service.url)
    await page.open('/docs')
    const read = (): Promise<{ coding: string | null; items: number; id: string; bytes: number }> =>
      page.evaluate(async (bearer) => {
        performance.clearResourceTimings()
        const response = await fetch('/api/v1/data?model=headline', { headers: { Authorization: `Bearer ${bearer}` } })
        const { data, metadata } = (await response.json()) as {
          data: { items: readonly unknown[] }
          metadata: { requestId: string }
        }
        const [timing] = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
        const coding = response.headers.get('content-encoding')
        return { coding, items: data.items.length, id: metadata.requestId, bytes: timing?.transferSize ?? 0 }
      }, token)
    const first = await read()
    const second = await read()
    const third = await read()
    assert.equal(first.items, 20)
    assert.deepEqual([second.items, third.items], [20, 20])
    assert.ok(third.bytes < 2_000, `a page that the browser has is confirmed: ${third.bytes} bytes`)
    const body = { ...HEADLINE, title: 'Another' }
    assert.equal((await service.data('POST', '', { model: 'headline' }, { token, body })).status, 201)
    const changed = await read()
    assert.notEqual(changed.id, third.id)
    // What is remembered is compressed whatever the load.
    if (process.env['DATELINE_CACHE_MB'] !== '0') assert.equal(changed.coding, 'zstd')
  })
})
