/**
 * `npm run bench -- paint [N]`: the page of a publication of N headlines (default 2,000) in Chromium, on loopback, with a processor
 * that is four times slower and an empty cache: when the largest part of it is painted, and how far its parts move.
 * https://www.w3.org/TR/largest-contentful-paint/
 */
import assert from 'node:assert/strict'
import { loadavg } from 'node:os'
import { PUBLICATION } from '../../tools/data-bodies.ts'
import { median } from '../../tools/percentile.ts'
import { testBrowser, type Page } from '../../../test/support/browser/browser.ts'
import { startTarget } from '../bench-target.ts'
import { withBrowserRoom } from './browser-room.ts'

const HEADLINES_DEFAULT = 2_000
const ROUNDS = 15
const SLOWDOWN = 4

export async function run([count = String(HEADLINES_DEFAULT)]: readonly string[]): Promise<void> {
  await withBrowserRoom(async (room, cleanup) => {
    const { port, adminToken } = await startTarget(room, { count: Number(count) })
    const url = `http://127.0.0.1:${port}`
    const { id: _, createdAt: _c, updatedAt: _u, ...body } = PUBLICATION
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    const members = body.members.filter((member) => member !== 'imageUrl')
    const made = await fetch(`${url}/api/v1/data?model=publication`, { method: 'POST', headers, body: JSON.stringify({ ...body, members }) })
    assert.equal(made.status, 201, await made.text())
    const page = await testBrowser(cleanup).open(url)
    await page.devTools('Network.enable')
    await page.devTools('Network.setCacheDisabled', { cacheDisabled: true })
    await page.devTools('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    const rounds: Awaited<ReturnType<typeof paintOf>>[] = []
    for (let i = 0; i < ROUNDS; i++) {
      await page.open('/robots.txt')
      await page.open(`/p/${body.name}/`)
      rounds.push(await paintOf(page))
    }
    const paints = rounds.map(({ largestMs }) => largestMs)
    const load = loadavg()[0]?.toFixed(1)
    console.log(`${count} headlines, ${ROUNDS} rounds, load of the machine ${load}`)
    console.log(`largest paint ${median(paints).toFixed(0)} ms (${Math.min(...paints).toFixed(0)} to ${Math.max(...paints).toFixed(0)}); wanted at most 200`)
    console.log(`moved parts ${Math.max(...rounds.map(({ shifts }) => shifts))}; wanted 0`)
    await page.close()
  })
}

/** Of the page that was opened last, when two frames have passed. */
function paintOf(page: Page): Promise<{ readonly largestMs: number; readonly shifts: number }> {
  return page.evaluate(async () => {
    let [largestMs, shifts] = [0, 0]
    const entries = (type: string, add: (entry: PerformanceEntry) => void): PerformanceObserver => {
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(add))
      observer.observe({ type, buffered: true })
      return observer
    }
    entries('largest-contentful-paint', ({ startTime }) => (largestMs = Math.max(largestMs, startTime)))
    entries('layout-shift', (entry) => (shifts += (entry as unknown as { readonly value: number }).value))
    for (let frame = 0; frame < 4; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
    return { largestMs, shifts }
  })
}
