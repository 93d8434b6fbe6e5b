// night: what browsers make of standards changes with browsers, not with commits
/** What a browser of its own makes of responses: its decoders, its cache, and its EventSource, which are not ours. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import { browserMissing, testBrowser } from '../support/browser/browser.ts'
import { HEADLINE, TOPIC } from '../../scripts/tools/data-bodies.ts'
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

  it('follows changes by an EventSource with a ticket, and goes on behind its last event with another', async () => {
    const { token } = await service.admin()
    const make = async (name: string): Promise<string> => {
      const made = await service.data('POST', '', { model: 'topic' }, { token, body: { ...TOPIC, name } })
      assert.equal(made.status, 201, made.text)
      return String(made.at('data.id'))
    }
    const page = await browser.open(service.url)
    await page.open('/docs')
    const open = (since: string): Promise<void> =>
      page.evaluate(
        async ({ bearer, from }) => {
          const headers = { Authorization: `Bearer ${bearer}` }
          const response = await fetch('/api/v1/changes/ticket', { method: 'POST', headers })
          const { data } = (await response.json()) as { data: { ticket: string } }
          const query = new URLSearchParams({ models: 'topic', ticket: data.ticket, since: from })
          const seen: { id: string; lastId: string }[] = []
          const events = new EventSource(`/api/v1/changes/stream?${query.toString()}`)
          Object.assign(globalThis, { events, seen })
          events.onmessage = ({ data: text, lastEventId }) =>
            seen.push({ id: (JSON.parse(String(text)) as { id: string }).id, lastId: lastEventId })
          await new Promise((resolve) => events.addEventListener('open', resolve, { once: true }))
        },
        { bearer: token, from: since },
      )
    const seen = (count: number): Promise<readonly { id: string; lastId: string }[]> =>
      page.evaluate(async (wanted) => {
        const { seen: all } = globalThis as unknown as { seen: { id: string; lastId: string }[] }
        while (all.length < wanted) await new Promise((resolve) => setTimeout(resolve, 20))
        return all
      }, count)
    await open('now')
    const first = [await make('One'), await make('Two')]
    const before = await seen(2)
    assert.deepEqual(before.map(({ id }) => id), first)
    await page.evaluate(() => (globalThis as unknown as { events: EventSource }).events.close())
    const missed = await make('Three')
    await open(before[1]?.lastId ?? '')
    const live = await make('Four')
    assert.deepEqual((await seen(2)).map(({ id }) => id), [missed, live])
    // A ticket is used once: what the browser opens again by itself is rejected for good.
    const state = await page.evaluate(async () => {
      const { events } = globalThis as unknown as { events: EventSource }
      const again = new EventSource(events.url)
      await new Promise((resolve) => again.addEventListener('error', resolve, { once: true }))
      events.close()
      return again.readyState
    })
    assert.equal(state, 2)
  })
})
