/** Interrupted work: another language, leaving at once, Back, a closed window, a lost connection; and the marks of pending requests. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, holdNotices, startDashboard } from '../support/browser/dashboard.ts'
import { bodyOf } from '../../scripts/tools/data-bodies.ts'

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
    const rests = await page.inspect(button('Undo'), (element) => {
      element.focus()
      // From here on, the time of a notice is over at once.
      const rest = setTimeout
      let rests = 0
      window.setTimeout = ((run: () => void, ms: number) => rest(run, ms === 6_000 ? 0 * ++rests : ms)) as typeof setTimeout
      const notice = element.closest('.notice')
      notice?.dispatchEvent(new MouseEvent('mouseenter'))
      notice?.dispatchEvent(new MouseEvent('mouseleave'))
      return rests
    })
    assert.equal(rests, 0, 'its time does not run')
    assert.match(await notices(), /Oars/)
    await page.inspect(button('Undo'), (element) => element.blur())
    await page.gone(button('Undo'))
    await page.reload()
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

  it('tells in its own words that a part of the page cannot be fetched, and goes on where it was', async () => {
    await page.reload()
    // The list that is left must not be what cannot be fetched.
    await page.find({ role: 'row', name: /^Buoys/ })
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

  it('leaves who tries again by keyboard where they were, and reads the overview as soon as the device is online again', async () => {
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
})

/** Holds the requests of an address back. */
const hold = (page: Page, urlPattern: string) => page.devTools('Fetch.enable', { patterns: [{ urlPattern }] })
const letGo = (page: Page) => page.devTools('Fetch.disable', {})

/** The elements that are busy, and the words that are read out there. */
const busy = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('[aria-busy="true"]')].map((one) => [one.localName, [...one.querySelectorAll('[role=status]')].map(({ textContent }) => textContent).join()]))

describe('what is on its way', { skip: browserMissing() }, () => {
  it('is marked from the first paint, until the session is known', async () => {
    const page = await dashboard.openAs(cast.publisher, '#/')
    await hold(page, '*/api/v1/auth/me*')
    await page.open('/?first#/')
    assert.deepEqual(await busy(page), [['main', '']])
    await page.reads(/^\s*Dateline\s*$/)
    await letGo(page)
    await page.find({ role: 'heading', name: 'Overview' })
    await page.loaded()
    await page.expectNoProblems()
  })

  it('is marked where a screen is fetched, and where it reads', async () => {
    const stored = await service.data('POST', '', { model: 'headline' }, { token: cast.publisher.token, body: { ...bodyOf('headline'), title: 'Slow boat' } })
    const id = String(stored.at('data.id'))
    const page = await dashboard.openAs(cast.publisher, '#/')
    await hold(page, '*/document-editor-*')
    await page.open(`/#/headlines/${id}`)
    assert.deepEqual(await busy(page), [['main', 'Loading']])
    await letGo(page)
    await page.find({ role: 'heading', name: 'Slow boat' })
    await page.loaded()
    await page.problems()
    await hold(page, `*/api/v1/data/${id}*`)
    await page.open(`/?again#/headlines/${id}`)
    await page.find({ role: 'heading', name: 'Headline' })
    assert.deepEqual(await busy(page), [['div', 'Loading']])
    await expectAccessible(page, { keyboard: false })
    await letGo(page)
    await page.find({ role: 'heading', name: 'Slow boat' })
    assert.deepEqual(await busy(page), [])
    await page.expectNoProblems()
  })
})
