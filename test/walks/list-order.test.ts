/** The order of the tabs of a list: by the date that its documents have, which each row shows, until the reader chooses another. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { sidewaysPixels } from '../support/browser/room.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'

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

  it('shows on a phone the date by which it is sorted', async () => {
    await page.resize({ width: 360, height: 740 })
    await page.open('/?phone#/headlines?status=active')
    await reads('Ferry line', 'Old bridge', 'October fair')
    const dates = () => page.evaluate(() => [...document.querySelectorAll('.table-body .row')].map((row) => [...row.querySelectorAll('time')].filter((one) => one.offsetParent !== null).map(({ dateTime }) => dateTime)))
    assert.deepEqual(await dates(), [[day(-2)], [day(-9)], [day(-40)]])
    assert.equal(await sidewaysPixels(page), 0)
    const tops = () => page.evaluate(() => new Set([...document.querySelectorAll('.head button')].map((one) => one.getBoundingClientRect().top)).size)
    assert.equal(await tops(), 1, 'the titles stand in one line')
    await expectAccessible(page)
    await page.open('/?chosen#/headlines?status=active&columns=title,source,updatedAt')
    await reads('Ferry line', 'Old bridge', 'October fair')
    assert.deepEqual(await dates(), [[day(-2)], [day(-9)], [day(-40)]])
    await page.open('/?scheduled#/headlines?scheduled=true')
    await reads('Sooner tide', 'Later tide')
    assert.deepEqual(await dates(), [[day(20)], [day(30)]])
    await page.expectNoProblems()
  })
})
