/**
 * A first day at the dashboard, by keyboard alone: signing in with a code from the mail, making a topic, a source and a
 * headline out of nothing, finding it again, changing it, archiving it and taking that back, inviting a colleague, and
 * signing out. The colleague signs in and sees what publishers may do.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { holdNotices, startDashboard } from '../support/browser/dashboard.ts'

/** More stops than any screen of this walk has. */
const STOPS_MAX = 120

const dashboard = await startDashboard()
const { service, cast } = dashboard
const COLLEAGUE = 'colleague@example.org'

async function newestCode(email: string): Promise<string> {
  const code = /\b\d{6}\b/.exec((await service.mails(email)).at(-1) ?? '')?.[0]
  assert.ok(code, `no code in the mail to ${email}`)
  return code
}

const write = (page: Page, text: string): Promise<void> => page.press(...text)

/** Goes on with Tab until the element has the focus. */
async function reach(page: Page, role: string, name: string | RegExp): Promise<void> {
  const seen: string[] = []
  for (let i = 0; i < STOPS_MAX; i++) {
    const at = await page.focused()
    if (at?.role === role && (typeof name === 'string' ? at.name === name : name.test(at.name))) return
    seen.push(`${at?.role} "${at?.name}"`)
    await page.press('Tab')
  }
  assert.fail(`Tab does not lead to ${role} ${name}: ${seen.join(', ')}`)
}

async function follow(page: Page, role: string, name: string | RegExp): Promise<void> {
  await reach(page, role, name)
  await page.press('Enter')
}

async function fillIn(page: Page, name: string, text: string): Promise<void> {
  await reach(page, 'textbox', name)
  await write(page, text)
}

async function pick(page: Page, name: string, text: string): Promise<void> {
  await reach(page, 'combobox', name)
  await write(page, text)
  await page.find({ role: 'option', name: new RegExp(`^${text}`) })
  await page.press('Enter')
}

async function signIn(page: Page, email: string): Promise<void> {
  await fillIn(page, 'E-mail address', email)
  await page.press('Enter')
  await page.find({ role: 'textbox', name: 'Six-digit code' })
  await write(page, await newestCode(email))
  await page.find({ role: 'heading', name: 'Overview' })
}

/** Waits until the list of a screen is there, or said to be empty. */
async function filled(page: Page): Promise<void> {
  const isFilled = (): Promise<boolean> =>
    page.evaluate(
      () =>
        document.querySelector('main .skeleton, main [aria-busy]') === null &&
        document.querySelector('main [role=grid], main .state') !== null,
    )
  await page.waitFor(isFilled, 'the list to be filled')
}

/** Opens a screen by the navigation. */
async function visit(page: Page, title: string): Promise<void> {
  await follow(page, 'link', title)
  await page.find({ role: 'heading', name: title })
}

async function begin(page: Page, title: string): Promise<void> {
  await visit(page, title)
  await filled(page)
  await follow(page, 'link', 'New')
}

describe('a day at the dashboard, by keyboard alone', { skip: browserMissing() }, () => {
  it('begins with a code and ends with signing out', async () => {
    const page = await dashboard.open()
    await signIn(page, cast.admin.email)

    await begin(page, 'Topics')
    await fillIn(page, 'Name', 'Lighthouses')
    await fillIn(page, 'Description', 'Lamps and keepers.')
    await follow(page, 'button', 'Publish')
    await page.find({ role: 'heading', name: 'Lighthouses' })

    await begin(page, 'Sources')
    await fillIn(page, 'Name', 'The Lamp')
    await fillIn(page, 'Description', 'A paper of the coast.')
    await fillIn(page, 'Link', 'https://lamp.example')
    await pick(page, 'Language', 'Icelandic')
    await pick(page, 'Headquarters', 'Iceland')
    await follow(page, 'button', 'Publish')
    await page.find({ role: 'heading', name: 'The Lamp' })

    await begin(page, 'Headlines')
    await fillIn(page, 'Title', 'Old light burns again')
    await fillIn(page, 'Excerpt', 'After forty years.')
    await fillIn(page, 'Link', 'https://lamp.example/1')
    await pick(page, 'Source', 'The Lamp')
    await pick(page, 'Country', 'Iceland')
    await pick(page, 'Topic', 'Lighthouses')
    await follow(page, 'button', 'Publish')
    await page.find({ role: 'heading', name: 'Old light burns again' })

    await visit(page, 'Headlines')
    await page.press('/')
    await write(page, 'old light')
    await page.find({ role: 'row', name: /Old light burns again/ })
    await filled(page)
    await reach(page, 'row', /Old light burns again/)
    await page.press('Enter')
    await fillIn(page, 'Title', ', at last')
    await page.press('Ctrl+S')
    const title = async (): Promise<unknown> =>
      (await service.data('GET', '', { model: 'headline', limit: 1 }, { token: cast.admin.token })).at('data.items[0]')
    await page.waitFor(async () => JSON.stringify(await title()).includes('at last'), 'the headline to be saved')

    await visit(page, 'Headlines')
    await page.find({ role: 'row', name: /at last/ })
    await filled(page)
    await reach(page, 'row', /at last/)
    await page.press('Space')
    await follow(page, 'button', 'Archive')
    await page.find({ role: 'row', name: /Archived/ })
    await page.find({ role: 'button', name: 'Undo' })
    await holdNotices(page)
    await follow(page, 'button', 'Undo')
    await page.find({ role: 'row', name: /Published/ })

    await visit(page, 'Users')
    await filled(page)
    await follow(page, 'button', /^Add user/)
    await fillIn(page, 'E-mail address', COLLEAGUE)
    await reach(page, 'combobox', 'Dashboard')
    await write(page, 'Publisher')
    await page.press('Enter')
    await follow(page, 'button', /^Add user/)
    await page.find({ role: 'heading', name: COLLEAGUE })

    await follow(page, 'button', /^Account/)
    await follow(page, 'button', 'Sign out')
    await page.find({ role: 'textbox', name: 'E-mail address' })
    await page.expectNoProblems()
  })

  it('and a colleague who was invited writes headlines, sees feeds, and nothing else', async () => {
    const page = await dashboard.open()
    await signIn(page, COLLEAGUE)
    const links = await page.findAll({ role: 'link', within: await page.find({ role: 'navigation', name: 'Main' }) })
    assert.deepEqual(links.map(({ name }) => name), ['Overview', 'Headlines', 'Feeds', 'Trash', 'Scheduled', 'API reference'])
    for (const hash of ['#/users', '#/configuration', '#/operations?part=outbox']) {
      await page.open(`/${hash}`)
      await page.find({ role: 'heading', name: 'Page not found' })
    }
    const asked = (await page.requests()).filter(({ url }) => /model=(?:user|remote_config)\b|\/admin\//.test(url))
    assert.deepEqual(asked.map(({ url }) => url), [])
    await begin(page, 'Headlines')
    await fillIn(page, 'Title', 'Fog over the bay')
    await pick(page, 'Source', 'The Lamp')
    await pick(page, 'Country', 'Iceland')
    await pick(page, 'Topic', 'Lighthouses')
    await page.press('Ctrl+S')
    await page.find({ role: 'heading', name: 'Fog over the bay' })
    await page.expectNoProblems()
  })
})
