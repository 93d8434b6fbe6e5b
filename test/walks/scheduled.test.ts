/** The calendar of publishings and archivings that are scheduled: followed, moved and cancelled, with keys and with the mouse. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { headline } from '../../src/models/headline.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, holdNotices, link, startDashboard } from '../support/browser/dashboard.ts'
import { sidewaysPixels } from '../support/browser/room.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { systemStore } from '../../scripts/tools/stores.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const ask = { token: cast.publisher.token }
const DAY_MS = 86_400_000
const NOON_MS = DAY_MS / 2
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS
/** Noon so many days from the beginning of the tests, in UTC, which is the zone of the browser. */
const noon = (days: number, minutes = 0): string => new Date(TODAY_MS + days * DAY_MS + NOON_MS + minutes * 60_000).toISOString()

async function make(title: string, members: JsonObject): Promise<string> {
  const response = await service.data('POST', '', { model: 'headline' }, { ...ask, body: { ...bodyOf('headline'), title, status: 'draft', ...members } })
  assert.equal(response.status, 201, response.text)
  return String(response.at('data.id'))
}
const stored = async (id: string): Promise<JsonObject> => (await service.data('GET', `/${id}`, { model: 'headline' }, ask)).at('data') as JsonObject

describe('the calendar of scheduled changes', { skip: browserMissing() }, () => {
  let page: Page
  let ferry = ''

  it('is empty, and shows what is scheduled meanwhile, day by day', async () => {
    page = await dashboard.openAs(cast.publisher, '#/')
    await page.click({ role: 'link', name: 'Scheduled' })
    await page.reads(/Nothing is scheduled/)
    await expectAccessible(page)
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
    assert.equal((await stored(ferry))['publishAt'], noon(1))
    await page.press('Escape')
    await page.focuses('Change time: New ferry line opens')
    await page.press('Enter')
    await page.focuses(/^Month/)
    await page.press('ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowUp', 'Enter')
    await page.reads(/New ferry line opens: now/)
    await page.focuses('Change time: New ferry line opens')
    assert.equal((await stored(ferry))['publishAt'], noon(1, 60))
  })

  it('cancels with the mouse, and takes that back', async () => {
    await page.click(button('Cancel schedule: Tides this week'))
    await page.gone(link('Tides this week'))
    await page.click(button('Undo'))
    await page.find(link('Tides this week'))
  })

  it('offers both in the palette, also where the list was drawn again under it, and keeps what is typed while others write', async () => {
    await page.inspect(link('Tides this week'), (element) => element.focus())
    await page.press('Ctrl+k')
    await page.type({ role: 'combobox', name: 'Search or run an action' }, 'Change time')
    await page.waitFor(() => page.evaluate(() => document.querySelector('[role=option][aria-selected=true]')?.textContent.startsWith('Change time')), 'the action')
    const before = await make('Written before', { publishAt: noon(2) })
    await page.waitFor(() => page.evaluate((id) => document.querySelector(`.due-title[href*="${id}"]`) !== null, before), 'the row under the palette')
    await page.press('Enter')
    await page.focuses(/^Month/)
    await page.press('2')
    await page.evaluate((name) => {
      const { heard } = Object.assign(window, { heard: [] as (string | undefined)[] })
      new BroadcastChannel(name).onmessage = ({ data }) => heard.push((data as { change?: { id: string } }).change?.id)
    }, `dateline.changes.${cast.publisher.id}`)
    const id = await make('Written meanwhile', { publishAt: noon(2) })
    await page.waitFor(() => page.evaluate((wanted) => (window as unknown as { heard: string[] }).heard.includes(wanted), id), 'the page to hear of it')
    await page.focuses(/^(?:Month|Day)/)
    await page.press('Escape')
    await make('Written then', { publishAt: noon(2) })
    await page.find(link('Written meanwhile'))
    await page.find(link('Written then'))
  })

  it('says what has failed, and why', async () => {
    const id = await make('Not complete any more', { publishAt: noon(4) })
    const store = systemStore(service.app.services.store)
    const past = '2026-01-02T03:04:05.000Z'
    await store.update(headline, id, ({ topic: _, ...rest }) => ({ ...rest, publishAt: past }))
    await page.find({ role: 'heading', name: 'Overdue' })
    await page.reads(/Choose a topic/, { role: 'main' })
    await page.resize({ width: 360, height: 900 })
    await expectAccessible(page)
    await page.resize({ width: 1280, height: 800 })
    await page.click(button(/^Cancel schedule: Not complete/))
    await page.gone({ role: 'heading', name: 'Overdue' })
    await page.expectNoProblems([{ status: 400 }])
  })

  it('is a press away from the tab of the list, and written from the right', async () => {
    await page.open('/#/headlines?scheduled=true')
    await page.find({ role: 'row', name: /Tides this week.*Scheduled/ })
    await page.click(link('Calendar'))
    await page.find({ role: 'heading', name: 'Scheduled' })
    await page.select({ role: 'combobox', name: 'Language' }, 'العربية')
    await page.find(link('Tides this week'))
    for (const width of [1440, 360]) {
      await page.resize({ width, height: 800 })
      assert.equal(await sidewaysPixels(page), 0)
    }
    await expectAccessible(page, { keyboard: false })
    await page.resize({ width: 1280, height: 800 })
    await page.select({ role: 'combobox', name: 'اللغة' }, 'English')
    await page.find({ role: 'heading', name: 'Scheduled' })
  })

  it('drops a draft as soon as it is published', async () => {
    const id = await make('Comes soon', { publishAt: noon(5) })
    await page.find(link('Comes soon'))
    await service.data('PATCH', `/${id}`, { model: 'headline' }, { ...ask, body: { status: 'active' } })
    await page.gone(link('Comes soon'))
    assert.equal((await stored(id))['status'], 'active')
    await page.expectNoProblems()
  })

  it('takes a cancelled schedule back from another screen too', async () => {
    await page.click(button('Cancel schedule: Tides this week'))
    await page.gone(link('Tides this week'))
    await page.find(button('Undo'))
    await holdNotices(page)
    await page.click(link('Overview'))
    await page.click(button('Undo'))
    await page.click(link('Scheduled'))
    await page.find(link('Tides this week'))
    await page.expectNoProblems()
  })
})
