/** Many rows at once while review is on: a publisher is offered what the service allows, and what is sent by hand changes nothing. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { bodyOf } from '../support/service/data-bodies.ts'

const dashboard = await startDashboard({ review: 'on' })
const { service, cast } = dashboard
const ask = { token: cast.admin.token }
const button = (name: string | RegExp) => ({ role: 'button', name }) as const
const ACTIONS = ['Publish', 'Unpublish', 'Archive', 'Hand in', 'Delete']

async function make(title: string, members: JsonObject, body: JsonObject = bodyOf('headline')): Promise<string> {
  const response = await service.data('POST', '', { model: 'headline', incomplete: true }, { ...ask, body: { ...body, title, ...members }, isUndescribed: true })
  assert.equal(response.status, 201, response.text)
  return String(response.at('data.id'))
}

async function stored(id: string): Promise<JsonObject> {
  return (await service.data('GET', `/${id}`, { model: 'headline', incomplete: true }, { ...ask, isUndescribed: true })).at('data') as JsonObject
}

describe('many rows under review', { skip: browserMissing() }, () => {
  let page: Page
  let [published, draft, other, lacking, archived] = ['', '', '', '', '']
  before(async () => {
    published = await make('Opened bridge', { status: 'active' })
    draft = await make('New tram', { status: 'draft' })
    other = await make('New ferry', { status: 'draft' })
    lacking = await make('Half a story', { status: 'draft' }, {})
    archived = await make('Old market', { status: 'archived' })
    page = await dashboard.openAs(cast.publisher, '#/headlines')
  })

  /** Chooses exactly these rows, and reads what the bar offers for them. */
  async function offered(...titles: readonly string[]): Promise<readonly string[]> {
    if ((await page.findAll(button('Clear selection'))).length > 0) await page.click(button('Clear selection'))
    for (const title of titles) await page.click({ role: 'checkbox', name: `Select ${title}` })
    await page.reads(new RegExp(`${titles.length} selected`))
    const names = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.bulk button')].filter((one) => !one.hidden).map((one) => one.title))
    return names.filter((name) => ACTIONS.includes(name))
  }

  it('offers what the service allows for the rows that are chosen', async () => {
    assert.deepEqual(await offered('Opened bridge'), [])
    assert.deepEqual(await offered('New tram'), ['Hand in', 'Delete'])
    assert.deepEqual(await offered('Old market'), ['Unpublish', 'Delete'])
    assert.deepEqual(await offered('New tram', 'Old market'), ['Unpublish', 'Hand in', 'Delete'])
    assert.deepEqual(await offered('New tram', 'Opened bridge'), ['Hand in'])
    await expectAccessible(page)
    await page.screenshot('bulk-review')
  })

  it('hands in the drafts that are complete, names what others lack, and keeps those chosen', async () => {
    const dates = async () => (await Promise.all([draft, other].map(stored))).map((one) => one['updatedAt'])
    const datesBefore = await dates()
    service.advance(60_000)
    await offered('New tram', 'Half a story', 'Opened bridge', 'New ferry')
    await page.inspect(button('Hand in'), (element) => element.focus())
    await page.press('Enter')
    const dialog = await page.find({ role: 'dialog', name: '1 headline could not be changed' })
    await page.reads(/Half a story\s*Missing: .*Topic/, dialog)
    await page.screenshot('bulk-review-missing')
    // The rows were read again, and the focus was nowhere.
    await page.press('Escape')
    await page.waitFor(() => page.evaluate(() => document.activeElement?.matches('.row')), 'the focus on a row')
    await page.reads(/2 headlines handed in for review/)
    await page.reads(/2 selected/)
    // Drafts that are handed in looked like any other.
    for (const title of ['New tram', 'New ferry']) await page.find({ role: 'row', name: new RegExp(`^${title}.* Handed in$`) })
    await page.find({ role: 'row', name: /^Half a story.* Draft$/ })
    const handedIn = async () => (await Promise.all([draft, other, lacking, published].map(stored))).map((one) => typeof one['handedInAt'] === 'string')
    assert.deepEqual(await handedIn(), [true, true, false, false])
    await page.click(button('Undo'))
    await page.reads(/2 headlines restored/)
    assert.deepEqual(await handedIn(), [false, false, false, false])
    assert.deepEqual(await dates(), datesBefore)
    await page.expectNoProblems()
  })

  it('offers what fits as soon as another user publishes a chosen row', async () => {
    assert.deepEqual(await offered('New ferry'), ['Hand in', 'Delete'])
    await page.inspect(button('Delete'), (element) => element.focus())
    await service.data('PATCH', `/${other}`, { model: 'headline' }, { ...ask, body: { status: 'active' } })
    await page.focuses('Clear selection')
    await page.gone(button('Delete'))
    await page.gone(button('Hand in'))
    await page.find(button('Clear selection'))
  })

  it('chooses what could not be deleted only where it was chosen', async () => {
    await page.open('/?kept#/headlines?status=draft')
    assert.deepEqual(await offered('New tram'), ['Hand in', 'Delete'])
    // A connection that breaks later.
    await page.evaluate(() => {
      const send = globalThis.fetch
      const broken = new Promise<never>((_, reject) => addEventListener('break', () => reject(new TypeError('broken')), { once: true }))
      globalThis.fetch = (input, init) => (String(input).includes('/data/batch') ? broken : send(input, init))
    })
    await page.click(button('Delete'))
    await page.click({ role: 'link', name: /^Published/ })
    await page.find({ role: 'checkbox', name: 'Select Opened bridge' })
    await page.evaluate(() => void dispatchEvent(new Event('break')))
    await page.reads(/1 could not be deleted/)
    assert.equal(await page.evaluate(() => document.querySelector<HTMLElement>('.bulk')?.hidden), true)
    await page.open('/?again#/headlines')
    await page.find({ role: 'checkbox', name: 'Select New tram' })
    await page.expectNoProblems()
  })

  it('changes nothing by a batch that a publisher, a guest or a stranger sends by hand', async () => {
    const before = await Promise.all([published, draft, archived].map(stored))
    const times = { publishAt: new Date(Date.now() + 86_400_000).toISOString() }
    const one = (id: string, rest: JsonObject): JsonObject => ({ model: 'headline', id, ...rest })
    const fine = one(draft, { operation: 'patch', body: { excerpt: 'Sent along' } })
    for (const attack of [
      one(draft, { operation: 'patch', body: { status: 'active' } }),
      one(draft, { operation: 'patch', body: times }),
      one(draft, { operation: 'patch', body: { status: 'archived' } }),
      one(published, { operation: 'patch', body: { status: 'draft' } }),
      one(published, { operation: 'patch', body: { handedInAt: times.publishAt } }),
      one(published, { operation: 'delete' }),
      one(archived, { operation: 'patch', body: { status: 'active' } }),
    ]) {
      const body = { operations: [fine, attack] }
      const sent = await service.call('POST', '/api/v1/data/batch', { token: cast.publisher.token, body })
      assert.equal(sent.status, 403, `${JSON.stringify(attack)}: ${sent.text}`)
      assert.match(sent.text, /needsReview/)
      assert.equal((await service.call('POST', '/api/v1/data/batch', { token: cast.guest.token, body })).status, 403)
      assert.equal((await service.call('POST', '/api/v1/data/batch', { body })).status, 401)
    }
    assert.deepEqual(await Promise.all([published, draft, archived].map(stored)), before)
  })

  it('offers administrators every status that some do not have', async () => {
    page = await dashboard.openAs(cast.admin, '#/headlines')
    assert.deepEqual(await offered('Opened bridge', 'New tram'), ['Publish', 'Unpublish', 'Archive', 'Delete'])
    await page.click(button('Publish'))
    await page.reads(/1 headline published/)
    await page.reads(/1 selected/)
    // All that are chosen are published now.
    await page.gone(button('Publish'))
    await page.find(button('Unpublish'))
    await page.expectNoProblems()
  })
})
