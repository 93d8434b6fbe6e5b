/** The marks of loading that a reader sees and hears: of the page, of a screen, and of the data that a screen reads. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { bodyOf } from '../support/service/data-bodies.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard

/** Holds the requests of an address back. */
const hold = (page: Page, urlPattern: string) => page.devTools('Fetch.enable', { patterns: [{ urlPattern }] })
const letGo = (page: Page) => page.devTools('Fetch.disable', {})

/** The elements that are busy, and the words that are read out there. */
const busy = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('[aria-busy="true"]')].map((one) => [one.localName, [...one.querySelectorAll('[role=status]')].map(({ textContent }) => textContent).join()]))

describe('what is on its way', { skip: browserMissing() }, () => {
  it('is marked from the first paint, until the session is known', async () => {
    const page = await dashboard.openAs(cast.publisher, '#/')
    await hold(page, '*/api/v1/auth/me*')
    await page.open('/?first#/')
    assert.deepEqual(await busy(page), [['main', '']])
    await page.reads(/^\s*Dateline\s*$/)
    await page.screenshot('loading-page')
    await letGo(page)
    await page.find({ role: 'heading', name: 'Overview' })
    await page.loaded()
    await page.expectNoProblems()
  })

  it('is marked where a screen is fetched, and where it reads', async () => {
    const stored = await service.data('POST', '', { model: 'headline' }, { token: cast.publisher.token, body: { ...bodyOf('headline'), title: 'Slow boat' } })
    const id = String(stored.at('data.id'))
    const page = await dashboard.openAs(cast.publisher, '#/')
    await hold(page, '*/document-editor-*')
    await page.open(`/#/headlines/${id}`)
    assert.deepEqual(await busy(page), [['main', 'Loading']])
    await page.screenshot('loading-screen')
    await letGo(page)
    await page.find({ role: 'heading', name: 'Slow boat' })
    await page.loaded()
    await page.problems()
    await hold(page, `*/api/v1/data/${id}*`)
    await page.open(`/?again#/headlines/${id}`)
    await page.find({ role: 'heading', name: 'Headline' })
    assert.deepEqual(await busy(page), [['div', 'Loading']])
    await expectAccessible(page, { keyboard: false })
    await letGo(page)
    await page.find({ role: 'heading', name: 'Slow boat' })
    assert.deepEqual(await busy(page), [])
    await page.expectNoProblems()
  })

  it('shows nothing of it before a moment has passed', async () => {
    const page = await dashboard.openAs(cast.publisher, '#/')
    await hold(page, '*/api/v1/data*')
    await page.open('/?rows#/headlines')
    await page.find({ role: 'heading', name: 'Headlines' })
    const delays = await page.evaluate(() => [...document.querySelectorAll('.table .line')].map((line) => getComputedStyle(line).animation))
    assert.ok(delays.length > 0)
    for (const delay of delays) assert.match(delay, /0\.25s .*0\.2s .*appear/)
    await letGo(page)
    await page.find({ role: 'link', name: 'Slow boat' })
    await page.expectNoProblems()
  })
})
