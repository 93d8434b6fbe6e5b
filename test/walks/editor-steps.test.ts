/** From one headline to the next, and what a headline needs made on the way: a topic, a source, its country. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { JsonObject } from '../../src/base/json.ts'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, link, startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard()
const { cast, service, store } = dashboard

describe('the documents of a list', { skip: browserMissing() }, () => {
  it('are opened one after the other, by links and keys, and the way back leads to the list as it was', async () => {
    for (const name of ['Anchors', 'Buoys', 'Compasses']) await store('topic', { name, description: 'Of the sea' })
    await store('topic', { name: 'Not of this list' })
    const page = await dashboard.openAs(cast.admin, '#/topics?q=sea')
    const heading = (name: string): Promise<unknown> => page.find({ role: 'heading', name })
    await page.click(link('Buoys'))
    await heading('Buoys')
    await page.click(link('Next'))
    await heading('Compasses')
    await page.gone(link('Next'))
    await page.press('k')
    await heading('Buoys')
    await page.press('k')
    await heading('Anchors')
    await page.find(link('Next'))
    await expectAccessible(page)
    await page.click({ ...link('Topics'), within: await page.find({ role: 'main' }) })
    await page.reads(/3 results/, { role: 'main' })
    // A document that was opened otherwise has no neighbours.
    await page.open('/#/topics/new')
    await page.find({ role: 'textbox', name: 'Name' })
    await page.gone(link('Next'))
    await page.expectNoProblems()
  })
})

describe('a picker', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.admin, '#/headlines/new')
    await page.fill({ role: 'textbox', name: 'Title' }, 'Ice on the bay')
  })
  const find = async (name: string): Promise<JsonObject | undefined> =>
    ((await service.data('GET', '', { model: 'topic', filter: { name } }, { token: cast.admin.token })).at('data.items') as readonly JsonObject[])[0]

  // Attack: a name with markup.
  it('makes the topic that it does not find, and chooses it', async () => {
    const name = 'Ice <b>& "snow"</b>'
    await page.fill({ role: 'combobox', name: 'Topic' }, name)
    await page.find({ role: 'option', name: /^Create topic/ })
    await page.press('Enter')
    const dialog = await page.find({ role: 'dialog', name: 'New topic' })
    await expectAccessible(page)
    await page.fill({ role: 'textbox', name: 'Icon', within: dialog }, 'no link')
    await page.click(button('Create'))
    await page.reads(/Enter a link/, dialog)
    await page.fill({ role: 'textbox', name: 'Icon', within: dialog }, '')
    await page.click(button('Create'))
    await page.waitFor(async () => (await page.find({ role: 'combobox', name: 'Topic' })).value === name, 'the topic to be chosen')
    assert.deepEqual([(await find(name))?.['status'], (await find(name))?.['iconUrl']], ['active', ''])
    // What is there is not made again.
    await page.fill({ role: 'combobox', name: 'Topic' }, name.toUpperCase())
    await page.find({ role: 'option', name: /^Ice/ })
    await page.gone({ role: 'option', name: /^Create topic/ })
    await page.press('Escape')
  })

  it('fills the country in from the source, until another is chosen', async () => {
    await store('source', { name: 'The Ice Post' })
    await page.fill({ role: 'combobox', name: 'Source' }, 'Ice Post')
    await page.click({ role: 'option', name: /The Ice Post/ })
    await page.waitFor(async () => (await page.find({ role: 'combobox', name: 'Country' })).value === 'Iceland', 'the country of the source')
    await page.click(button('Publish'))
    await page.reads(/Saved · Published/)
    await page.expectNoProblems([{ status: 400 }])
  })

  it('offers nothing new to those who may not make it', async () => {
    const theirs = await dashboard.openAs(cast.publisher, '#/headlines/new')
    await theirs.fill({ role: 'combobox', name: 'Topic' }, 'Of no kind')
    await theirs.reads(/No results/, { role: 'main' })
    await theirs.gone({ role: 'option', name: /^Create/ })
    await theirs.expectNoProblems()
  })
})
