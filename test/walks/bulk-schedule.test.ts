/** Scheduling many drafts at once: at one time or one after the other, without those that lack something, and taken back. */
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
const button = (name: string | RegExp) => ({ role: 'button', name }) as const
const box = (title: string) => ({ role: 'checkbox', name: `Select ${title}` }) as const
const NOW_MS = Date.now()
const TITLES = ['Ferry', 'Bridge', 'Harbour'] as const

async function make(title: string, members: JsonObject, body: JsonObject = bodyOf('headline')): Promise<string> {
  const response = await service.data('POST', '', { model: 'headline', incomplete: true }, { ...ask, body: { ...body, title, ...members }, isUndescribed: true })
  assert.equal(response.status, 201, response.text)
  service.advance(1_000)
  return String(response.at('data.id'))
}

describe('scheduling many drafts', { skip: browserMissing() }, () => {
  let page: Page
  const ids: string[] = []
  let published = ''
  before(async () => {
    // The list has the last one first.
    for (const title of TITLES) ids.unshift(await make(title, { status: 'draft' }))
    await make('Half a story', { status: 'draft' }, {})
    published = await make('Opened market', { status: 'active' })
    page = await dashboard.openAs(cast.publisher, '#/headlines')
  })

  async function times(): Promise<readonly unknown[]> {
    const documents = await Promise.all(ids.map((id) => service.data('GET', `/${id}`, { model: 'headline' }, ask)))
    return documents.map((one) => (one.at('data') as JsonObject)['publishAt'])
  }

  /** Sets the inputs of the dialog as a reader does who picks a time. */
  async function enter(first: string, minutes: string): Promise<void> {
    await page.evaluate((values) => {
      for (const [i, input] of [...document.querySelectorAll<HTMLInputElement>('dialog input:not([type=checkbox])')].entries()) {
        input.value = values[i] ?? ''
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }
    }, [first, minutes])
  }

  const noon = (days: number): string => `${new Date(NOW_MS + days * 86_400_000).toISOString().slice(0, 10)}T12:00`
  const at = (days: number, minutes: number): string => new Date(Date.parse(`${noon(days)}:00.000Z`) + minutes * 60_000).toISOString()

  it('offers it for drafts, and asks for a time by keys', async () => {
    await page.click(box('Opened market'))
    await page.gone(button('Schedule…'))
    await page.click(button('Clear selection'))
    for (const title of TITLES) await page.click(box(title))
    await page.inspect(button('Schedule…'), (element) => element.focus())
    await page.press('Enter')
    await page.find({ role: 'dialog', name: 'Schedule 3 headlines' })
    await page.waitFor(() => page.evaluate(() => document.activeElement?.matches('dialog input[type=datetime-local]') === true), 'the focus on the time')
    await page.reads(/All at the same time/)
    await expectAccessible(page)
    for (const [width, colorScheme] of [[360, 'light'], [1024, 'dark'], [1440, 'light']] as const) {
      await page.resize({ width, height: 800 })
      await page.emulate({ colorScheme })
      await page.screenshot(`bulk-schedule-${width}`)
    }
    await page.emulate({ colorScheme: 'light' })
    await page.press('Escape')
    await page.reads(/3 selected/)
    assert.deepEqual(await times(), [undefined, undefined, undefined])
  })

  it('says what is wrong with a time or an interval, and changes nothing', async () => {
    await page.click(button('Schedule…'))
    await page.find({ role: 'dialog' })
    await enter('2026-01-01T12:00', '0')
    await page.click(button('Schedule'))
    await page.reads(/Choose a later time/)
    await enter(noon(3), '10081')
    await page.click(button('Schedule'))
    await page.reads(/Enter 0 to 10,080 minutes/)
    await page.focuses('Interval in minutes')
    await enter('', '5')
    await page.click(button('Schedule'))
    await page.reads(/Choose a later time/)
    await page.press('Escape')
    assert.deepEqual(await times(), [undefined, undefined, undefined])
  })

  it('schedules one after the other in the order of the list, by one request, and takes that back', async () => {
    await page.click(button('Schedule…'))
    await page.find({ role: 'dialog' })
    await enter(noon(3), '90')
    await page.reads(/Last one: .*3:00\sPM/)
    const batches = () => page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/data/batch')).length)
    const before = await batches()
    await page.click(button('Schedule'))
    await page.reads(/3 headlines scheduled/)
    assert.deepEqual(await times(), [at(3, 0), at(3, 90), at(3, 180)])
    assert.equal(await batches(), before + 1)
    assert.equal(await page.evaluate(() => document.querySelector<HTMLElement>('.bulk')?.hidden), true)
    await page.click(button('Undo'))
    await page.reads(/3 headlines restored/)
    assert.deepEqual(await times(), [undefined, undefined, undefined])
  })

  it('names drafts that lack something, leaves them out where the editor says so, and keeps them chosen', async () => {
    for (const title of ['Ferry', 'Half a story', 'Opened market', 'Harbour']) await page.click(box(title))
    await page.click(button('Schedule…'))
    const dialog = await page.find({ role: 'dialog', name: 'Schedule 2 headlines' })
    await page.reads(/Half a story\s*Missing: .*Topic/, dialog)
    await enter(noon(4), '0')
    await page.click(button('Schedule'))
    await page.reads(/Complete these drafts first, or leave them out/, dialog)
    await page.focuses('Leave them out')
    assert.deepEqual(await times(), [undefined, undefined, undefined])
    // The rows glow while what was undone is told.
    await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)).then(() => true))
    await expectAccessible(page)
    await page.screenshot('bulk-schedule-incomplete')
    await page.click({ role: 'checkbox', name: 'Leave them out' })
    await page.click(button('Schedule'))
    await page.reads(/2 headlines scheduled/)
    assert.deepEqual(await times(), [at(4, 0), undefined, at(4, 0)])
    await page.reads(/2 selected/)
    await page.click(button('Clear selection'))
    await page.expectNoProblems()
  })

  it('moves what is scheduled, and an undo brings the time before back', async () => {
    const changedAt = async () => (await service.data('GET', `/${ids[0]}`, { model: 'headline' }, ask)).at('data.updatedAt')
    const before = await changedAt()
    service.advance(60_000)
    await page.click(box('Harbour'))
    await page.click(button('Schedule…'))
    await page.find({ role: 'dialog', name: 'Schedule 1 headline' })
    await enter(noon(9), '')
    await page.click(button('Schedule'))
    await page.reads(/1 headline scheduled/)
    assert.deepEqual(await times(), [at(9, 0), undefined, at(4, 0)])
    await page.find({ role: 'button', name: 'Undo' })
    await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.notice button')].findLast((one) => one.textContent === 'Undo')?.click())
    await page.reads(/1 headline restored/)
    assert.deepEqual(await times(), [at(4, 0), undefined, at(4, 0)])
    assert.equal(await changedAt(), before)
  })

  it('is written from the right, and fits on a phone', async () => {
    const arabic = await dashboard.openAs(cast.publisher, '#/headlines', { language: 'ar', size: { width: 360, height: 740 } })
    await arabic.click({ role: 'checkbox', name: /Ferry/ })
    await arabic.click({ role: 'checkbox', name: /Half a story/ })
    assert.equal(await sidewaysPixels(arabic), 0)
    await arabic.screenshot('bulk-bar-arabic-phone')
    await arabic.click(button('جدولة…'))
    await arabic.find({ role: 'dialog' })
    await arabic.screenshot('bulk-schedule-arabic-phone')
    await expectAccessible(arabic)
    await arabic.expectNoProblems()
  })

  it('is open only to those who write: a batch of a guest or a stranger changes nothing', async () => {
    const before = await times()
    const body = { operations: ids.map((id) => ({ operation: 'patch', model: 'headline', id, body: { publishAt: at(20, 0) } })) }
    assert.equal((await service.call('POST', '/api/v1/data/batch', { token: cast.guest.token, body })).status, 403)
    assert.equal((await service.call('POST', '/api/v1/data/batch', { body })).status, 401)
    const late = [...body.operations, { operation: 'patch', model: 'headline', id: published, body: { publishAt: at(20, 0) } }]
    assert.equal((await service.call('POST', '/api/v1/data/batch', { ...ask, body: { operations: late } })).status, 400)
    assert.deepEqual(await times(), before)
  })
})
