/** Users: finding them, their roles, where they are signed in, inviting and deleting; for administrators only. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { isNarrowed, readUserSearch, userFilter, userSearchQuery } from '../../src/dashboard/screens/users/user-query.ts'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { button, link, startDashboard } from '../support/browser/dashboard.ts'
import { newPerson, type Person } from '../support/cast.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard

describe('what the list of users is narrowed to', () => {
  for (const [address, filter, isMore] of [
    ['', { appRole: { $ne: 'guestUser' } }, false],
    ['q=+ann%40+', { q: 'ann@', appRole: { $ne: 'guestUser' } }, true],
    ['app=guestUser', { appRole: 'guestUser' }, true],
    ['app=premiumUser&dashboard=admin', { appRole: 'premiumUser', dashboardRole: 'admin' }, true],
    ['app=emperor&dashboard=%3Cb%3E&other=1', { appRole: { $ne: 'guestUser' } }, false],
  ] as const) {
    it(`comes from the address ?${address} and goes back to it`, () => {
      const search = readUserSearch(new URLSearchParams(address))
      assert.deepEqual(userFilter(search), filter)
      assert.equal(isNarrowed(search), isMore)
      assert.deepEqual(readUserSearch(userSearchQuery(search)), search)
    })
  }
})

const text = (name: string | RegExp) => ({ role: 'StaticText', name }) as const

async function hashOf(page: Page): Promise<string> {
  return new URL(await page.url()).hash
}

describe('the screen of users', { skip: browserMissing() }, () => {
  let page: Page
  before(async () => {
    page = await dashboard.openAs(cast.admin, '#/users')
  })

  it('lists everybody but guests, finds by address and filters by role, all of it in the address', async () => {
    await page.find({ role: 'heading', name: 'Users' })
    await page.find(link(cast.standard.email))
    assert.deepEqual(await page.findAll({ role: 'link', name: /^Guest / }), [])
    const total = await page.evaluate(() => document.querySelector('.total')?.textContent ?? '')
    assert.match(total, /^[1-9]\d*$/)
    await page.type({ role: 'searchbox', name: 'Search by e-mail' }, 'premium')
    await page.gone(link(cast.standard.email))
    await page.find(link(cast.premium.email))
    assert.equal(await hashOf(page), '#/users?q=premium')
    await page.fill({ role: 'searchbox', name: 'Search by e-mail' }, '')
    await page.select({ role: 'combobox', name: 'Dashboard' }, 'Publisher')
    await page.gone(link(cast.premium.email))
    await page.find(link(cast.publisher.email))
    await page.reload()
    await page.find(link(cast.publisher.email))
    assert.equal(await hashOf(page), '#/users?dashboard=publisher')
    await page.select({ role: 'combobox', name: 'App' }, 'Guest')
    await page.click(button('Clear all'))
    await page.select({ role: 'combobox', name: 'App' }, 'Guest')
    await page.find(link(`Guest ${cast.guest.id.slice(-6)}`))
    await page.expectNoProblems()
  })

  it('adds a user, says that an e-mail is taken, and shows what was typed as text', async () => {
    await page.open('/#/users')
    await page.click(button('Add user'))
    await page.fill({ role: 'textbox', name: 'E-mail address' }, ` ${cast.publisher.email.toUpperCase()} `)
    await page.press('Enter')
    await page.click(link('Open account'))
    await page.find({ role: 'heading', name: cast.publisher.email })
    await page.open('/#/users')
    await page.click(button('Add user'))
    await page.type({ role: 'textbox', name: 'E-mail address' }, '&{count}|other=`@example.org')
    await page.select({ role: 'combobox', name: 'Dashboard' }, 'None – no dashboard access')
    await page.press('Tab', 'Tab', 'Enter')
    await page.find({ role: 'heading', name: '&{count}|other=`@example.org' })
    await page.expectNoProblems([{ status: 409, url: '/data' }])
  })

  it('invites by mail in a language, tells what became of it, and the link opens the sign-in with the address', async () => {
    const set = (invitationUrl: string | null) =>
      service.call('PATCH', '/api/v1/admin/settings', { token: cast.admin.token, body: { invitationUrl } })
    await page.open('/#/users')
    await page.click(button('Add user'))
    await page.find(link('To invite by mail, set the address for invitations in the settings.'))
    assert.equal((await set(`${new URL(await page.url()).origin}/`)).status, 200)
    await page.open('/#/users?q=')
    await page.click(button('Add user'))
    await page.type({ role: 'textbox', name: 'E-mail address' }, 'desk@example.org')
    await page.select({ role: 'combobox', name: 'Language of the mail' }, 'Deutsch')
    await page.press('Tab', 'Tab', 'Enter')
    await page.find({ role: 'heading', name: 'desk@example.org' })
    await page.find({ role: 'heading', name: 'Invitation' })
    const [mail = ''] = await service.mails('desk@example.org')
    assert.match(mail, /Content-Language: de/)
    const showForm = (): Promise<void> => page.evaluate(() => document.querySelector('.invitation-again')?.scrollIntoView({ block: 'center' }))
    await showForm()
    await page.click(button('Send again'))
    await page.find({ role: 'StaticText', name: 'The invitation is on its way' })
    const found = /#\/\?email(?:=3D|=)([^\s"<]+)/.exec(mail.replaceAll('=\r\n', '').replaceAll('=\n', ''))?.[1]
    assert.equal(found, 'desk%40example.org')
    const theirs = await dashboard.open(`#/?email=${found}`)
    await theirs.find({ role: 'textbox', name: 'E-mail address' })
    assert.equal(await theirs.evaluate(() => document.querySelector<HTMLInputElement>('#sign-in-email')?.value), 'desk@example.org')
    assert.equal(await hashOf(theirs), '#/')
    await set(null)
    await page.expectNoProblems()
  })

  it('changes roles, and overwrites nothing that another user changed meanwhile', async () => {
    const person = await newPerson(service, 'standard', cast.admin.token)
    await page.open(`/#/users/${person.id}`)
    await page.find({ role: 'heading', name: person.email })
    await page.select({ role: 'combobox', name: 'Dashboard' }, 'Publisher – writes headlines')
    const body = { ...(await dashboard.read('user', person.id)), appRole: 'premiumUser' }
    await service.data('PUT', `/${person.id}`, { model: 'user' }, { token: cast.admin.token, body })
    await page.press('Ctrl+S')
    await page.find({
      role: 'StaticText',
      name: /^Someone else changed this account: Premium, None/,
    })
    assert.equal((await dashboard.read('user', person.id))['dashboardRole'], 'none')
    await page.select({ role: 'combobox', name: 'App' }, 'Premium – higher limits')
    await page.click(button('Save'))
    await page.find({ role: 'StaticText', name: 'Saved' })
    const { appRole, dashboardRole } = await dashboard.read('user', person.id)
    assert.deepEqual([appRole, dashboardRole], ['premiumUser', 'publisher'])
    await page.expectNoProblems([{ status: 412, url: '/data/' }])
  })

  it('warns an administrator who gives up the own role, and keeps the last administrator', async () => {
    await page.open(`/#/users/${cast.admin.id}`)
    const own = { role: 'combobox', name: 'Dashboard' } as const
    await page.select(own, 'Publisher – writes headlines')
    await page.find({ role: 'StaticText', name: /^This is your own account/ })
    await page.click(button('Save'))
    await page.click(button('Give up my role'))
    const refused = { role: 'StaticText', name: /^This is the last administrator/ } as const
    await page.find(refused)
    await page.click(button('Delete account'))
    const confirm = await page.find({ role: 'textbox', name: `Type ${cast.admin.email} to confirm` })
    await page.type(confirm, cast.admin.email)
    await page.press('Enter')
    // At the roles, and at the button.
    await page.waitFor(async () => (await page.findAll(refused)).length === 2, 'the other refusal')
    await page.expectNoProblems([{ status: 403, url: '/data/' }])
    await page.open('/#/')
    await page.click(button('Leave'))
    await page.find({ role: 'heading', name: 'Overview' })

    const other = await newPerson(service, 'admin', cast.admin.token)
    const theirs = await dashboard.openAs(other, `#/users/${other.id}`)
    await theirs.select(own, 'Publisher – writes headlines')
    await theirs.click(button('Save'))
    await theirs.click(button('Give up my role'))
    await theirs.gone(link('Users'))
    await theirs.find({ role: 'heading', name: 'Overview' })
    await theirs.expectNoProblems()
  })

  it('deletes only after the address was typed', async () => {
    const person = await newPerson(service, 'standard', cast.admin.token)
    await page.open(`/#/users/${person.id}`)
    await page.click(button('Delete account'))
    const confirm = { role: 'textbox', name: `Type ${person.email} to confirm` }
    await page.type(confirm, person.email.slice(1))
    await page.press('Enter')
    assert.equal((await page.find(button('Delete'))).states['disabled'], true)
    await page.fill(confirm, person.email)
    await page.press('Enter')
    await page.find({ role: 'heading', name: 'Users' })
    await page.gone(link(person.email))
    assert.equal(await dashboard.read('user', person.id), undefined)
    await page.expectNoProblems()
  })
})

describe('the screen of the own sessions', { skip: browserMissing() }, () => {
  const elsewhere = (person: Person, label: string): Promise<string> =>
    service.app.services.sessions.issue(person.id, { label, now: service.now() })
  const statusOf = async (token: string): Promise<number> =>
    (await service.call('GET', '/api/v1/auth/me', { token })).status

  it('ends all others at once, and stays', async () => {
    const person = await newPerson(service, 'admin', cast.admin.token)
    const others = [await elsewhere(person, 'curl/8.5.0'), await elsewhere(person, '<img src=x>\u202e&amp;')]
    const page = await dashboard.openAs(person, '#/sessions')
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
    const page = await dashboard.openAs(person, '#/sessions')
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
})
