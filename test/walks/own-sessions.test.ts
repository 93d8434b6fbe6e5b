/** Where the reader is signed in: from the menu of the account, for everybody who may open the dashboard. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { sidewaysPixels } from '../support/browser/room.ts'
import { newPerson, type Person } from '../support/cast.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const button = (name: string | RegExp) => ({ role: 'button', name }) as const
const text = (name: string | RegExp) => ({ role: 'StaticText', name }) as const

describe('the screen of the own sessions', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.open()
  })

  const signIn = async (person: Person, hash: string): Promise<void> => {
    await page.open('/robots.txt')
    await page.evaluate((kept) => sessionStorage.setItem('dateline.token', kept), person.token)
    await page.open(`/${hash}`)
  }
  const elsewhere = (person: Person, label: string): Promise<string> =>
    service.app.services.sessions.issue(person.id, { label, now: service.now() })
  const statusOf = async (token: string): Promise<number> =>
    (await service.call('GET', '/api/v1/auth/me', { token })).status

  it('is opened from the menu of the account, and ends one session', async () => {
    const person = await newPerson(service, 'publisher', cast.admin.token)
    const other = await elsewhere(person, FIREFOX)
    await signIn(person, '#/')
    await page.click(button(`Account: ${person.email}`))
    await page.click(button('Your sessions'))
    await page.find({ role: 'heading', name: 'Your sessions' })
    await page.find(text('Current session'))
    await expectAccessible(page)
    await page.screenshot('own-sessions')
    await page.click(button('End Firefox on Windows'))
    await page.find(text('1 session ended'))
    await page.gone(button('End Firefox on Windows'))
    assert.deepEqual([await statusOf(other), await statusOf(person.token)], [401, 200])
    await page.expectNoProblems()
  })

  it('ends all others at once, and stays', async () => {
    const person = await newPerson(service, 'admin', cast.admin.token)
    const others = [await elsewhere(person, 'curl/8.5.0'), await elsewhere(person, '<img src=x>\u202e&amp;')]
    await signIn(person, '#/sessions')
    await page.find(button('End curl'))
    await page.find(button(/^End <img src=x> &amp;$/))
    await page.click(button('End all other sessions'))
    await page.find(text('2 sessions ended'))
    await page.gone(button('End all other sessions'))
    await page.find(text('Current session'))
    for (const token of others) assert.equal(await statusOf(token), 401)
    assert.equal(await statusOf(person.token), 200)
    await page.expectNoProblems()
  })

  it('ends the own one as signing out does, after a question', async () => {
    const person = await newPerson(service, 'publisher', cast.admin.token)
    await signIn(person, '#/sessions')
    await page.click(button('End a test'))
    await page.click(button('Cancel'))
    assert.equal(await statusOf(person.token), 200)
    await page.click(button('End a test'))
    await page.click(button('Sign out'))
    await page.find({ role: 'textbox', name: 'E-mail address' })
    assert.equal(await statusOf(person.token), 401)
    assert.equal(await page.evaluate(() => sessionStorage.getItem('dateline.token')), null)
    await page.expectNoProblems([{ status: 401, url: '/api/v1/' }])
  })

  it('stays within 360 pixels from right to left', async () => {
    const person = await newPerson(service, 'publisher', cast.admin.token)
    await elsewhere(person, FIREFOX)
    await page.resize({ width: 360, height: 740 })
    await signIn(person, '#/sessions')
    await page.find(button('End a test'))
    await page.select({ role: 'combobox', name: 'Language' }, 'العربية')
    await page.find({ role: 'heading', name: 'جلساتك' })
    await page.find(button(/^إنهاء .*Firefox.* على .*Windows/))
    assert.equal(await sidewaysPixels(page), 0)
    await page.screenshot('own-sessions-narrow-arabic', { whole: true })
    await page.expectNoProblems()
  })
})
