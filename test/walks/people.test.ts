/** People by their names: what they are called, and who is told that another person edits the same. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { expectAccessible } from '../support/browser/accessibility.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, startDashboard } from '../support/browser/dashboard.ts'

const dashboard = await startDashboard()
const { cast, store, service } = dashboard

describe('people', { skip: browserMissing() }, () => {
  let [ana, chief] = [undefined, undefined] as unknown as [Page, Page]
  let id = ''
  before(async () => {
    id = await store('headline', { title: 'Fog over the bay' })
    ana = await dashboard.openAs(cast.publisher, '#/')
    await ana.click(button(/^Account/))
    await ana.click(button('Set your name'))
    chief = await dashboard.openAs(cast.admin, '#/')
  })

  // Attack: a name with markup, in every place that shows it.
  it('are called what they say in their account, at once and as text', async () => {
    const name = 'Ana <img src=x onerror="window.hacked=1">'
    await ana.fill({ role: 'textbox', name: 'Display name' }, 'x'.repeat(81))
    await ana.click(button('Save name'))
    await ana.reads(/at most 80 characters/i)
    await ana.fill({ role: 'textbox', name: 'Display name' }, name)
    await ana.click(button('Save name'))
    await ana.waitFor(() => ana.evaluate((wanted) => document.querySelector('.account-menu bdi')?.textContent === wanted, name), 'the name in the menu')
    await expectAccessible(ana)
    await service.data('PATCH', `/${id}`, { model: 'headline' }, { token: cast.publisher.token, body: { excerpt: 'Thick' } })
    await chief.open(`/#/headlines/${id}?view=history`)
    await chief.reads(/Changed by Ana <img/, { role: 'main' })
    assert.equal(await chief.evaluate(() => 'hacked' in window), false)
    await ana.fill({ role: 'textbox', name: 'Display name' }, 'Ana Lima')
    await ana.click(button('Save name'))
    await ana.reads(/Saved/)
    await ana.expectNoProblems([{ status: 400 }])
  })

  it('are told to others who edit the same document, for as long as they do', async () => {
    await chief.open('/#/')
    await chief.reload()
    await chief.open(`/#/headlines/${id}`)
    await chief.find({ role: 'textbox', name: 'Title' })
    await ana.open(`/#/headlines/${id}`)
    await chief.find({ role: 'StaticText', name: 'Ana Lima is editing this too' })
    await expectAccessible(chief)
    // The administrator has no name, and publishers see no e-mail addresses.
    await ana.find({ role: 'StaticText', name: 'Administrator is editing this too' })
    const tab = await ana.newTab()
    await tab.open(`/#/headlines/${id}`)
    await tab.find({ role: 'StaticText', name: 'Administrator is editing this too' })
    await ana.open('/#/headlines')
    await chief.find({ role: 'StaticText', name: 'Ana Lima is editing this too' })
    await tab.close()
    await chief.gone({ role: 'StaticText', name: 'Ana Lima is editing this too' })
    await chief.expectNoProblems()
    await ana.expectNoProblems()
  })

  it('are named when they change what a publisher has open', async () => {
    await service.data('PATCH', `/${cast.admin.id}`, { model: 'user' }, { token: cast.admin.token, body: { displayName: 'Ben Okafor' } })
    await ana.reload()
    await ana.open(`/#/headlines/${id}`)
    await ana.fill({ role: 'textbox', name: 'Excerpt' }, 'Thin')
    await service.data('PATCH', `/${id}`, { model: 'headline' }, { token: cast.admin.token, body: { title: 'Fog everywhere' } })
    await ana.reads(/Changed just now by Ben Okafor/)
    await ana.expectNoProblems()
  })
})
