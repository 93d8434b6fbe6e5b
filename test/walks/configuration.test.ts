/** The configuration of the apps: edited, compared, warned about, saved; by administrators only. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'
import { sidewaysPixels } from '../support/browser/room.ts'
import { remoteConfig } from '../../src/models/remote-config.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard

type Stored = Readonly<Record<string, Readonly<Record<string, unknown>>>>

async function stored(): Promise<Stored> {
  const query = { model: 'remote_config' }
  const response = await service.data('GET', `/${remoteConfig.singleton}`, query, { token: cast.admin.token })
  return response.at('data') as Stored
}

/** Another administrator saves. */
async function saveElsewhere(section: string, changes: Readonly<Record<string, unknown>>): Promise<void> {
  const now = await stored()
  const body = { ...now, [section]: { ...now[section], ...changes } }
  const query = { model: 'remote_config' }
  const response = await service.data('PUT', `/${remoteConfig.singleton}`, query, { token: cast.admin.token, body })
  assert.equal(response.status, 200, response.text)
}

const number = (name: string) => ({ role: 'spinbutton', name }) as const
const box = (name: string) => ({ role: 'checkbox', name }) as const
const words = (name: string | RegExp) => ({ role: 'StaticText', name }) as const

describe('the screen of the configuration', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.admin, '#/configuration')
    await page.find({ role: 'heading', name: 'App configuration' })
  })

  it('shows limits and cards as tables, each value with a name and what it does', async () => {
    assert.equal((await page.find(number('Saved filters: Guest'))).value, '3')
    assert.match((await page.find(box('Maintenance mode'))).description, /^Closes the app for all readers/)
    assert.equal((await page.find(button('Save'))).states['disabled'], true)
    await expectAccessible(page, { stopsMax: 60 })
    await page.expectNoProblems()
  })

  it('shows what changes and which readers it locks out before it is saved', async () => {
    await page.click(box('Maintenance mode'))
    await page.fill(number('Followed: Guest'), '0')
    await page.find(words(/^Maintenance mode closes the app/))
    await page.find(words(/^Followed: Guest is 0: these readers/))
    await page.press('Ctrl+S')
    const dialog = await page.find({ role: 'dialog', name: 'Save these changes?' })
    const said = await page.text(dialog)
    assert.match(said, /Reader limits › Followed: Guest\s+5\s+0/)
    assert.match(said, /App status › Maintenance mode\s+no\s+yes/)
    assert.match(said, /Maintenance mode closes the app/)
    await expectAccessible(page, { themes: ['light'], stopsMax: 20 })
    await page.click({ ...button('Cancel'), within: dialog })
    assert.equal((await stored())['appStatus']?.['isUnderMaintenance'], false)
    await page.press('Ctrl+S')
    await page.click({ ...button('Save'), within: await page.find({ role: 'dialog', name: 'Save these changes?' }) })
    await page.find(words('Saved'))
    const now = await stored()
    assert.equal(now['appStatus']?.['isUnderMaintenance'], true)
    assert.equal(now['userPreferenceConfig']?.['guestFollowedItemsLimit'], 0)
    assert.equal((await page.find(button('Save'))).states['disabled'], true)
    await page.expectNoProblems()
  })

  it('shows what the server refuses at its field', async () => {
    await page.fill(number('Saved filters: Guest'), '')
    await page.click(button('Save'))
    await page.find(words('Enter a whole number, 0 or more'))
    const field = await page.focused()
    assert.equal(field?.name, 'Saved filters: Guest')
    await page.fill(number('Saved filters: Guest'), '4')
    await page.gone(words('Enter a whole number, 0 or more'))
    await page.expectNoProblems()
  })

  it('puts two people’s changes together, and shows those of the other', async () => {
    await saveElsewhere('userPreferenceConfig', { guestSavedFiltersLimit: 9, premiumSavedFiltersLimit: 50 })
    await page.click(button('Save'))
    await page.click({ ...button('Save'), within: await page.find({ role: 'dialog', name: 'Save these changes?' }) })
    await page.find({ role: 'heading', name: 'Someone else saved changes' })
    assert.equal((await page.find(number('Saved filters: Guest'))).value, '4')
    assert.equal((await page.find(number('Saved filters: Premium'))).value, '50')
    assert.equal((await stored())['userPreferenceConfig']?.['guestSavedFiltersLimit'], 9)
    await page.click(button('Save'))
    const dialog = await page.find({ role: 'dialog', name: 'Save these changes?' })
    await page.reads(/Saved filters: Guest\s+9\s+4/, dialog)
    await page.click({ ...button('Save'), within: dialog })
    await page.gone({ role: 'heading', name: 'Someone else saved changes' })
    const { guestSavedFiltersLimit, premiumSavedFiltersLimit } = (await stored())['userPreferenceConfig'] ?? {}
    assert.deepEqual([guestSavedFiltersLimit, premiumSavedFiltersLimit], [4, 50])
    await page.expectNoProblems([{ status: 412, url: '/data/' }])
  })

  it('asks before changes are lost, and shows all as JSON at an address of its own', async () => {
    await page.click(box('Maintenance mode'))
    await page.click({ role: 'link', name: 'Overview' })
    await page.click(button('Cancel'))
    await page.click(button('JSON'))
    assert.equal(new URL(await page.url()).hash, '#/configuration?view=json')
    await page.reads(/"isUnderMaintenance": false/, { role: 'main' })
    await page.click({ role: 'link', name: 'Overview' })
    await page.click(button('Leave'))
    await page.find({ role: 'heading', name: 'Overview' })
    assert.equal((await stored())['appStatus']?.['isUnderMaintenance'], true)
    await page.expectNoProblems()
  })

  it('stays within 360 pixels from right to left, and is nothing for publishers', async () => {
    await page.resize({ width: 360, height: 740 })
    await page.select({ role: 'combobox', name: 'Language' }, 'العربية')
    await page.open('/#/configuration')
    await page.find({ role: 'spinbutton', name: 'المرشّحات المحفوظة: ضيف' })
    assert.equal(await sidewaysPixels(page), 0)
    await page.expectNoProblems()
    await page.open('/robots.txt')
    await page.evaluate((kept) => sessionStorage.setItem('dateline.token', kept), cast.publisher.token)
    await page.open('/#/configuration')
    await page.find({ role: 'heading', name: 'الصفحة غير موجودة' })
    assert.deepEqual(await page.findAll({ role: 'link', name: 'إعدادات التطبيق' }), [])
    await page.expectNoProblems()
  })
})
