/** The order of the tabs of a list: by the date that its documents have, which each row shows, until the reader chooses another. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { sidewaysPixels } from '../support/browser/room.ts'
import { bodyOf } from '../support/service/data-bodies.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const ask = { token: cast.publisher.token }
const DAY_MS = 86_400_000
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS
const day = (days: number): string => new Date(TODAY_MS + days * DAY_MS).toISOString()
const tab = (name: RegExp) => ({ role: 'link', name }) as const
const [ALL, PUBLISHED, DRAFTS, SCHEDULED] = [/^All/, /^Published/, /^Drafts/, /^Scheduled \d/]

async function make(title: string, members: JsonObject): Promise<string> {
  const response = await service.data('POST', '', { model: 'headline' }, { ...ask, body: { ...bodyOf('headline'), title, ...members } })
  assert.equal(response.status, 201, response.text)
  service.advance(1_000)
  return String(response.at('data.id'))
}

describe('the order of a list', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    const october = await make('October fair', { status: 'active', publishedAt: day(-40) })
    await make('Ferry line', { status: 'active', publishedAt: day(-2) })
    await make('Old bridge', { status: 'active', publishedAt: day(-9) })
    await make('Later tide', { status: 'draft', publishAt: day(30) })
    await make('Sooner tide', { status: 'draft', publishAt: day(20) })
    await make('Loose notes', { status: 'draft' })
    await service.data('PATCH', `/${october}`, { model: 'headline' }, { ...ask, body: { excerpt: 'A typo less' } })
    page = await dashboard.openAs(cast.publisher, '#/headlines')
  })

  /** The titles of the rows, from top to bottom. */
  async function reads(...wanted: readonly string[]): Promise<void> {
    const titles = () => page.evaluate(() => [...document.querySelectorAll('.table-body .row:not(.empty)')].map((row) => [Number(row.getAttribute('aria-rowindex')), row.querySelector('.main bdi')?.textContent] as const))
    await page.waitFor(async () => {
      const found = (await titles()).toSorted(([a], [b]) => a - b).map(([, title]) => title)
      return found.join() === wanted.join()
    }, `the rows ${wanted.join()}`)
  }

  const hash = () => page.evaluate(() => location.hash)
  const heads = () => page.evaluate(() => [...document.querySelectorAll('.head .cell')].map((cell) => cell.textContent).join(' '))
  const sorted = () => page.evaluate(() => document.querySelector('[aria-sort=ascending], [aria-sort=descending]')?.textContent)

  it('has the last change first where all are shown, and the day of publishing in Published', async () => {
    await page.resize({ width: 1440, height: 900 })
    await reads('October fair', 'Loose notes', 'Sooner tide', 'Later tide', 'Old bridge', 'Ferry line')
    assert.deepEqual([await heads(), await sorted()], ['Title Source Country Topic Updated Status', 'Updated'])
    await page.click(tab(PUBLISHED))
    await reads('Ferry line', 'Old bridge', 'October fair')
    assert.deepEqual([await heads(), await sorted(), await hash()], ['Title Source Country Topic Updated Status Published', 'Published', '#/headlines?status=active'])
    await expectAccessible(page)
    await page.screenshot('list-published')
    await page.resize({ width: 1024, height: 800 })
    await page.waitFor(async () => (await heads()) === 'Title Updated Status Published', 'the columns of a tablet')
    await page.resize({ width: 1440, height: 900 })
  })

  it('has the next time of publishing first in Scheduled, by the status', async () => {
    await page.click(tab(SCHEDULED))
    await reads('Sooner tide', 'Later tide')
    assert.deepEqual([await sorted(), await hash()], ['Status', '#/headlines?scheduled=true'])
    await page.click({ role: 'button', name: 'Sort by Publish at' })
    await reads('Later tide', 'Sooner tide')
    assert.equal(await hash(), '#/headlines?scheduled=true&sort=publishAt%3Adesc')
    await page.click({ role: 'button', name: 'Sort by Publish at' })
    await reads('Sooner tide', 'Later tide')
    await page.click(tab(DRAFTS))
    await reads('Loose notes', 'Sooner tide', 'Later tide')
  })

  it('keeps the order that the reader chooses in the other tabs, and in the address', async () => {
    await page.click(tab(PUBLISHED))
    await page.click({ role: 'button', name: 'Updated' })
    await reads('October fair', 'Old bridge', 'Ferry line')
    assert.equal(await hash(), '#/headlines?status=active&sort=updatedAt%3Adesc')
    await page.reload()
    await reads('October fair', 'Old bridge', 'Ferry line')
    await page.click(tab(SCHEDULED))
    await reads('Sooner tide', 'Later tide')
    await page.click(tab(PUBLISHED))
    await reads('October fair', 'Old bridge', 'Ferry line')
    await page.click({ role: 'button', name: 'Title' })
    await page.click(tab(ALL))
    await reads('Ferry line', 'Later tide', 'Loose notes', 'October fair', 'Old bridge', 'Sooner tide')
    await page.click({ role: 'button', name: 'Updated' })
    await page.click(tab(PUBLISHED))
    await reads('Ferry line', 'Old bridge', 'October fair')
    assert.equal(await hash(), '#/headlines?status=active')
  })

  it('opens a saved view as it was saved', async () => {
    await page.click({ role: 'button', name: 'Updated' })
    await page.click({ role: 'button', name: 'Views' })
    await page.type({ role: 'textbox', name: 'Name of this view' }, 'Corrections')
    await page.press('Enter')
    await page.find({ role: 'link', name: 'Corrections' })
    await page.open('/?view#/headlines?status=active')
    await reads('Ferry line', 'Old bridge', 'October fair')
    await page.click({ role: 'button', name: 'Views' })
    await page.click({ role: 'link', name: 'Corrections' })
    await reads('October fair', 'Old bridge', 'Ferry line')
    await page.expectNoProblems()
  })

  it('takes the columns that the reader ticks in one tab to the others, without the date of that tab', async () => {
    const turn = async (name: string): Promise<void> => {
      await page.click({ role: 'button', name: 'Columns' })
      await page.click({ role: 'checkbox', name })
      await page.press('Escape')
    }
    const shows = (wanted: string) => page.waitFor(async () => (await heads()) === wanted, wanted)
    await page.open('/?ticks#/headlines?status=active')
    await reads('Ferry line', 'Old bridge', 'October fair')
    await turn('Country')
    await shows('Title Source Topic Updated Status Published')
    await page.click(tab(ALL))
    await shows('Title Source Topic Updated Status')
    await page.click(tab(PUBLISHED))
    await shows('Title Source Topic Updated Status Published')
    await turn('Published')
    await shows('Title Source Topic Updated Status')
    await page.open('/?later#/headlines?status=active')
    await reads('Ferry line', 'Old bridge', 'October fair')
    assert.equal(await heads(), 'Title Source Topic Updated Status')
    await turn('Published')
    await turn('Country')
    await shows('Title Source Country Topic Updated Status Published')
    assert.equal(await hash(), '#/headlines?status=active')
    await page.expectNoProblems()
  })

  it('shows the date of its tab beside the columns that the reader has chosen', async () => {
    await page.open('/?own#/headlines?status=active&columns=title,source,updatedAt')
    await reads('Ferry line', 'Old bridge', 'October fair')
    assert.deepEqual([await heads(), await sorted()], ['Title Source Updated Published', 'Published'])
    await page.click({ role: 'button', name: 'Updated' })
    await reads('October fair', 'Old bridge', 'Ferry line')
    assert.equal(await heads(), 'Title Source Updated Published')
    await page.open('/?all#/headlines?columns=title,source,updatedAt')
    await page.find({ role: 'checkbox', name: /Loose notes/ })
    assert.equal(await heads(), 'Title Source Updated')
  })

  it('shows on a phone the date by which it is sorted', async () => {
    await page.resize({ width: 360, height: 740 })
    await page.open('/?phone#/headlines?status=active')
    await reads('Ferry line', 'Old bridge', 'October fair')
    const dates = () => page.evaluate(() => [...document.querySelectorAll('.table-body .row')].map((row) => [...row.querySelectorAll('time')].filter((one) => one.offsetParent !== null).map(({ dateTime }) => dateTime)))
    assert.deepEqual(await dates(), [[day(-2)], [day(-9)], [day(-40)]])
    assert.equal(await sidewaysPixels(page), 0)
    const tops = () => page.evaluate(() => new Set([...document.querySelectorAll('.head button')].map((one) => one.getBoundingClientRect().top)).size)
    assert.equal(await tops(), 1, 'the titles stand in one line')
    await page.screenshot('list-published-phone')
    await expectAccessible(page)
    await page.open('/?chosen#/headlines?status=active&columns=title,source,updatedAt')
    await reads('Ferry line', 'Old bridge', 'October fair')
    assert.deepEqual(await dates(), [[day(-2)], [day(-9)], [day(-40)]])
    await page.open('/?scheduled#/headlines?scheduled=true')
    await reads('Sooner tide', 'Later tide')
    assert.deepEqual(await dates(), [[day(20)], [day(30)]])
    await page.screenshot('list-scheduled-phone')
    await page.expectNoProblems()
  })

  it('has what was deleted last first in the trash', async () => {
    for (const title of ['Loose notes', 'Later tide']) {
      const { items } = (await service.data('GET', '', { model: 'headline', filter: { title }, limit: 1 }, ask)).at('data') as { items: readonly { id: string }[] }
      assert.equal((await service.data('DELETE', `/${items[0]?.id}`, { model: 'headline' }, ask)).status, 204)
      service.advance(1_000)
    }
    await page.open('/?trash#/trash?model=headline')
    await reads('Later tide', 'Loose notes')
    await page.expectNoProblems()
  })

  it('keeps the chosen tab in sight on a phone, and shows on which sides there are more', async () => {
    for (const language of ['en', 'ar'] as const) {
      const phone = await dashboard.openAs(cast.publisher, '#/headlines?status=archived', { language, size: { width: 360, height: 740 } })
      /** How far the chosen link stands inside its row, and the sides on which there are more. */
      const seen = () =>
        phone.evaluate(() => {
          const [row, link] = ['.part-links ul', '.part-links [aria-current]'].map((one) => document.querySelector(one)?.getBoundingClientRect())
          const more = ['more-before', 'more-after'].filter((one) => document.querySelector('.part-links')?.classList.contains(one))
          const marks = [...document.querySelectorAll<HTMLElement>('.part-links > .more')].filter((one) => one.checkVisibility()).length
          return row !== undefined && link !== undefined && link.left >= row.left - 1 && link.right <= row.right + 1 && marks === more.length ? more.join() : undefined
        })
      const shows = (more: string) => phone.waitFor(async () => (await seen()) === more, `${language}: ${more}`)
      await shows('more-before')
      // What is in sight when it is clicked is not what is chosen.
      await phone.evaluate(() => document.querySelector<HTMLElement>('.part-links > .more')?.click())
      await phone.waitFor(async () => (await phone.evaluate(() => document.querySelector('.part-links')?.className)) === 'part-links more-after', 'the first tabs')
      await phone.evaluate(() => document.querySelector<HTMLElement>('.part-links a')?.click())
      await shows('more-after')
      await expectAccessible(phone, { keyboard: false })
      await phone.resize({ width: 1440, height: 900 })
      await shows('')
      await phone.expectNoProblems()
    }
  })

  // The last of six buttons stood half beside the page in German.
  it('has room for all that can be done with chosen rows on a phone', async () => {
    for (const language of ['de', 'fr', 'es', 'ar'] as const) {
      const phone = await dashboard.openAs(cast.publisher, '#/headlines?status=draft', { language, size: { width: 360, height: 740 } })
      const choose = (): Promise<boolean> =>
        phone.evaluate(() => {
          const box = document.querySelector<HTMLInputElement>('.table-body .pick input')
          if (box?.checked === false) box.click()
          return document.querySelector('.bulk:not([hidden])') !== null
        })
      await phone.waitFor(choose, 'a chosen row')
      const beyond = await phone.evaluate(() => {
        const { left = 0, right = 0 } = document.querySelector('.bulk')?.getBoundingClientRect() ?? {}
        const buttons = [...document.querySelectorAll('.bulk > button')].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
        return [buttons.length, ...buttons.map((one) => Math.max(0, left - one.left, one.right - right))]
      })
      assert.deepEqual(beyond, [6, 0, 0, 0, 0, 0, 0], language)
      await phone.screenshot(`list-chosen-phone-${language}`)
      await phone.expectNoProblems()
    }
  })

  it('fits on a phone from right to left', async () => {
    const arabic = await dashboard.openAs(cast.publisher, '#/headlines?status=active', { language: 'ar', size: { width: 360, height: 740 } })
    await arabic.find({ role: 'checkbox', name: /Ferry line/ })
    assert.equal(await sidewaysPixels(arabic), 0)
    await arabic.screenshot('list-published-phone-arabic')
    await arabic.expectNoProblems()
  })
})
