/** Work that is interrupted: by another language, by leaving at once, by Back, by a closed window, by a dead line. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { holdNotices, startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const ask = { token: cast.admin.token }

const makeTopic = async (name: string): Promise<string> => {
  const body = { name, description: 'Ships and tides', iconUrl: 'https://example.org/icon.png' }
  return String((await service.data('POST', '', { model: 'topic' }, { ...ask, body })).at('data.id'))
}
const topicNames = async (): Promise<readonly string[]> => {
  const found = await service.data('GET', '', { model: 'topic', limit: 100 }, ask)
  return (found.at('data.items') as { name: string }[]).map(({ name }) => name)
}
const button = (name: string | RegExp): { role: string; name: string | RegExp } => ({ role: 'button', name })
const slowLine = { latency: 500, downloadThroughput: -1, uploadThroughput: -1, offline: false }

describe('work that is interrupted', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.admin)
  })
  const openTopic = async (id: string, name: string): Promise<void> => {
    await page.open(`/#/topics/${id}`)
    await page.find({ role: 'heading', name })
  }
  const notices = (): Promise<string> =>
    page.evaluate(() => document.querySelector<HTMLElement>('.notices')?.innerText ?? '')
  const openDialogs = (): Promise<number> => page.evaluate(() => document.querySelectorAll('dialog[open]').length)
  const focusIsIn = (selector: string): Promise<unknown> =>
    page.waitFor(() => page.evaluate((wanted) => document.activeElement?.closest(wanted) != null, selector), `the focus in ${selector}`)
  const isThere = (name: string): Promise<unknown> => page.waitFor(async () => (await topicNames()).includes(name), `${name} to be there`)

  it('keeps the way back of a deletion when the page changes its language', async () => {
    await openTopic(await makeTopic('Lighthouses'), 'Lighthouses')
    await page.click(button('Delete'))
    await page.find({ role: 'heading', name: 'Topics' })
    await page.find(button('Undo'))
    await holdNotices(page)
    await page.select({ role: 'combobox', name: 'Language' }, 'Deutsch')
    await page.find({ role: 'heading', name: 'Themen' })
    await page.click(button('Undo'))
    await page.select({ role: 'combobox', name: 'Sprache' }, 'English')
    await page.find({ role: 'heading', name: /Lighthouses|Topics/ })
    await isThere('Lighthouses')
  })

  it('takes a deletion back by keyboard, wherever the focus is, but where text is typed', async () => {
    await openTopic(await makeTopic('Lanterns'), 'Lanterns')
    await page.click(button('Delete'))
    await page.find({ role: 'heading', name: 'Topics' })
    await page.find(button('Undo'))
    await holdNotices(page)
    await page.press('/')
    await page.focuses('Search Topics')
    await page.press('l', 'Ctrl+Z')
    await page.find(button('Undo'))
    await page.press('Escape', 'Tab', 'Ctrl+Shift+Z')
    await page.find(button('Undo'))
    await page.press('Tab', 'Ctrl+Z')
    await page.find({ role: 'textbox', name: 'Name' })
    await isThere('Lanterns')
  })

  it('keeps a notice as long as the focus is in it, wherever the pointer goes', async () => {
    await openTopic(await makeTopic('Oars'), 'Oars')
    await page.click(button('Delete'))
    await page.find({ role: 'heading', name: 'Topics' })
    await page.inspect(button('Undo'), (element) => {
      element.focus()
      const wait = setTimeout
      window.setTimeout = ((run: () => void, ms: number) => wait(run, ms / 100)) as typeof setTimeout
      const notice = element.closest('.notice')
      notice?.dispatchEvent(new MouseEvent('mouseenter'))
      notice?.dispatchEvent(new MouseEvent('mouseleave'))
      return new Promise((resolve) => wait(resolve, 300))
    })
    assert.match(await notices(), /Oars/)
    await page.inspect(button('Undo'), (element) => element.blur())
    await page.gone(button('Undo'))
    await page.reload()
  })

  it('stays in its language where the other one cannot be fetched', async () => {
    await page.open('/#/topics')
    await page.find({ role: 'heading', name: 'Topics' })
    await page.emulate({ offline: true })
    await page.select({ role: 'combobox', name: 'Language' }, 'Español')
    await page.waitFor(async () => (await notices()) !== '', 'the notice')
    assert.equal((await page.find({ role: 'combobox', name: 'Language' })).value, 'English')
    await page.emulate({ offline: false })
    await page.reload()
    await page.find({ role: 'heading', name: 'Topics' })
  })

  it('says of a document that is being deleted that it is, and shows it again when that is undone', async () => {
    await openTopic(await makeTopic('Moorings'), 'Moorings')
    await page.click(button('Delete'))
    await page.find({ role: 'heading', name: 'Topics' })
    await page.back()
    await page.reads(/^“Moorings” deleted$/m, { role: 'main' })
    assert.deepEqual(await page.findAll({ role: 'textbox', name: 'Name' }), [])
    await page.click(button('Undo'))
    await page.find({ role: 'textbox', name: 'Name' })
    await focusIsIn('main')
  })

  it('deletes all chosen documents when the window goes meanwhile', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, i) => makeTopic(`Wreck ${i}`)))
    await page.open('/#/topics?q=wreck')
    await page.reads(/40 results/, { role: 'main' })
    await page.click({ role: 'checkbox', name: 'Select all loaded rows' })
    await page.click({ ...button('Delete'), within: await page.find({ role: 'group', name: 'Selection' }) })
    // The deletion begins when the service has said that no other document has copies of them.
    const chosen = (): Promise<string | null | undefined> => page.evaluate(() => document.querySelector('.bulk-count')?.textContent)
    await page.waitFor(async () => !['40 selected', null, undefined].includes(await chosen()), 'the rows to be let go')
    await page.open('/robots.txt')
    await page.waitFor(
      async () => (await topicNames()).every((name) => !name.startsWith('Wreck')),
      'all of them to be deleted',
    )
  })

  it('closes the dialog of a screen that is left, and asks only once whether it may be left', async () => {
    const id = await makeTopic('Anchors')
    await page.open('/#/topics?q=anchors')
    await page.find({ role: 'row', name: /^Anchors/ })
    await openTopic(id, 'Anchors')
    await page.click(button('Show JSON'))
    await page.find({ role: 'dialog' })
    await page.back()
    await page.find({ role: 'heading', name: 'Topics' })
    assert.equal(await openDialogs(), 0)

    await page.open('/#/')
    await page.find({ role: 'heading', name: 'Overview' })
    await openTopic(id, 'Anchors')
    await page.fill({ role: 'textbox', name: 'Name' }, 'Anchors and chains')
    await page.evaluate(() => {
      history.back()
      setTimeout(() => history.back(), 50)
    })
    await page.find({ role: 'dialog', name: 'Leave without saving?' })
    await page.waitFor(() => page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 150, true))), 'a moment')
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
    await page.devTools('Network.emulateNetworkConditions', slowLine)
    await page.press('Ctrl+S')
    await page.evaluate(() => (location.hash = '#/topics?q=ropes'))
    await page.find({ role: 'row', name: /^Ropes and knots/ })
    assert.equal(await openDialogs(), 0)
    await page.emulate({ offline: false })
  })

  it('leaves who works with the keyboard in the rows after a bulk change and its undoing', async () => {
    await makeTopic('Buoys')
    await page.open('/#/topics?q=buoys')
    await page.click({ role: 'checkbox', name: 'Select Buoys' })
    const archive = await page.find({
      ...button('Archive'),
      within: await page.find({ role: 'group', name: 'Selection' }),
    })
    await page.inspect(archive, (element) => element.focus())
    await page.press('Enter')
    await page.waitFor(async () => (await notices()).includes('1 topic archived'), 'the notice')
    await focusIsIn('.row')
    await page.inspect(button('Undo'), (element) => element.focus())
    await page.press('Enter')
    await page.waitFor(async () => (await notices()).includes('1 topic restored'), 'the second notice')
    await focusIsIn('.row')
  })

  it('leaves who works with the keyboard near the filters that are taken away', async () => {
    const remove = button(/^Remove filter/)
    await page.open('/#/topics?status=draft&createdAt=month&updatedAt=month')
    await page.inspect(button(/^Remove filter Updated/), (element) => element.focus())
    await page.press('Enter')
    await page.gone(button(/^Remove filter Updated/))
    await focusIsIn('.chip')
    await page.press('Enter')
    await page.gone(remove)
    await focusIsIn('[type=search]')
    await page.open('/#/topics?q=nowhere')
    await page.inspect(button('Clear all'), (element) => element.focus())
    await page.press('Enter')
    await page.gone(button('Clear all'))
    await focusIsIn('[type=search]')
  })

  it('shows what an undo in another place has changed', async () => {
    await makeTopic('Sails')
    await page.open('/#/topics?q=sails')
    await page.click({ role: 'checkbox', name: 'Select Sails' })
    await page.click({ ...button('Archive'), within: await page.find({ role: 'group', name: 'Selection' }) })
    await page.find({ role: 'row', name: /Archived/ })
    await page.find(button('Undo'))
    await holdNotices(page)
    await page.open('/#/')
    await page.find({ role: 'heading', name: 'Overview' })
    await page.open('/#/topics?q=sails')
    await page.find({ role: 'row', name: /Archived/ })
    await page.click(button('Undo'))
    await page.find({ role: 'row', name: /Published/ })
  })

  it('tells in its own words that a part of the page cannot be fetched, and goes on where it was', async () => {
    await page.reload()
    // The list that is left must not be what cannot be fetched.
    await page.find({ role: 'row', name: /^Sails/ })
    await page.loaded()
    await page.emulate({ offline: true })
    await page.open('/#/operations')
    await page.find(button('Try again'))
    const words = await page.text({ role: 'main' })
    assert.match(words, /You are offline/)
    assert.doesNotMatch(words, /module|http/)
    await page.emulate({ offline: false })
    // Chromium's tab can crash where it is asked for accessible nodes while it reloads.
    await page.waitFor(
      () => page.evaluate(() => document.querySelector('h1')?.textContent === 'Operations'),
      'the screen that was wanted',
    )
  })

  it('reads the overview by itself as soon as the device is online again', async () => {
    await page.open('/#/topics')
    await page.find({ role: 'heading', name: 'Topics' })
    await page.emulate({ offline: true })
    await page.open('/#/')
    await page.find(button('Try again'))
    await page.emulate({ offline: false })
    await page.find({ role: 'heading', name: 'Recently updated' })
  })

  it('leaves who tries again by keyboard where they were', async () => {
    await page.open('/#/topics')
    await page.find({ role: 'heading', name: 'Topics' })
    await page.emulate({ offline: true })
    await page.open('/#/')
    await page.inspect(button('Try again'), (element) => element.focus())
    await page.press('Enter')
    await page.find(button('Try again'))
    await focusIsIn('main')
    await page.emulate({ offline: false })
    await page.find({ role: 'heading', name: 'Recently updated' })
  })

  it('ends a session once, however often its button is clicked', async () => {
    const { id } = await service.signIn('diver@example.org')
    await page.open(`/#/users/${id}`)
    await page.inspect(button(/^End /), (element) => {
      element.focus()
      element.click()
      element.click()
    })
    await page.reads(/No active sessions/, { role: 'main' })
    assert.doesNotMatch(await notices(), /has no session/)
    await focusIsIn('.sessions')
  })
})
