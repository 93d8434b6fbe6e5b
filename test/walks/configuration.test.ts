/** The configuration of the apps: edited, compared, warned about, saved. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'
import { remoteConfig } from '../../src/models/remote-config.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard

type Stored = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const stored = async (): Promise<Stored> => (await dashboard.read('remote_config', remoteConfig.singleton ?? '')) as Stored

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
    await page.expectNoProblems()
  })

  it('shows what changes and which readers it locks out before it is saved', async () => {
    await page.click(box('Maintenance mode'))
    await page.fill(number('Followed: Guest'), '0')
    await page.find(words(/^Maintenance mode closes the app/))
    await page.press('Ctrl+S')
    const dialog = await page.find({ role: 'dialog', name: 'Save these changes?' })
    const said = await page.text(dialog)
    assert.match(said, /Reader limits › Followed: Guest\s+5\s+0/)
    assert.match(said, /App status › Maintenance mode\s+no\s+yes/)
    assert.match(said, /Maintenance mode closes the app/)
    assert.equal((await stored())['appStatus']?.['isUnderMaintenance'], false)
    await page.click({ ...button('Save'), within: dialog })
    await page.find(words('Saved'))
    const now = await stored()
    assert.equal(now['appStatus']?.['isUnderMaintenance'], true)
    assert.equal(now['userPreferenceConfig']?.['guestFollowedItemsLimit'], 0)
    await page.expectNoProblems()
  })

  it('puts two people’s changes together, and shows those of the other', async () => {
    await page.fill(number('Saved filters: Guest'), '4')
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
    // Behind an open dialog, the page has no headings for a reader.
    await page.gone({ role: 'dialog', name: 'Save these changes?' })
    await page.gone({ role: 'heading', name: 'Someone else saved changes' })
    const { guestSavedFiltersLimit, premiumSavedFiltersLimit } = (await stored())['userPreferenceConfig'] ?? {}
    assert.deepEqual([guestSavedFiltersLimit, premiumSavedFiltersLimit], [4, 50])
    await page.expectNoProblems([{ status: 412, url: '/data/' }])
  })

  it('shows all as JSON, and asks before changes are lost', async () => {
    await page.click(box('Maintenance mode'))
    await page.click(button('JSON'))
    await page.reads(/"isUnderMaintenance": false/, { role: 'main' })
    await page.click({ role: 'link', name: 'Overview' })
    await page.click(button('Leave'))
    await page.find({ role: 'heading', name: 'Overview' })
    await page.expectNoProblems()
  })
})
