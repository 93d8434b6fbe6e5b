/** What a browser fetches before the rows of a list stand: little at the first visit, and no script at the next one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'

const BYTES_MAX = 102_400

const dashboard = await startDashboard()

interface Fetched {
  readonly name: string
  /** Of the compressed body. */
  readonly bytes: number
  readonly isCached: boolean
}

/** What the page has fetched since it was opened, besides the API. */
function filesOf(page: Page): Promise<readonly Fetched[]> {
  return page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].flatMap((entry) => {
      const { name, encodedBodySize: bytes, transferSize } = entry as PerformanceResourceTiming
      const { pathname } = new URL(name)
      return pathname.startsWith('/api/') ? [] : [{ name: pathname.replace(/-\w{8}\./, '.'), bytes, isCached: transferSize === 0 }]
    }),
  )
}

const isFont = ({ name }: Fetched): boolean => name.endsWith('.woff2')

describe('the first visit', { skip: browserMissing() }, () => {
  it('fetches one script, one style sheet and the texts of one language, and the second one nothing of them', async () => {
    await dashboard.store('topic', { name: 'Tidal power' })
    const page = await dashboard.openAs(dashboard.cast.admin, '#/topics', { language: 'de' })
    await page.find({ role: 'row', name: /^Tidal power/ })
    await page.loaded()
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    const files = await filesOf(page)
    const first = files.filter((one) => !isFont(one))
    assert.deepEqual(first.map(({ name }) => name).sort(), [
      ...['/', '/assets/chunk.js', '/assets/de.js', '/assets/icon.svg', '/assets/page.css', '/assets/theme-at-load.js'],
    ])
    const bytes = first.reduce((sum, one) => sum + one.bytes, 0)
    assert.ok(bytes > 0 && bytes <= BYTES_MAX, `${bytes} bytes`)
    // Text is there before its fonts.
    const fonts = files.filter(isFont)
    assert.deepEqual(fonts.map(({ name }) => name).sort(), ['/assets/newsreader-latin-600.woff2', '/assets/public-sans-latin.woff2'])
    assert.ok(fonts.every(({ bytes }) => bytes > 0))

    // Another visit than a reload, which asks again for some files.
    await page.open('/robots.txt')
    await page.open('/#/topics')
    await page.find({ role: 'row', name: /^Tidal power/ })
    await page.loaded()
    const second = await filesOf(page)
    assert.deepEqual(second.filter((one) => !one.isCached).map(({ name }) => name), ['/'])
    // The screens of administrators are one file more.
    await page.open('/#/operations')
    await page.find({ role: 'heading', name: 'Betrieb' })
    assert.deepEqual((await filesOf(page)).map(({ name }) => name), [...second.map(({ name }) => name), '/assets/second-script.js'])
    await page.open('/#/users')
    await page.find({ role: 'heading', name: 'Benutzer' })
    assert.equal((await filesOf(page)).length, second.length + 1)
  })
})
