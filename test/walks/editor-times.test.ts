/** Publishing at a time from the editor, and the panels of a list with the mouse. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page, type PageElement } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'

const { service, cast, openAs } = await startDashboard()
const make = async (body: JsonObject): Promise<string> =>
  String((await service.data('POST', '', { model: 'headline' }, { token: cast.admin.token, body: { ...bodyOf('headline'), ...body } })).at('data.id'))
const read = async (id: string): Promise<JsonObject> =>
  (await service.data('GET', `/${id}`, { model: 'headline' }, { token: cast.admin.token })).at('data') as JsonObject

describe('the editor of a draft', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await openAs(cast.admin, '#/headlines')
  })
  const choose = (time: string): Promise<void> =>
    page.evaluate((value) => {
      const [, input] = document.querySelectorAll<HTMLInputElement>('main input[type=datetime-local]')
      if (input === undefined) throw new Error('there is no second field for a time')
      input.value = value
      input.dispatchEvent(new Event('input', { bubbles: true }))
    }, time)
  const localMinute = (ms: number): string => new Date(ms).toISOString().slice(0, 16)

  // It went live immediately, "Unsaved changes" stayed, and Save was refused.
  it('publishes at a time that is to come, and says so before', async () => {
    const id = await make({ title: 'Night ferry', status: 'draft' })
    await page.open(`/#/headlines/${id}`)
    await page.find(button('Publish'))
    const at = localMinute(Date.now() + 3 * 86_400_000)
    await choose(at)
    await page.click(button(/^Publish .+ at /))
    await page.reads(/Saved · Scheduled/)
    const stored = await read(id)
    assert.deepEqual([stored['status'], String(stored['publishAt']).slice(0, 16)], ['draft', at])
    await page.waitFor(() => page.evaluate(() => !document.body.innerText.includes('Unsaved changes')), 'that nothing is unsaved')
  })

  it('asks for a time, and takes the schedule back', async () => {
    const id = await make({ title: 'Morning ferry', status: 'draft' })
    await page.open(`/#/headlines/${id}`)
    await page.click(button('Other ways to save'))
    await page.click(button('Schedule…'))
    await page.find({ role: 'dialog', name: 'When should it be published?' })
    await expectAccessible(page, { keyboard: false })
    await page.click(button('Schedule'))
    await page.reads(/Saved · Scheduled/)
    const { status, publishAt } = await read(id)
    assert.equal(status, 'draft')
    assert.match(String(publishAt), /T08:00:00\.000Z$/)
    await page.find(button('Update'))
    await page.click(button('Other ways to save'))
    await page.click(button('Cancel the schedule'))
    await page.waitFor(async () => (await read(id))['publishAt'] === undefined, 'the time to go')
    await page.find(button('Publish'))
  })

  it('publishes now, whatever time was set', async () => {
    const id = await make({ title: 'Day ferry', status: 'draft', publishAt: new Date(Date.now() + 86_400_000).toISOString() })
    await page.open(`/#/headlines/${id}`)
    await page.click(button('Other ways to save'))
    await page.click(button('Publish now'))
    await page.reads(/Saved · Published/)
    const { status, publishAt } = await read(id)
    assert.deepEqual([status, publishAt], ['active', undefined])
    await page.expectNoProblems()
  })
})

describe('a panel of a list', { skip: browserMissing() }, () => {
  // The click took the focus out of the panel, which closed ahead of it.
  it('takes a click on the words beside a box', async () => {
    await make({ title: 'Draft of a ferry', status: 'draft' })
    const page = await openAs(cast.admin, '#/headlines')
    await page.click(button('Filter'))
    await page.click({ ...button('Status'), within: await page.find({ role: 'group', name: 'Filter' }) })
    const [, words] = await page.waitFor(async () => {
      const items = await page.findAll({ role: 'listitem', within: await page.find({ role: 'group', name: 'Filter' }) })
      return items.length > 1 && items
    }, 'the values')
    await page.click(words as PageElement)
    await page.waitFor(async () => /status/.test(await page.url()), 'the filter in the address')
    await page.find({ role: 'group', name: 'Filter' })
  })
})
