/** What uses a document: the editor says it, copies follow a rename before its eyes, and deleting asks what becomes of them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'
import type { JsonObject } from '../../src/base/json.ts'

const dashboard = await startDashboard()
const { cast, store: make, read } = dashboard

const topicName = async (id: string): Promise<unknown> => ((await read('headline', id))['topic'] as JsonObject)['name']

describe('a topic that headlines use', { skip: browserMissing() }, () => {
  let page: Page

  it('says where it is used, and a rename reaches them while their editor merges by itself', async () => {
    const topic = await make('topic', { name: 'Harbours' })
    const ids = [await make('headline', { title: 'Ferries', topic: { id: topic } }), await make('headline', { topic: { id: topic } })] as const
    page = await dashboard.openAs(cast.admin, `#/topics/${topic}`)
    const main = await page.find({ role: 'main' })
    await page.reads(/Used in 2 headlines/, main)
    const editor = await dashboard.openAs(cast.publisher, `#/headlines/${ids[0]}`)
    await editor.find({ role: 'heading', name: 'Ferries' })
    await editor.fill({ role: 'textbox', name: 'Title' }, 'Ferries and bridges')
    await page.fill({ role: 'textbox', name: 'Name' }, 'Ports')
    await page.click(button('Update'))
    await page.waitFor(async () => (await topicName(ids[0])) === 'Ports' && (await topicName(ids[1])) === 'Ports', 'the copies to follow')
    await editor.click(button('Update'))
    await editor.find({ role: 'StaticText', name: /^Saved/ })
    assert.equal((await read('headline', ids[0]))['title'], 'Ferries and bridges')
    assert.equal(await topicName(ids[0]), 'Ports')
    await editor.expectNoProblems([{ status: 412 }])
  })

  it('is decided once where many are deleted, and only those that are used are replaced', async () => {
    const topics = [await make('topic', { name: 'Gone A' }), await make('topic', { name: 'Gone B' }), await make('topic', { name: 'Gone C' })] as const
    const ids = [await make('headline', { topic: { id: topics[0] } }), await make('headline', { topic: { id: topics[1] } })] as const
    await make('topic', { name: 'Here to stay' })
    await page.open('/?many#/topics?q=gone')
    for (const letter of ['A', 'B', 'C']) await page.click({ role: 'checkbox', name: `Select Gone ${letter}` })
    // A lost response asks nothing, so nothing is deleted.
    await page.evaluate(() => {
      const { fetch } = globalThis
      globalThis.fetch = (input, init) => {
        if (!String(input).includes('/data/usage')) return fetch(input, init)
        globalThis.fetch = fetch
        return Promise.reject(new TypeError('lost'))
      }
    })
    await page.click(button('Delete'))
    const lost = await page.find({ role: 'dialog', name: 'Delete 3 topics?' })
    await page.reads(/Nothing was deleted/, lost)
    await page.click({ ...button('Try again'), within: lost })
    const dialog = await page.find({ role: 'dialog', name: 'Delete 3 topics?' })
    await page.reads(/2 of them are used in 2 headlines/, dialog)
    await page.click({ role: 'radio', name: /Replace them/ })
    await page.fill({ role: 'combobox', name: 'Topic' }, 'Here to')
    await page.click({ role: 'option', name: /Here to stay/ })
    await page.click({ role: 'button', name: 'Delete', within: dialog })
    await page.reads(/3 topics deleted/)
    const areReplaced = async (): Promise<boolean> => (await topicName(ids[0])) === 'Here to stay' && (await topicName(ids[1])) === 'Here to stay'
    await page.waitFor(areReplaced, 'the copies to be replaced')
    await page.expectNoProblems()
  })
})
