/** The calendar of publishings and archivings that are scheduled: followed, moved and cancelled, with keys and with the mouse. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, link, startDashboard } from '../support/browser/dashboard.ts'
import { systemStore } from '../../scripts/tools/stores.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const DAY_MS = 86_400_000
const NOON_MS = DAY_MS / 2
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS
/** Noon so many days from the beginning of the tests, in UTC, which is the zone of the browser. */
const noon = (days: number, minutes = 0): string => new Date(TODAY_MS + days * DAY_MS + NOON_MS + minutes * 60_000).toISOString()

const make = (title: string, members: JsonObject): Promise<string> =>
  dashboard.store('headline', { title, status: 'draft', ...members })

describe('the calendar of scheduled changes', { skip: browserMissing() }, () => {
  let page: Page
  let ferry = ''

  it('is empty, and shows what is scheduled meanwhile, day by day', async () => {
    page = await dashboard.openAs(cast.publisher, '#/')
    await page.click({ role: 'link', name: 'Scheduled' })
    await page.reads(/Nothing is scheduled/)
    ferry = await make('New ferry line opens', { publishAt: noon(1), unpublishAt: noon(40) })
    await make('Council votes on the harbour extension that residents have asked for since the spring', { publishAt: noon(1, 90) })
    await make('Tides this week', { publishAt: noon(3) })
    await page.find({ role: 'heading', name: /^Tomorrow / })
    await page.find(link('Tides this week'))
    assert.deepEqual(
      await page.evaluate(() => [...document.querySelectorAll('.due .tag')].map((tag) => tag.textContent)),
      ['Publish', 'Publish', 'Publish', 'Archive'],
    )
    await page.expectNoProblems()
  })

  it('moves a time by keys, and says what is wrong with one', async () => {
    await page.press('j', 'j', 'k')
    await page.focuses('New ferry line opens')
    await page.press('Tab')
    await page.focuses('Change time: New ferry line opens')
    await page.press('Enter')
    await page.focuses(/^Month/)
    // The year comes behind month and day, and the hour behind it.
    await page.press('ArrowRight', 'ArrowRight', 'ArrowDown', 'Enter')
    await page.reads(/Choose a later time/, { role: 'main' })
    assert.equal((await dashboard.read('headline', ferry))['publishAt'], noon(1))
    await page.press('ArrowUp', 'ArrowRight', 'ArrowUp', 'Enter')
    await page.reads(/New ferry line opens: now/)
    await page.focuses('Change time: New ferry line opens')
    assert.equal((await dashboard.read('headline', ferry))['publishAt'], noon(1, 60))
  })

  it('cancels with the mouse, and takes that back', async () => {
    await page.click(button('Cancel schedule: Tides this week'))
    await page.gone(link('Tides this week'))
    await page.click(button('Undo'))
    await page.find(link('Tides this week'))
  })

  it('says what has failed, and why', async () => {
    const id = await make('Not complete any more', { publishAt: noon(4) })
    const store = systemStore(service.app.services.store)
    const past = '2026-01-02T03:04:05.000Z'
    await store.update(headline, id, ({ topic: _, ...rest }) => ({ ...rest, publishAt: past }))
    await page.find({ role: 'heading', name: 'Overdue' })
    await page.reads(/Choose a topic/, { role: 'main' })
    await page.click(button(/^Cancel schedule: Not complete/))
    await page.gone({ role: 'heading', name: 'Overdue' })
    await page.expectNoProblems([{ status: 400 }])
  })
})
