/** Interrupted work: leaving at once, Back, a closed window, a lost connection. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, chooseMore, confirm, holdNotices, startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const ask = { token: cast.admin.token }

const makeTopic = (name: string): Promise<string> => dashboard.store('topic', { name })
const topicNames = async (): Promise<readonly string[]> => {
  const found = await service.data('GET', '', { model: 'topic', limit: 100 }, ask)
  return (found.at('data.items') as { name: string }[]).map(({ name }) => name)
}

describe('work that is interrupted', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.admin)
  })
  const openTopic = async (id: string, name: string): Promise<void> => {
    await page.open(`/#/topics/${id}`)
    await page.find({ role: 'heading', name })
  }
  const openDialogs = (): Promise<number> => page.evaluate(() => document.querySelectorAll('dialog[open]').length)
  const isThere = (name: string): Promise<unknown> => page.waitFor(async () => (await topicNames()).includes(name), `${name} to be there`)

  it('keeps the way back of a deletion when the page changes its language', async () => {
    await openTopic(await makeTopic('Lighthouses'), 'Lighthouses')
    await chooseMore(page, 'Delete')
    await page.find({ role: 'heading', name: 'Topics' })
    await page.find(button('Undo'))
    await holdNotices(page)
    await page.select({ role: 'combobox', name: 'Language' }, 'Deutsch')
    await page.find({ role: 'heading', name: 'Themen' })
    await page.click(button('Undo'))
    await page.select({ role: 'combobox', name: 'Sprache' }, 'English')
    await isThere('Lighthouses')
  })

  it('takes a deletion back by keyboard, wherever the focus is, but where text is typed', async () => {
    await openTopic(await makeTopic('Lanterns'), 'Lanterns')
    await chooseMore(page, 'Delete')
    await page.find({ role: 'heading', name: 'Topics' })
    await page.find(button('Undo'))
    await holdNotices(page)
    await page.press('/')
    await page.focuses('Search Topics')
    await page.press('l', 'Ctrl+Z')
    await page.find(button('Undo'))
    await page.press('Escape', 'Tab', 'Ctrl+Z')
    await page.find({ role: 'textbox', name: 'Name' })
    await isThere('Lanterns')
  })

  it('deletes all chosen documents when the window goes meanwhile', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, i) => makeTopic(`Wreck ${i}`)))
    await page.open('/#/topics?q=wreck')
    await page.reads(/40 results/, { role: 'main' })
    await page.click({ role: 'checkbox', name: 'Select all loaded rows' })
    await page.click({ ...button('Delete'), within: await page.find({ role: 'group', name: 'Selection' }) })
    await confirm(page, 'Delete')
    // The deletion begins when the service has said that no other document has copies of them.
    const chosen = (): Promise<string | null | undefined> => page.evaluate(() => document.querySelector('.bulk-count')?.textContent)
    await page.waitFor(async () => !['40 selected', null, undefined].includes(await chosen()), 'the rows to be let go')
    await page.open('/robots.txt')
    await page.waitFor(async () => (await topicNames()).every((name) => !name.startsWith('Wreck')), 'all of them to be deleted')
  })

  it('closes the dialog of a screen that is left, and asks only once whether it may be left', async () => {
    const id = await makeTopic('Anchors')
    await page.open('/#/topics')
    await page.open('/#/')
    await page.find({ role: 'heading', name: 'Overview' })
    await openTopic(id, 'Anchors')
    await chooseMore(page, 'Show JSON')
    await page.find({ role: 'dialog' })
    await page.back()
    await page.find({ role: 'heading', name: 'Overview' })
    assert.equal(await openDialogs(), 0)
    await openTopic(id, 'Anchors')
    await page.fill({ role: 'textbox', name: 'Name' }, 'Anchors and chains')
    // The page hears of a step before this listener does, which was added later.
    const stepBack = (): Promise<unknown> =>
      page.evaluate(
        () =>
          new Promise((resolve) => {
            addEventListener('hashchange', () => resolve(true), { once: true })
            history.back()
          }),
      )
    await stepBack()
    await page.find({ role: 'dialog', name: 'Leave without saving?' })
    await stepBack()
    assert.equal(await openDialogs(), 1)
    await page.click(button('Leave'))
    await page.find({ role: 'heading', name: 'Topics' })
  })

  it('leaves the history as it was for who stays, however the step was taken', async () => {
    const id = await makeTopic('Fenders')
    await page.open('/#/topics?q=fenders')
    await page.click({ role: 'link', name: /^Fenders/ })
    await page.fill({ role: 'textbox', name: 'Name' }, 'Fenders and ropes')
    const hash = (): Promise<string> => page.evaluate(() => location.hash)
    const stay = async (): Promise<void> => {
      await page.find({ role: 'dialog', name: 'Leave without saving?' })
      await page.click(button('Cancel'))
      await page.waitFor(async () => (await hash()) === `#/topics/${id}`, 'the address of the topic')
    }
    for (const step of [
      () => history.back(),
      () => history.go(-2),
      () => void (location.hash = '#/sources'),
      () => history.forward(),
    ]) {
      await page.evaluate(step)
      await stay()
    }
    await page.back()
    await page.find({ role: 'dialog', name: 'Leave without saving?' })
    await page.click(button('Leave'))
    await page.find({ role: 'row', name: /^Fenders/ })
    assert.equal(await hash(), '#/topics?q=fenders')
  })

  it('does not ask whether to leave without saving while it is being saved', async () => {
    await openTopic(await makeTopic('Ropes'), 'Ropes')
    await page.fill({ role: 'textbox', name: 'Name' }, 'Ropes and knots')
    await page.devTools('Network.emulateNetworkConditions', { latency: 500, downloadThroughput: -1, uploadThroughput: -1, offline: false })
    await page.press('Ctrl+S')
    await page.evaluate(() => (location.hash = '#/topics?q=ropes'))
    await page.find({ role: 'row', name: /^Ropes and knots/ })
    assert.equal(await openDialogs(), 0)
    await page.emulate({ offline: false })
  })

  it('opens a screen without a network, tells in its own words what is missing, and goes on where it was', async () => {
    await page.reload()
    // The list that is left must not be what cannot be fetched.
    await page.find({ role: 'row', name: /^Ropes and knots/ })
    await page.loaded()
    await page.emulate({ offline: true })
    await page.open('/#/sources')
    await page.find({ role: 'heading', name: 'Sources' })
    await page.find(button('Try again'))
    const words = await page.text({ role: 'main' })
    assert.match(words, /You are offline/)
    assert.doesNotMatch(words, /module|http/)
    await page.emulate({ offline: false })
    await page.reads(/Nothing here yet/, { role: 'main' })
  })
})
