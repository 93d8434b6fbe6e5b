/** One session for all tabs of a browser: handed to tabs that are opened, ended with each of them, and to no other origin. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { browserMissing, type Page } from '../support/browser/browser.ts'
import { startDashboard } from '../support/browser/dashboard.ts'
import { textServers } from '../support/browser/text-server.ts'
import { newPerson, type Person } from '../support/cast.ts'
import { SYSTEM } from '../../src/store/actor.ts'

const dashboard = await startDashboard()
const { service, cast } = dashboard
const foreign = textServers({ after: (hook) => after(hook as () => unknown) })

const EMAIL = { role: 'textbox', name: 'E-mail address' } as const
const CODE = { role: 'textbox', name: 'Six-digit code' } as const
const KEEP = { role: 'checkbox', name: 'Keep me signed in' } as const
const OVERVIEW = { role: 'heading', name: 'Overview' } as const
const QUESTION = /Is this your own device\?/

const newPublisher = (): Promise<Person> => newPerson(service, 'publisher', cast.admin.token)
const tokens = (page: Page): Promise<readonly (string | null)[]> =>
  page.evaluate(() => [sessionStorage.getItem('dateline.token'), localStorage.getItem('dateline.token')])
const statusOf = async (token: string | null = ''): Promise<number> =>
  (await service.call('GET', '/api/v1/auth/me', { token: token ?? '' })).status

async function signIn(page: Page, email: string): Promise<void> {
  await page.fill(EMAIL, email)
  await page.press('Enter')
  await page.find(CODE)
  await page.paste(CODE, /\b\d{6}\b/.exec((await service.mails(email)).at(-1) ?? '')?.[0] ?? '')
}

async function signOut(page: Page, email: string): Promise<void> {
  await page.click({ role: 'button', name: `Account: ${email}` })
  await page.click({ role: 'button', name: 'Sign out' })
  await page.find(EMAIL)
}

async function opened(page: Page, path = '/'): Promise<Page> {
  const tab = await page.newTab()
  await tab.open(path)
  return tab
}

/** Sends messages to all tabs, from another one of the same origin. */
async function tell(page: Page, messages: readonly unknown[]): Promise<void> {
  const tab = await opened(page, '/robots.txt')
  await tab.evaluate(
    (name, all) => {
      const channel = new BroadcastChannel(name)
      for (const message of all) channel.postMessage(message)
    },
    `dateline.session ${service.url}`,
    messages,
  )
}

/** Waits for a page that reloads itself: Chromium's tab can crash where it is asked for accessible nodes while it loads. */
function comesUp(page: Page, selector: string): Promise<unknown> {
  return page.waitFor(
    () => page.evaluate((wanted) => document.querySelector(wanted) !== null, selector),
    `the page with ${selector}`,
  )
}

describe('the session of a browser', { skip: browserMissing() }, () => {
  it('is there in a tab that is opened, also in the reference, and is stored nowhere', async () => {
    const { token, email } = await newPublisher()
    const page = await dashboard.openAs({ ...cast.publisher, token }, '#/headlines')
    const tab = await opened(page, '/#/headlines')
    await tab.find({ role: 'heading', name: 'Headlines' })
    assert.deepEqual(await tokens(tab), [token, null])
    const docs = await opened(page, '/docs')
    await docs.reads(new RegExp(`Signed in as .*${email}`))
    const written = [...(await page.requests()).map(({ url }) => url), await tab.url(), ...service.logLines]
    assert.ok(written.length > 10 && !written.some((text) => text.includes(token)))
    await signOut(tab, email)
    await tab.reads(/You are signed out\./)
    await comesUp(page, '#sign-in-email')
    await docs.reads(/You are not signed in/)
    for (const one of [page, tab, docs]) await one.waitFor(async () => (await tokens(one)).join() === ',', 'no token')
    assert.equal(await statusOf(token), 401)
    // Another tab waits for a sign-in: it has it as soon as one of them does.
    await signIn(tab, email)
    await tab.find({ role: 'heading', name: 'Headlines' })
    await comesUp(page, '#main')
    await page.find({ role: 'heading', name: 'Headlines' })
    await page.waitFor(async () => String(await tokens(page)) === String(await tokens(tab)), 'the same token')
    await page.expectNoProblems([{ status: 401 }])
  })

  it('stays on a device that is the reader’s own, which is asked once', async () => {
    const { email } = await newPublisher()
    const page = await dashboard.open()
    assert.equal((await page.find(KEEP)).states['checked'], 'false')
    await signIn(page, email)
    await page.find(OVERVIEW)
    await page.reads(QUESTION)
    const [inTab, inBrowser] = await tokens(page)
    assert.deepEqual([await statusOf(inTab), inBrowser], [200, null])
    await page.click({ role: 'button', name: 'Yes, keep me signed in' })
    await page.waitFor(async () => !QUESTION.test(await page.text()), 'the question to go')
    assert.deepEqual(await tokens(page), [null, inTab])
    await signOut(page, email)
    assert.equal((await page.find(KEEP)).states['checked'], 'true')
    await signIn(page, email)
    await page.find(OVERVIEW)
    assert.equal((await tokens(page))[0], null)
    assert.doesNotMatch(await page.text(), QUESTION)
    await signOut(page, email)
    // A reader who takes the tick away says that it is not their own any more.
    await page.click(KEEP)
    await signIn(page, email)
    await page.find(OVERVIEW)
    assert.equal((await tokens(page))[1], null)
    await page.expectNoProblems()
  })

  it('that ended is begun again in one tab, and goes on in the others', async () => {
    const person = await newPerson(service, 'admin', cast.admin.token)
    const page = await dashboard.openAs(person, '#/topics/new')
    await page.find({ role: 'textbox', name: 'Name' })
    const tab = await opened(page)
    await tab.find(OVERVIEW)
    await service.app.services.store.as(SYSTEM).endSessions(person.id, service.now())
    // What is typed is checked by the service: the check meets the end of the session, if the tab does not know of it yet.
    await page.evaluate(() => {
      const field = document.querySelector<HTMLTextAreaElement>('textarea[name=name]')
      if (field !== null) field.value = 'Typed after'
      field?.dispatchEvent(new Event('input'))
    })
    // By the address, which the reader can change in either case.
    await tab.evaluate(() => void (location.hash = '#/users'))
    for (const one of [page, tab]) await one.find({ role: 'dialog', name: 'Sign in' })
    await signIn(tab, person.email)
    await tab.find({ role: 'heading', name: 'Users' })
    await page.gone({ role: 'dialog', name: 'Sign in' })
    assert.equal((await page.find({ role: 'textbox', name: 'Name' })).value, 'Typed after')
    await page.waitFor(async () => String(await tokens(page)) === String(await tokens(tab)), 'the same token')
    await page.fill({ role: 'textbox', name: 'Name' }, '')
    await page.expectNoProblems([{ status: 401 }])
  })

  it('is not handed to another origin, and not taken from one', async () => {
    const { token, email } = await newPublisher()
    const page = await dashboard.openAs({ ...cast.publisher, token })
    const channels = [`dateline.session ${service.url}`, 'dateline.session ', 'dateline.session']
    const evil = await foreign.serve({ '/': '<!doctype html><title>foreign</title>' })
    const tab = await page.newTab()
    await tab.open(evil)
    await tab.evaluate((names) => {
      const found: unknown[] = []
      for (const name of names) {
        const channel = new BroadcastChannel(name)
        channel.onmessage = ({ data }) => found.push(data)
        channel.postMessage({ kind: 'wanted' })
        channel.postMessage({ kind: 'ended', token: '*' })
      }
      Object.assign(globalThis, { found })
    }, channels)
    // A tab of the dashboard's own origin that asks later gets its response: by then, the foreign one would have had its own.
    const own = await opened(page, '/robots.txt')
    const isAnswered = await own.evaluate(async (name) => {
      const channel = new BroadcastChannel(name)
      const response = new Promise<boolean>((resolve) => channel.addEventListener('message', ({ data }) => resolve((data as { kind: string }).kind === 'token')))
      channel.postMessage({ kind: 'wanted' })
      return response
    }, `dateline.session ${service.url}`)
    assert.equal(isAnswered, true)
    await own.close()
    assert.deepEqual(await tab.evaluate(() => (globalThis as unknown as { found: unknown[] }).found), [])
    assert.deepEqual(await tokens(page), [token, null])
    // A page that asks to sign in takes no session that a foreign page would like it to use, and takes one of its own origin.
    await signOut(page, email)
    const [other, next] = [await newPublisher(), await newPublisher()]
    await tab.evaluate(
      (names, forged) => {
        for (const name of names) new BroadcastChannel(name).postMessage({ kind: 'token', token: forged })
      },
      channels,
      other.token,
    )
    await tell(page, [{ kind: 'token', token: next.token }])
    await comesUp(page, '#main')
    assert.deepEqual(await tokens(page), [next.token, null])
    await page.expectNoProblems([{ kind: 'foreign host' }])
  })

  it('gives a foreign page that opens or frames the dashboard nothing to hold on to', async () => {
    const page = await dashboard.openAs(cast.publisher)
    const evil = await foreign.serve({ '/': '<!doctype html><title>foreign</title>' })
    const tab = await page.newTab()
    await tab.open(evil)
    const found = await tab.evaluate(async (url) => {
      const messages: unknown[] = []
      addEventListener('message', ({ data }) => messages.push(data))
      const popup = open(url)
      const frame = document.createElement('iframe')
      frame.src = url
      document.body.append(frame)
      // Both are there when their responses are; until then they are empty pages of this one.
      const isThere = (): boolean => (popup?.closed ?? true) && frame.contentDocument === null
      while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve))
      popup?.postMessage({ kind: 'wanted' }, '*')
      frame.contentWindow?.postMessage({ kind: 'wanted' }, '*')
      return { isClosed: popup?.closed ?? true, messages, framed: frame.contentDocument !== null }
    }, service.url)
    // Cross-Origin-Opener-Policy cuts the opener off: to it, the window is closed.
    assert.deepEqual(found, { isClosed: true, messages: [], framed: false })
    await page.requests()
  })

  it('is not taken from messages that no page of this version sends', async () => {
    const page = await dashboard.open()
    await page.find(EMAIL)
    const bad = [null, 7, 'token', [], { kind: 'token' }, { kind: 'token', token: { length: 1 } }, { kind: 'token', token: 'x'.repeat(5_000) }]
    const { token } = await newPublisher()
    // Messages arrive in their order: the last is a good one.
    await tell(page, [...bad, { kind: 'ended', token: 3 }, { kind: '__proto__', token: 'x' }, { kind: 'token', token }])
    await comesUp(page, '#main')
    assert.deepEqual(await tokens(page), [token, null])
    await page.expectNoProblems()
  })
})
