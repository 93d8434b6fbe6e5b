/** Every change is known and can be taken back: the history of a document, and the trash. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, confirm, holdNotices, startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const EMAIL = 'editor@example.org'
const other = await service.userWith(EMAIL, { dashboardRole: 'admin' })
const ask = { token: other.token }

const makeTopic = async (name: string): Promise<string> => {
  const body = { name, description: 'Ships and tides', iconUrl: 'https://example.org/icon.png', status: 'active' }
  return String((await service.data('POST', '', { model: 'topic' }, { ...ask, body })).at('data.id'))
}
const topicOf = async (id: string): Promise<Record<string, unknown> | undefined> =>
  (await service.data('GET', `/${id}`, { model: 'topic' }, ask)).at('data') as Record<string, unknown> | undefined

describe('the history of a document', { skip: browserMissing() }, () => {
  let page: Page
  let id = ''
  before(async () => {
    id = await makeTopic('Harbours')
    await service.data('PATCH', `/${id}`, { model: 'topic' }, { ...ask, body: { name: 'Harbors', description: 'Docks, piers and quays' } })
    page = await dashboard.openAs(cast.admin, `#/topics/${id}`)
    await page.find({ role: 'heading', name: 'Harbors' })
  })

  it('tells who changed what, field by field', async () => {
    await page.click(button('History'))
    const main = await page.find({ role: 'main' })
    await page.reads(new RegExp(`Changed by ${EMAIL}`), main)
    await page.reads(new RegExp(`Created by ${EMAIL}`), main)
    await page.evaluate(() => document.querySelector<HTMLElement>('.history summary')?.click())
    await page.reads(/Harbours[^]*Harbors[^]*|Harbors[^]*Harbours/, main)
    await page.reads(/Docks, piers and quays/, main)
  })

  it('puts an earlier version back as a new one', async () => {
    await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.history summary')].at(-1)?.click())
    await page.click(button('Restore this version'))
    await page.find({ role: 'heading', name: 'Harbours' })
    await page.reads(/Restored by you/, { role: 'main' })
    assert.equal((await topicOf(id))?.['name'], 'Harbours')
    await page.click(button('Edit'))
    assert.equal((await page.find({ role: 'textbox', name: 'Name' })).value, 'Harbours')
    await page.expectNoProblems()
  })
})

describe('a version that is put back when another user has saved', { skip: browserMissing() }, () => {
  it('says so in the words of the page, and restores nothing', async () => {
    const id = await makeTopic('Piers')
    await service.data('PATCH', `/${id}`, { model: 'topic' }, { ...ask, body: { name: 'Quays' } })
    const page = await dashboard.openAs(cast.admin, `#/topics/${id}?view=history`)
    // A page that follows changes takes what another user saved over at once.
    await page.devTools('Network.enable')
    await page.devTools('Network.setBlockedURLs', { urls: ['*/api/v1/changes*'] })
    await page.reload()
    await page.find({ role: 'heading', name: 'Quays' })
    await page.loaded()
    await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.history summary')].at(-1)?.click())
    await page.find(button('Restore this version'))
    await service.data('PATCH', `/${id}`, { model: 'topic' }, { ...ask, body: { name: 'Wharves' } })
    await page.click(button('Restore this version'))
    await page.reads(/Someone else changed it in the meantime/)
    assert.doesNotMatch(await page.text(), /If-Match/)
    await page.reads(/Changed by [^]*Changed by /, { role: 'main' })
    assert.equal((await topicOf(id))?.['name'], 'Wharves')
    await page.expectNoProblems([{ status: 412 }, { url: '/api/v1/changes' }])
  })
})

describe('a save', { skip: browserMissing() }, () => {
  const name = { role: 'textbox', name: 'Name' } as const
  const saveAs = async (page: Page, text: string): Promise<void> => {
    await page.fill(name, text)
    await page.press('Ctrl+S')
    await page.find({ role: 'heading', name: text })
    await holdNotices(page)
  }

  it('is taken back in its notice, with the date from before, unless the document has changed since', async () => {
    const id = await makeTopic('Tides')
    const before = await topicOf(id)
    const page = await dashboard.openAs(cast.admin, `#/topics/${id}`)
    await saveAs(page, 'Tiedes')
    await page.click(button('Undo'))
    await page.find({ role: 'heading', name: 'Tides' })
    await page.reads(/“Tides” restored/)
    assert.equal((await page.find(name)).value, 'Tides')
    assert.deepEqual(await topicOf(id), before)
    await saveAs(page, 'Tide')
    await service.data('PATCH', `/${id}`, { model: 'topic' }, { ...ask, body: { description: 'Changed by another' } })
    await page.click(button('Undo'))
    await page.reads(/Tide: Someone else changed it in the meantime/)
    assert.equal((await topicOf(id))?.['name'], 'Tide')
    await page.expectNoProblems([{ status: 412 }])
  })
})

describe('the trash', { skip: browserMissing() }, () => {
  let page: Page
  const ids: string[] = []
  before(async () => {
    for (const name of ['Jetties', 'Keels']) ids.push(await makeTopic(name))
    page = await dashboard.openAs(cast.admin, '#/topics')
    for (const name of ['Jetties', 'Keels']) await page.click({ role: 'checkbox', name: `Select ${name}` })
    await page.click({ ...button('Delete'), within: await page.find({ role: 'group', name: 'Selection' }) })
    await confirm(page, 'Delete')
    await page.gone({ role: 'row', name: /Keels/ })
  })
  const status = async (id: string | undefined): Promise<number> =>
    (await service.data('GET', `/${String(id)}`, { model: 'topic' }, ask)).status

  it('lists it by kind, restores what is chosen, and deletes for good', async () => {
    await page.open('/#/trash?model=topic')
    await page.find({ role: 'row', name: /Keels/ })
    await page.reads(/you/, { role: 'grid', name: 'Trash' })
    await page.reads(/Deleted forever/, { role: 'grid', name: 'Trash' })
    const shown = await page.evaluate(() => document.querySelector('.table-body .detail time')?.getAttribute('datetime') ?? '')
    assert.equal(Math.round((Date.parse(shown) - service.now()) / 86_400_000), 30)
    await page.click({ role: 'checkbox', name: 'Select Keels' })
    await page.click(button('History'))
    const past = await page.find({ role: 'dialog', name: 'History' })
    await page.reads(/Deleted by .*Created by /s, { role: 'dialog', name: 'History' })
    await page.click({ ...button('Close'), within: past })
    await page.click(button('Restore'))
    await page.gone({ role: 'row', name: /Keels/ })
    assert.equal(await status(ids[1]), 200)
    await page.click({ role: 'checkbox', name: 'Select Jetties' })
    await page.click(button('Delete forever'))
    const dialog = await page.find({ role: 'dialog', name: 'Delete forever?' })
    await page.click({ ...button('Delete forever'), within: dialog })
    await page.reads(/The trash is empty/, { role: 'main' })
    assert.equal(await status(ids[0]), 404)
    await page.expectNoProblems([{ status: 404, url: '/data/' }])
  })

  it('is where the address of a document leads that another user has deleted', async () => {
    const id = await makeTopic('Lanterns')
    await service.data('DELETE', `/${id}`, { model: 'topic' }, ask)
    await page.open(`/#/topics/${id}`)
    await page.reads(/This no longer exists/, { role: 'main' })
    await page.click({ role: 'link', name: 'Trash', within: await page.find({ role: 'main' }) })
    await page.find({ role: 'row', name: /Lanterns/ })
    await page.expectNoProblems([{ status: 404, url: '/data/' }])
  })
})
