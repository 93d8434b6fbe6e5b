/**
 * `npm run bench -- rows [N]`: how long an editor who is signed in waits for the rows of N headlines (default 20,000) with an empty
 * cache, a slow mobile network and a processor that is four times slower. The network is the slow 4G of Lighthouse: round trips of
 * 150 ms, 1.6 Mbit/s. https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md
 */
import { loadavg } from 'node:os'
import { median } from '../../tools/percentile.ts'
import { testBrowser, type Page } from '../../../test/support/browser/browser.ts'
import { startTarget } from '../bench-target.ts'
import { withBrowserRoom } from './browser-room.ts'

const HEADLINES_DEFAULT = 20_000
const ROUNDS = 9
const PROCESSOR = { fast: 1, slow: 4 }
const MBIT = 1_000_000 / 8
const NETWORK = {
  fast: { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
  slow: { offline: false, latency: 150, downloadThroughput: 1.6 * MBIT, uploadThroughput: 0.75 * MBIT },
}
/** A full screen of them. */
const ROWS = 10

export async function run([count = String(HEADLINES_DEFAULT)]: readonly string[]): Promise<void> {
  await withBrowserRoom(async (room, cleanup) => {
    const { port, adminToken } = await startTarget(room, { count: Number(count) })
    const page = await testBrowser(cleanup).open(`http://127.0.0.1:${port}`)
    await page.devTools('Network.enable')
    await page.open('/robots.txt')
    await page.evaluate((token) => localStorage.setItem('dateline.token', token), adminToken)
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await slowDown(page, 'fast')
      await page.open('/robots.txt')
      await page.devTools('Network.clearBrowserCache')
      await slowDown(page, 'slow')
      await page.open('/#/headlines')
      times.push(await rowsAt(page))
    }
    const [least, most] = [Math.min(...times), Math.max(...times)].map((ms) => (ms / 1_000).toFixed(1))
    console.log(`${count} headlines, ${ROUNDS} rounds, load of the machine ${loadavg()[0]?.toFixed(1)}`)
    console.log(`rows after ${(median(times) / 1_000).toFixed(1)} s (${least} to ${most}); wanted at most 2.2`)
    await page.close()
  })
}

async function slowDown(page: Page, speed: 'fast' | 'slow'): Promise<void> {
  await page.devTools('Emulation.setCPUThrottlingRate', { rate: PROCESSOR[speed] })
  await page.devTools('Network.emulateNetworkConditions', NETWORK[speed])
}

/** Milliseconds from the begin of the navigation to the frame in which the rows are there. */
function rowsAt(page: Page): Promise<number> {
  return page.evaluate(async (rows) => {
    while (document.querySelectorAll('.table-body [role=row]').length < rows) await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now()
  }, ROWS)
}
